//! The figures: time against ranks or threads for a size, and against size for a number of them.

use super::results::{cells, facts};
use super::{ADDERS, Cell};
use crate::page::{Axis, Chart, Experiment, Line, nanoseconds, number};

/// Time by number of ranks or threads.
pub(crate) fn over_kernels(adders: &Experiment, input_size: u64) -> Option<Chart> {
    let axis: Axis = ("ranks or threads", number);
    let of_size = |cell: &Cell| cell.input_size == input_size;
    let place = |cell: &Cell| cell.kernel_count as f64;
    chart(adders, bytes(input_size as f64), axis, of_size, place)
}

/// Time by number of bytes.
pub(crate) fn over_sizes(adders: &Experiment, kernel_count: usize) -> Option<Chart> {
    let of_kernels = |cell: &Cell| cell.kernel_count == kernel_count;
    let place = |cell: &Cell| cell.input_size as f64;
    let title = format!("{kernel_count} ranks or threads");
    chart(adders, title, ("bytes", bytes), of_kernels, place)
}

/// A line for each adder through the cells chosen. One column of points is no chart.
fn chart(
    adders: &Experiment,
    title: String,
    x: Axis,
    chosen: impl Fn(&Cell) -> bool,
    place: impl Fn(&Cell) -> f64,
) -> Option<Chart> {
    let cells: Vec<Cell> = cells(adders).into_iter().filter(chosen).collect();
    let line = |name: &str| {
        let point = |cell: &Cell| {
            let warm = facts(adders, *cell, name)?.summary;
            Some((place(cell), warm.percentiles()))
        };
        Line::new(name, cells.iter().filter_map(point))
    };
    let lines = ADDERS.iter().map(|adder| line(adder.name));
    (cells.len() > 1).then(|| Chart {
        title: format!("The sum of bytes, {title}: medians of warm passes"),
        x,
        y: ("time", nanoseconds),
        lines: lines.collect(),
    })
}

/// A size in few letters.
fn bytes(size: f64) -> String {
    let units = [
        (1024.0 * 1024.0 * 1024.0, "GiB"),
        (1024.0 * 1024.0, "MiB"),
        (1024.0, "KiB"),
    ];
    let unit = units.into_iter().find(|(unit, _)| size >= *unit);
    let (unit, name) = unit.unwrap_or((1.0, "bytes"));
    format!("{} {name}", number(size / unit))
}

//! The figures: time against ranks or threads for a size, and against size for a number of them.

use super::ADDERS;
use super::results::{At, cells, facts};
use crate::page::{Axis, Chart, Experiment, Line, nanoseconds, number};

/// Time by number of ranks or threads.
pub(crate) fn over_kernels(adders: &Experiment, input_size: u64) -> Option<Chart> {
    let axis: Axis = ("ranks or threads", number);
    let of_size = |at: &At| at.0 == input_size;
    let place = |at: &At| at.1 as f64;
    chart(adders, bytes(input_size as f64), axis, of_size, place)
}

/// Time by number of bytes.
pub(crate) fn over_sizes(adders: &Experiment, kernel_count: usize) -> Option<Chart> {
    let of_kernels = |at: &At| at.1 == kernel_count;
    let place = |at: &At| at.0 as f64;
    let title = format!("{kernel_count} ranks or threads");
    chart(adders, title, ("bytes", bytes), of_kernels, place)
}

/// A line for each adder through the cells chosen. One column of points is no chart.
fn chart(
    adders: &Experiment,
    title: String,
    x: Axis,
    chosen: impl Fn(&At) -> bool,
    place: impl Fn(&At) -> f64,
) -> Option<Chart> {
    let cells: Vec<At> = cells(adders).into_iter().filter(chosen).collect();
    let line = |name: &str| {
        let point = |at: &At| {
            let warm = facts(adders, *at, name)?.summary;
            Some((place(at), warm.percentiles()))
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
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")].map(|(log, name)| (2f64.powi(log), name));
    let unit = units.into_iter().find(|(unit, _)| size >= *unit);
    let (unit, name) = unit.unwrap_or((1.0, "bytes"));
    format!("{} {name}", number(size / unit))
}

//! The figures: time against size for each number of kernels, time against kernels for each size,
//! speed-up, and weak scaling, where every kernel has the same number of bytes however many there
//! are. And which of them tell most.

use std::collections::BTreeSet;

use super::results::{cells, facts};
use super::{ADDERS, Adder, Cell};
use crate::machine;
use crate::page::{Axis, Experiment, Figure, Line, Lines, Point, extent};

/// The number of kernels whose figure tells most.
const TELLING: usize = 2;

/// The figures, the most telling ones apart.
pub(super) struct Figures {
    /// One of each kind: of two kernels, of the largest size.
    pub(super) telling: Vec<Figure>,
    /// The others of each kind, with the kind's name.
    pub(super) others: Vec<(&'static str, Vec<Figure>)>,
}

/// Draws what there is to draw.
pub(super) fn figures(experiment: &Experiment) -> Figures {
    let drawn = Drawn {
        experiment,
        cells: cells(experiment),
    };
    let two = format!("adders-kernel-count-{TELLING}");
    let kinds = [
        ("Time against size, by ranks or threads", drawn.by_kernels()),
        ("Time against ranks or threads, by size", drawn.by_size()),
        (
            "Speed-up over one rank or thread, by size",
            drawn.speed_ups(),
        ),
    ];
    let (mut telling, mut others) = (Vec::new(), Vec::new());
    for (kind, mut figures) in kinds {
        let chosen = figures.iter().position(|figure| figure.id == two);
        if let Some(most) = chosen.or(figures.len().checked_sub(1)) {
            telling.push(figures.remove(most));
        }
        if !figures.is_empty() {
            others.push((kind, figures));
        }
    }
    telling.extend(drawn.weak());
    Figures { telling, others }
}

struct Drawn<'a> {
    experiment: &'a Experiment,
    cells: Vec<Cell>,
}

/// What the times in the figures are.
const WARM: &str = "Median of all warm passes of all rounds; the strokes reach from the 10th to the 90th percentile.";

/// The titles of axes.
const BYTES: &str = "bytes";
const KERNELS: &str = "ranks or threads";
const TIME: &str = "time";

impl Drawn<'_> {
    fn by_kernels(&self) -> Vec<Figure> {
        let kernels: BTreeSet<usize> = self.cells.iter().map(|cell| cell.kernel_count).collect();
        let figure = |kernels: usize| {
            let title = format!("Time against size, {}", plural(kernels));
            let of_kernels = |cell: &Cell| cell.kernel_count == kernels;
            let chart = self.chart(title, (BYTES, TIME), of_kernels, |ns, _| ns)?;
            Some(chart.figure(format!("adders-kernel-count-{kernels}"), WARM))
        };
        kernels.into_iter().filter_map(figure).collect()
    }

    fn by_size(&self) -> Vec<Figure> {
        let figure = |size: u64| {
            let title = format!("Time against kernels, {}", words(size));
            let of_size = |cell: &Cell| cell.input_size == size;
            let chart = self.chart(title, (KERNELS, TIME), of_size, |ns, _| ns)?;
            Some(chart.figure(format!("adders-input-size-{}", name(size)), WARM))
        };
        self.sizes().into_iter().filter_map(figure).collect()
    }

    fn speed_ups(&self) -> Vec<Figure> {
        let figure = |size: u64| {
            let title = format!("Speed-up over one kernel, {}", words(size));
            let of_size = |cell: &Cell| cell.input_size == size;
            let over_one = |ns: f64, adder| self.alone(adder, size) / ns;
            let mut chart = self.chart(title, (KERNELS, "times as fast"), of_size, over_one)?;
            let ideal = chart.x.ticks.iter().map(|(x, _)| (*x, *x));
            let ideal = ideal.filter(|(x, _)| *x <= machine::cores() as f64);
            chart.ideal = Some(("ideal".into(), ideal.collect()));
            let id = format!("adders-speedup-input-size-{}", name(size));
            let caption = "Each adder over itself with one rank or thread, warm medians. The ideal ends where the cores do of the machine that drew it.";
            Some(chart.figure(id, caption))
        };
        self.sizes().into_iter().filter_map(figure).collect()
    }

    /// As many bytes per kernel as most numbers of kernels have in common.
    fn weak(&self) -> Option<Figure> {
        let share = |cell: &Cell| {
            let whole = cell.input_size % cell.kernel_count as u64 == 0;
            whole.then(|| cell.input_size / cell.kernel_count as u64)
        };
        let shares: Vec<u64> = self.cells.iter().filter_map(share).collect();
        let count = |wanted: u64| shares.iter().filter(|&&share| share == wanted).count();
        let best = *shares.iter().max_by_key(|&&share| (count(share), share))?;
        let chart = self.chart(
            format!("Weak scaling, {} per kernel", words(best)),
            (KERNELS, "efficiency"),
            |cell| share(cell) == Some(best),
            |ns, adder| self.alone(adder, best) / ns,
        );
        let caption = "The time with one kernel over that with so many, each with as many bytes. 1 is ideal, up to the number of cores and as far as memory is fast enough.";
        Some(chart?.figure(String::from("adders-weak-scaling"), caption))
    }

    fn sizes(&self) -> BTreeSet<u64> {
        self.cells.iter().map(|cell| cell.input_size).collect()
    }

    fn alone(&self, adder: Adder, input_size: u64) -> f64 {
        let one = Cell {
            kernel_count: 1,
            input_size,
        };
        let facts = facts(self.experiment, one, adder.name);
        facts.map_or(f64::NAN, |facts| facts.summary.median)
    }

    /// A line for each adder through the cells chosen. `y` makes of nanoseconds what is drawn. One
    /// column of points is no chart.
    fn chart(
        &self,
        title: String,
        (x_title, y_title): (&str, &str),
        chosen: impl Fn(&Cell) -> bool,
        y: impl Fn(f64, Adder) -> f64,
    ) -> Option<Lines> {
        let x = |cell: Cell| match x_title {
            BYTES => cell.input_size as usize,
            _ => cell.kernel_count,
        };
        let line = |&adder: &Adder| {
            let point = |&cell: &Cell| {
                let warm = facts(self.experiment, cell, adder.name)?.summary;
                let point = Point::of(x(cell) as f64, &warm, |ns| y(ns, adder));
                point.y.is_finite().then_some(point)
            };
            let chosen = self.cells.iter().filter(|c| chosen(c));
            Line::new(adder.name, adder.look(), chosen.filter_map(point))
        };
        let lines = ADDERS.iter().map(line);
        let lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
        let points = lines.iter().flat_map(|line| &line.points);
        let ticks: BTreeSet<usize> = points.map(|point| point.x as usize).collect();
        let mut x_axis = Axis::threads(&ticks.into_iter().collect::<Vec<_>>());
        if x_axis.ticks.len() < 2 {
            return None;
        }
        if x_title == BYTES {
            for (value, text) in &mut x_axis.ticks {
                *text = words(*value as u64);
            }
        }
        let y_axis = match y_title {
            TIME => Axis::log(extent(&lines)).of_time(),
            _ => Axis::from_zero(extent(&lines)),
        };
        let (x, y) = ((x_title, x_axis), (y_title, y_axis));
        Some(Lines::new(title, x, y, lines))
    }
}

/// A number of kernels in words.
pub(super) fn plural(kernels: usize) -> String {
    let s = if kernels == 1 { "" } else { "s" };
    format!("{kernels} rank{s} or thread{s}")
}

/// A size in a file's name.
fn name(size: u64) -> String {
    if size.is_power_of_two() {
        size.ilog2().to_string()
    } else {
        format!("{size}-bytes")
    }
}

/// A size in few letters.
pub(super) fn words(size: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units
        .iter()
        .find(|(log, _)| size >= 1 << log && size % (1 << log) == 0);
    match unit {
        Some((log, unit)) => format!("{} {unit}", size >> log),
        None => format!("{size} bytes"),
    }
}

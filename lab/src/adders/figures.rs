//! The figures: time against size for each number of kernels, time against kernels for each size,
//! speed-up, and weak scaling, where every kernel has the same number of bytes however many there
//! are. And which of them tell most.

use super::results::{cells, facts};
use super::{Adder, Cell, Entry};
use crate::machine;
use crate::page::{Axis, Figure, Line, Lines, Look, Point, extent, look};

/// The number of kernels whose figure tells most.
const TELLING: usize = 2;

/// The figures, the most telling ones apart.
pub(super) struct Figures {
    /// One of each kind: of two kernels, of the largest size.
    pub(super) telling: Vec<Figure>,
    /// The others of each kind, with the kind's name.
    pub(super) others: Vec<(&'static str, Vec<Figure>)>,
}

/// Draws what there is to draw. `prefix` begins the names of all.
pub(super) fn figures(entries: &[Entry], prefix: &str) -> Figures {
    let drawn = Drawn {
        entries,
        cells: cells(entries),
        adders: Adder::all(),
        prefix,
    };
    let two = format!("{prefix}kernel-count-{TELLING}");
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
    entries: &'a [Entry],
    cells: Vec<Cell>,
    adders: Vec<Adder>,
    prefix: &'a str,
}

/// What the times in the figures are.
const WARM: &str = "Median of all warm passes of all rounds; the strokes reach from the 10th to the 90th percentile.";

impl Drawn<'_> {
    fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.cells.iter().map(|cell| cell.input_size).collect();
        sizes.dedup();
        sizes
    }

    fn kernels(&self) -> Vec<usize> {
        let mut kernels: Vec<usize> = self.cells.iter().map(|c| c.kernel_count).collect();
        kernels.sort();
        kernels.dedup();
        kernels
    }

    fn by_kernels(&self) -> Vec<Figure> {
        let figure = |kernels: usize| {
            let of_kernels = |cell: &Cell| cell.kernel_count == kernels;
            let lines = self.lines(of_kernels, |cell| cell.input_size as f64, |us, _, _| us);
            drawing(
                format!("{}kernel-count-{kernels}", self.prefix),
                format!("Time against size, {}", plural(kernels)),
                WARM,
                ("bytes", "microseconds"),
                lines,
                None,
            )
        };
        self.kernels().into_iter().filter_map(figure).collect()
    }

    fn by_size(&self) -> Vec<Figure> {
        let figure = |size: u64| {
            let of_size = |cell: &Cell| cell.input_size == size;
            let lines = self.lines(of_size, |cell| cell.kernel_count as f64, |us, _, _| us);
            drawing(
                format!("{}input-size-{}", self.prefix, name(size)),
                format!("Time against kernels, {}", words(size)),
                WARM,
                ("ranks or threads", "microseconds"),
                lines,
                None,
            )
        };
        self.sizes().into_iter().filter_map(figure).collect()
    }

    fn speed_ups(&self) -> Vec<Figure> {
        let figure = |size: u64| {
            let of_size = |cell: &Cell| cell.input_size == size;
            let single = |us: f64, adder, cell: Cell| self.alone(adder, cell.input_size) / us;
            let lines = self.lines(of_size, |cell| cell.kernel_count as f64, single);
            let ideal = lines.iter().flat_map(|l| &l.points).map(|p| (p.x, p.x));
            let mut ideal: Vec<(f64, f64)> = ideal.collect();
            ideal.sort_by(|a, b| a.0.total_cmp(&b.0));
            ideal.dedup();
            ideal.retain(|(x, _)| *x <= machine::cores() as f64);
            drawing(
                format!("{}speedup-input-size-{}", self.prefix, name(size)),
                format!("Speed-up over one kernel, {}", words(size)),
                "Each adder over itself with one rank or thread, warm medians. The ideal ends where the cores do of the machine that drew it.",
                ("ranks or threads", "times as fast"),
                lines,
                Some(("ideal".into(), ideal)),
            )
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
        let lines = self.lines(
            |cell| share(cell) == Some(best),
            |cell| cell.kernel_count as f64,
            |us, adder, _| self.alone(adder, best) / us,
        );
        drawing(
            format!("{}weak-scaling", self.prefix),
            format!("Weak scaling, {} per kernel", words(best)),
            "The time with one kernel over that with so many, each with as many bytes. 1 is ideal, up to the number of cores and as far as memory is fast enough.",
            ("ranks or threads", "efficiency"),
            lines,
            None,
        )
    }

    fn alone(&self, adder: Adder, input_size: u64) -> f64 {
        let one = Cell {
            kernel_count: 1,
            input_size,
        };
        let facts = facts(self.entries, one, adder);
        facts.map_or(f64::NAN, |facts| facts.warm.median)
    }

    /// A line for each adder through the cells chosen. `y` makes of microseconds what is drawn.
    fn lines(
        &self,
        chosen: impl Fn(&Cell) -> bool,
        x: impl Fn(Cell) -> f64,
        y: impl Fn(f64, Adder, Cell) -> f64,
    ) -> Vec<Line> {
        let line = |&adder: &Adder| {
            let point = |&cell: &Cell| {
                let warm = facts(self.entries, cell, adder)?.warm;
                let at = |us: f64| y(us, adder, cell);
                let value = at(warm.median);
                let point = Point::within(x(cell), value, at(warm.p10), at(warm.p90));
                value.is_finite().then_some(point)
            };
            let chosen = self.cells.iter().filter(|c| chosen(c));
            Line::new(adder.name(), look_of(adder), chosen.filter_map(point))
        };
        let lines = self.adders.iter().map(line);
        lines.filter(|line| !line.points.is_empty()).collect()
    }
}

fn drawing(
    id: String,
    title: String,
    caption: &str,
    (x_title, y_title): (&str, &str),
    lines: Vec<Line>,
    ideal: Option<(String, Vec<(f64, f64)>)>,
) -> Option<Figure> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut ticks: Vec<usize> = points().map(|point| point.x as usize).collect();
    ticks.sort();
    ticks.dedup();
    // One column of points is no figure.
    if ticks.len() < 2 {
        return None;
    }
    let mut x = Axis::threads(&ticks);
    for (value, text) in &mut x.ticks {
        if x_title == "bytes" {
            *text = words(*value as u64);
        }
    }
    let y = match y_title {
        "microseconds" => Axis::log(extent(&lines)),
        _ => Axis::from_zero(extent(&lines)),
    };
    let mut chart = Lines::new(title, (x_title, x), (y_title, y), lines);
    chart.ideal = ideal;
    Some(chart.figure(id, caption))
}

fn look_of(adder: Adder) -> Look {
    match adder {
        Adder::RustRayon => look("rayon", 0),
        Adder::Sumac => look("sumac-scope", 0),
        Adder::SumacMpi => look("sumac-join", 0),
        Adder::SumacMpiMessages => look("other", 2),
        Adder::C => look("chili", 0),
        Adder::CFirst => look("other", 3),
        Adder::RustMpiBinding => look("other", 0),
        Adder::RustMpiWrapper => look("other", 1),
        Adder::Julia => look("static-split", 0),
        Adder::Floor => look("baseline", 0),
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

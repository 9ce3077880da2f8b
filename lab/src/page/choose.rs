//! Which figures an experiment gets: those for which it has the data.

use super::cases::{Group, Series};
use super::facts::{Cores, Facts};
use super::figure::{
    Axis, Bar, Colour, Figure, Line, Lines, Point, Row, bars, extent, look, stack,
};
use super::load::Experiment;
use crate::stats::quantile;
use crate::table::{plural, time};

/// Overheads below this many nanoseconds are noise.
pub(crate) const FLOOR: f64 = 0.1;
/// Up to this size a case shows what forks cost rather than what threads give.
const SMALL: f64 = 100_000.0;
/// Where a piece takes the baseline more nanoseconds than this, a fork's cost is lost in it.
const CHEAP: f64 = 100.0;
/// How many points a distribution is drawn with.
const STEPS: usize = 80;

/// The figures of one case.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// For everybody.
    pub(crate) first: Vec<Figure>,
    /// For those who ask: a bar chart for each contender.
    pub(crate) bars: Vec<Figure>,
    /// For those who ask: the distribution of samples.
    pub(crate) samples: Vec<Figure>,
}

/// What figures need to know of their surroundings.
struct Stage<'a> {
    group: &'a Group<'a>,
    cores: usize,
    prefix: String,
}

/// Draws what there is to draw of a case.
pub(crate) fn of_case(experiment: &Experiment, group: &Group<'_>) -> Chosen {
    let stage = Stage {
        group,
        cores: experiment.cores(),
        prefix: format!(
            "{}-{}",
            super::cases::slug(&experiment.name),
            group.case.slug()
        ),
    };
    let mut chosen = Chosen::default();
    if group.threads().len() > 1 {
        chosen.first.extend([stage.times()]);
        chosen.first.extend(stage.speed_ups());
        chosen.first.extend(stage.overheads());
        chosen.bars = stage.bars();
    }
    chosen.first.extend(stage.spent());
    chosen.samples.extend(stage.samples());
    chosen
}

impl Stage<'_> {
    fn id(&self, kind: &str) -> String {
        format!("{}-{kind}", self.prefix)
    }

    fn figure(&self, kind: &str, title: String, caption: &str, svg: String) -> Figure {
        Figure {
            id: self.id(kind),
            title,
            caption: caption.into(),
            svg,
        }
    }

    /// Those as users get them: figures of threads leave tunings out.
    fn plain(&self) -> Vec<Series> {
        let all = self.group.series();
        all.into_iter()
            .filter(|series| series.tuning.is_empty())
            .collect()
    }

    /// A line for each contender over the numbers of threads. `value` makes of nanoseconds what is
    /// drawn.
    fn lines(&self, value: impl Fn(f64, &Facts) -> f64) -> Vec<Line> {
        let point = |(threads, facts): (usize, &Facts)| {
            Point::of(threads as f64, &facts.summary, |ns| value(ns, facts))
        };
        let line = |(number, series): (usize, Series)| {
            let points = self.group.by_threads(&series).into_iter().map(point);
            Line {
                everywhere: series.is_sequential(),
                ..Line::new(series.to_string(), look(&series.contender, number), points)
            }
        };
        self.plain().into_iter().enumerate().map(line).collect()
    }

    fn over_threads(&self, title: &str, y_title: String, y: Axis, lines: Vec<Line>) -> Lines {
        let threads = self.group.threads();
        let more = threads.last().is_some_and(|&most| most > self.cores);
        let x = ("threads", Axis::threads(&threads));
        let mut chart = Lines::new(title, x, (y_title, y), lines);
        chart.shade = more.then(|| {
            let what = format!("shaded: over {}", plural(self.cores, "core"));
            (self.cores as f64 * 1.12, what)
        });
        chart
    }

    fn times(&self) -> Figure {
        let lines = self.lines(|ns, facts| ns / facts.pieces);
        let title = format!("Time: {}", self.group.case);
        let y_title = format!("median per {}", self.group.case.piece());
        let y = Axis::log(extent(&lines)).of_time();
        let chart = self.over_threads(&title, y_title, y, lines);
        let caption = "Less is better; both axes are logarithmic. Vertical strokes reach from the 10th to the 90th \
                       percentile of the samples.";
        chart.figure(self.id("time"), caption)
    }

    fn speed_ups(&self) -> Option<Figure> {
        let baseline = self.group.baseline()?.summary.median;
        let lines = self.lines(|ns, _| baseline / ns);
        let threads = self.group.threads();
        let (least, most) = (*threads.first()? as f64, *threads.last()? as f64);
        let cores = self.cores as f64;
        let mut ideal = vec![(least, least.min(cores))];
        if least < cores && cores < most {
            ideal.push((cores, cores));
        }
        ideal.push((most, most.min(cores)));
        let title = format!("Speed-up: {}", self.group.case);
        let ends = ideal.iter().map(|&(_, y)| y).collect::<Vec<_>>();
        let y = Axis::log(extent(&lines).chain(ends));
        let mut chart =
            self.over_threads(&title, "baseline's median over this one's".into(), y, lines);
        chart.ideal = Some(("ideal".into(), ideal));
        let caption = "More is better; both axes are logarithmic. Ideal is as many times faster as there are threads \
                       with a core each. The static split is the bound that dividing by hand reaches.";
        Some(chart.figure(self.id("speed-up"), caption))
    }

    fn overheads(&self) -> Option<Figure> {
        let baseline = self.group.baseline()?;
        if baseline.pieces > SMALL || baseline.per_piece() > CHEAP {
            return None;
        }
        let over = |ns: f64| ((ns - baseline.summary.median) / baseline.pieces).max(FLOOR);
        let mut lines = self.lines(|ns, _| over(ns));
        lines.retain(|line| !line.everywhere);
        let piece = self.group.case.piece();
        let title = format!("Overhead: {}", self.group.case);
        let y = Axis::log(extent(&lines)).of_time();
        let y_title = format!("time per {piece} over the baseline");
        let chart = self.over_threads(&title, y_title, y, lines);
        let caption = "Less is better; both axes are logarithmic. What is at most 0.1 ns, or faster than the \
                       baseline, stands at 0.1 ns.";
        Some(chart.figure(self.id("overhead"), caption))
    }

    fn spent(&self) -> Option<Figure> {
        let baseline = self.group.baseline()?;
        let mut rows = Vec::new();
        for series in self.plain().iter().filter(|series| !series.is_sequential()) {
            for (threads, facts) in self.group.by_threads(series) {
                let cores = Cores::of(facts, baseline, threads, self.cores)?;
                let searching = cores.searching.unwrap_or(0.0);
                rows.push(Row {
                    name: format!("{series} ×{threads}"),
                    parts: [
                        cores.useful,
                        searching,
                        cores.overhead - searching,
                        cores.unused,
                    ],
                });
            }
        }
        if rows.is_empty() {
            return None;
        }
        let title = format!("Where the time went: {}", self.group.case);
        let svg = stack(&title, "cores", &rows);
        let caption = "Useful is the CPU time that the baseline takes for the same calls. Overhead is CPU time \
                       beyond it: threads compete. Unused is what is left of the cores that the threads could have: \
                       threads are idle, or others had the cores.";
        Some(self.figure("spent", title, caption, svg))
    }

    fn samples(&self) -> Option<Figure> {
        let full = self.group.full(self.cores);
        let mut lines = Vec::new();
        for (number, series) in self.plain().into_iter().enumerate() {
            let threads = if series.is_sequential() { 1 } else { full? };
            let Some(facts) = self.group.facts(&series, threads) else {
                continue;
            };
            let steps = STEPS.min(facts.sorted.len().max(2));
            let point = |n: usize| {
                let part = n as f64 / (steps - 1) as f64;
                Point::at(quantile(&facts.sorted, part) / facts.pieces, part)
            };
            let look = look(&series.contender, number);
            lines.push(Line::new(
                format!("{series} ×{threads}"),
                look,
                (0..steps).map(point),
            ));
        }
        if lines.is_empty() {
            return None;
        }
        let title = format!("Samples: {}", self.group.case);
        let xs = lines
            .iter()
            .flat_map(|line| &line.points)
            .map(|point| point.x);
        let x_title = format!("time per {}", self.group.case.piece());
        let x = (x_title, Axis::log(xs).of_time());
        let y = "part of the samples that took at most as long";
        let mut chart = Lines::new(title, x, (y, Axis::from_zero([1.0].into_iter())), lines);
        chart.marks = false;
        let caption = "The empirical distribution of all samples. The steeper, the steadier; a step to the right \
                       is a disturbance.";
        Some(chart.figure(self.id("samples"), caption))
    }

    /// A chart for each contender, as in the document: the baseline, then every number of threads.
    fn bars(&self) -> Vec<Figure> {
        let Some(baseline) = self.group.baseline() else {
            return Vec::new();
        };
        let y_title = format!("mean time per {}", self.group.case.piece());
        let chart = |series: Series| {
            let bar = |name: String, facts: &Facts, colour: Colour| Bar {
                name,
                value: facts.mean / facts.pieces,
                spread: (
                    facts.summary.p10 / facts.pieces,
                    facts.summary.p90 / facts.pieces,
                ),
                colour,
                label: time(facts.mean / facts.pieces),
            };
            let mut all = vec![bar("baseline".into(), baseline, look("baseline", 0).colour)];
            for (threads, facts) in self.group.by_threads(&series) {
                all.push(bar(
                    threads.to_string(),
                    facts,
                    look(&series.contender, 0).colour,
                ));
            }
            let title = format!("{series}: {}", self.group.case);
            let svg = bars(&title, ["threads", &y_title], &all);
            let caption = "The total mean scaled by the number of pieces. Strokes reach from the 10th to the \
                           90th percentile.";
            let kind = format!("bars-{}", super::cases::slug(&series.to_string()));
            self.figure(&kind, title, caption, svg)
        };
        let parallel = self
            .plain()
            .into_iter()
            .filter(|series| !series.is_sequential());
        parallel.map(chart).collect()
    }
}

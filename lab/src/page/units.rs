//! Overhead against the unit of work: is a fork's cost the same whatever is forked, from which unit
//! on does it not matter, and from which on do threads pay? For cases that differ by the parameter
//! `work` alone.

use indexmap::IndexMap;

use super::cases::{Case, Group, Series, parameter, slug};
use super::choose::FLOOR;
use super::facts::Facts;
use super::figure::{Axis, Figure, Line, Lines, NOISE, Point, extent, look};
use super::load::Experiment;
use crate::experiment::distinct;
use crate::table::plural;

/// Cases that differ by `work` alone, smallest unit first: what they have in common, the other
/// parameters among it, and each with its baseline.
struct Family<'a> {
    case: Case,
    members: Vec<(&'a Group<'a>, &'a Facts)>,
}

/// What is drawn of them.
struct Kind {
    name: &'static str,
    title: &'static str,
    y_title: &'static str,
    caption: &'static str,
    /// Whether it is of one thread, and not of as many as have a core.
    alone: bool,
    /// The value, given nanoseconds per piece and those of the baseline.
    value: fn(f64, f64) -> f64,
    /// Whether that is a time.
    is_time: bool,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "unit-speed-up",
        title: "Speed-up",
        y_title: "baseline's median over this one's",
        caption: "From which unit of work on threads pay: above 1 they do.",
        alone: false,
        value: |ns, unit| unit / ns,
        is_time: false,
    },
    Kind {
        name: "unit-overhead",
        title: "Overhead per fork",
        y_title: "time per piece over the baseline",
        caption: "A level line means that a fork costs the same whatever it forks. What is below the dotted line, \
                  half of the baseline's spread, cannot be told from chance. What is at most 0.1 ns stands at 0.1 ns.",
        alone: true,
        value: |ns, unit| (ns - unit).max(FLOOR),
        is_time: true,
    },
    Kind {
        name: "unit-share",
        title: "Overhead as a part of the work",
        y_title: "% of the baseline's time",
        caption: "How large the unit must be for forks not to matter. What is at most 0.1 % stands at 0.1 %.",
        alone: true,
        value: |ns, unit| ((ns / unit - 1.0) * 100.0).max(FLOOR),
        is_time: false,
    },
];

/// Draws what there is to draw.
pub(crate) fn of_experiment<'a>(experiment: &Experiment, groups: &'a [Group<'a>]) -> Vec<Figure> {
    let figures = families(groups).flat_map(|family| {
        let groups = || family.members.iter().map(|(group, _)| group);
        let one = groups().any(|group| group.threads().contains(&1));
        let full = groups().filter_map(|group| group.full(experiment.cores()));
        let full = full.max().filter(|&threads| threads > 1);
        let draw = |kind: &Kind| {
            let threads = if kind.alone { one.then_some(1) } else { full };
            family.draw(kind, threads?, &experiment.name)
        };
        KINDS.iter().filter_map(draw).collect::<Vec<_>>()
    });
    figures.collect()
}

fn families<'a>(groups: &'a [Group<'a>]) -> impl Iterator<Item = Family<'a>> {
    let mut families: IndexMap<Case, Vec<_>> = IndexMap::new();
    for group in groups {
        let case = &group.case;
        let work = parameter(&case.parameters, "work");
        if let (Some((_, parameters)), Some(baseline)) = (work, group.baseline()) {
            let case = Case {
                parameters,
                ..case.clone()
            };
            families.entry(case).or_default().push((group, baseline));
        }
    }
    let families = families.into_iter();
    families
        .filter(|(_, members)| members.len() > 1)
        .map(|(case, members)| Family { case, members })
}

impl Family<'_> {
    /// Everybody who takes part as users get it.
    fn series(&self) -> Vec<Series> {
        let all = self.members.iter().flat_map(|(group, _)| group.series());
        distinct(all.filter(|one| !one.is_sequential() && one.tuning.is_empty()))
    }

    fn line(&self, kind: &Kind, threads: usize, number: usize, series: &Series) -> Line {
        let point = |(group, baseline): &(&Group<'_>, &Facts)| {
            let facts = group.facts(series, threads)?;
            let unit = baseline.per_piece();
            let value = |ns: f64| (kind.value)(ns / facts.pieces, unit);
            Some(Point::of(unit, &facts.summary, value))
        };
        let points = self.members.iter().filter_map(point);
        Line::new(series.to_string(), look(&series.contender, number), points)
    }

    /// Half of the baseline's spread on top of it.
    fn noise(&self, kind: &Kind) -> Line {
        let point = |(_, baseline): &(&Group<'_>, &Facts)| {
            let unit = baseline.per_piece();
            let off = (baseline.summary.p90 - baseline.summary.p10) / 2.0 / baseline.pieces;
            Point::at(unit, (kind.value)(unit + off, unit))
        };
        Line::new(
            "noise of the baseline",
            NOISE,
            self.members.iter().map(point),
        )
    }

    /// Draws it, if there is anything.
    fn draw(&self, kind: &Kind, threads: usize, experiment: &str) -> Option<Figure> {
        let lines = self.series().into_iter().enumerate();
        let lines = lines.map(|(number, series)| self.line(kind, threads, number, &series));
        let mut lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
        if lines.is_empty() {
            return None;
        }
        if kind.alone {
            lines.push(self.noise(kind));
        }
        let case = &self.case;
        let title = format!("{}: {case}, {}", kind.title, plural(threads, "thread"));
        let units = self
            .members
            .iter()
            .map(|(_, baseline)| baseline.per_piece());
        let x = (
            "unit of work: the baseline's time per piece",
            Axis::log(units).of_time(),
        );
        let y_axis = Axis::log(extent(&lines));
        let y_axis = if kind.is_time {
            y_axis.of_time()
        } else {
            y_axis
        };
        let y = (kind.y_title, y_axis);
        let id = format!("{experiment} {} {}", case.slug(), kind.name);
        let id = slug(&id);
        Some(Lines::new(title, x, y, lines).figure(id, kind.caption))
    }
}

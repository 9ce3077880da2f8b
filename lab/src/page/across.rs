//! Figures across the cases of an experiment: overhead against the unit of work, tunings against none, and all programs
//! side by side.

use super::cases::{Group, Series, parameter, slug};
use super::choose::FLOOR;
use super::facts::Facts;
use super::figure::{Axis, Dot, Dots, Figure, Line, Lines, Look, Mark, Point, look};
use super::load::Experiment;
use crate::stats::Ratio;

/// From this many cases without a range of threads on, they are shown side by side.
const MANY: usize = 3;

/// Draws what there is to draw across cases.
pub(crate) fn of_experiment(experiment: &Experiment, groups: &[Group<'_>]) -> Vec<Figure> {
    let mut figures = units(experiment, groups);
    figures.extend(groups.iter().filter_map(|group| tunings(experiment, group)));
    figures.extend(side_by_side(experiment, groups));
    figures
}

/// Cases that differ by `work` alone, smallest unit first: problem, size and other parameters; then the cases.
type Family<'a, 'b> = ((String, u64, String), Vec<&'a Group<'b>>);

fn families<'a, 'b>(groups: &'a [Group<'b>]) -> Vec<Family<'a, 'b>> {
    let mut families: Vec<Family<'a, 'b>> = Vec::new();
    for group in groups {
        let Some((_, rest)) = parameter(&group.case.parameters, "work") else {
            continue;
        };
        let key = (group.case.problem.clone(), group.case.size, rest);
        match families.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(group),
            None => families.push((key, vec![group])),
        }
    }
    families.retain(|(_, members)| members.len() > 1);
    families
}

fn units(experiment: &Experiment, groups: &[Group<'_>]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for ((problem, size, rest), members) in families(groups) {
        let name = slug(&format!("{} {problem} {size} {rest}", experiment.name));
        let baselines: Vec<&Facts> = members
            .iter()
            .filter_map(|group| group.baseline())
            .collect();
        if baselines.len() < members.len() {
            continue;
        }
        let mut draw = |kind: &str,
                        title: &str,
                        y_title: &str,
                        caption: &str,
                        threads: usize,
                        value: &dyn Fn(f64, f64) -> f64| {
            let mut names: Vec<Series> = Vec::new();
            for series in members.iter().flat_map(|group| group.series()) {
                if !names.contains(&series) && !series.is_sequential() && series.tuning.is_empty() {
                    names.push(series);
                }
            }
            let line = |(number, series): (usize, &Series)| {
                let point = |(group, baseline): (&&Group<'_>, &&Facts)| {
                    let facts = group.facts(series, threads)?;
                    let unit = baseline.per_piece();
                    let at = |ns: f64| value(ns / facts.pieces, unit);
                    let ends = (at(facts.summary.p10), at(facts.summary.p90));
                    Some(Point {
                        x: unit,
                        y: at(facts.summary.median),
                        spread: Some((ends.0.min(ends.1), ends.0.max(ends.1))),
                    })
                };
                Line {
                    name: series.to_string(),
                    look: look(&series.contender, number),
                    points: members.iter().zip(&baselines).filter_map(point).collect(),
                    everywhere: false,
                }
            };
            let lines = names.iter().enumerate().map(line);
            let lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
            if lines.is_empty() {
                return;
            }
            let ys = lines.iter().flat_map(|line| &line.points);
            let ys = ys.flat_map(|p| {
                [
                    p.y,
                    p.spread.map_or(p.y, |s| s.0),
                    p.spread.map_or(p.y, |s| s.1),
                ]
            });
            let title = format!(
                "{title}: {problem}, n = {size}, {threads} thread{}",
                if threads == 1 { "" } else { "s" }
            );
            let chart = Lines {
                title: title.clone(),
                x: Axis::log(baselines.iter().map(|facts| facts.per_piece())),
                y: Axis::log(ys),
                x_title: "unit of work: the baseline's ns per node".into(),
                y_title: y_title.into(),
                lines,
                ideal: None,
                shade: None,
                marks: true,
            };
            figures.push(Figure {
                id: format!("{name}-{kind}"),
                title,
                caption: caption.into(),
                svg: chart.draw(),
            });
        };
        let threads: Vec<usize> = members
            .iter()
            .filter_map(|group| group.threads().first().copied())
            .collect();
        let least = threads.into_iter().min().unwrap_or(1);
        draw(
            "unit-overhead",
            "Overhead per fork",
            "ns per node over the baseline",
            "A level line means that a fork costs the same whatever it forks. What is at most 0.1 ns stands at 0.1 ns; for \
             large units the spread of the baseline itself is larger than a fork's cost.",
            least,
            &|ns, unit| (ns - unit).max(FLOOR),
        );
        draw(
            "unit-share",
            "Overhead as a part of the work",
            "% of the baseline's time",
            "How large the unit must be for forks not to matter. What is at most 0.1 % stands at 0.1 %.",
            least,
            &|ns, unit| ((ns / unit - 1.0) * 100.0).max(FLOOR),
        );
        let full = members
            .iter()
            .filter_map(|group| group.full(experiment.cores()))
            .max();
        if let Some(full) = full.filter(|&full| full > least) {
            draw(
                "unit-speed-up",
                "Speed-up",
                "baseline's median over this one's",
                "From which unit of work on threads pay: above 1 they do.",
                full,
                &|ns, unit| unit / ns,
            );
        }
    }
    figures
}

/// Every tuning against the same contender without one, on the same number of threads.
fn tunings(experiment: &Experiment, group: &Group<'_>) -> Option<Figure> {
    let mut rows: Vec<Dot> = Vec::new();
    let mut legend: Vec<(String, Look)> = Vec::new();
    for series in group
        .series()
        .iter()
        .filter(|series| !series.tuning.is_empty())
    {
        let plain = Series {
            tuning: String::new(),
            ..series.clone()
        };
        for (threads, facts) in group.by_threads(series) {
            let Some(untuned) = group.facts(&plain, threads) else {
                continue;
            };
            let ratio = Ratio::of(&facts.estimate, &untuned.estimate);
            let key = format!("{} ×{threads}", series.contender);
            let known = legend
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, look)| *look);
            let look = known.unwrap_or_else(|| {
                let look = by_threads(&series.contender, legend.len());
                legend.push((key, look));
                look
            });
            let dot = (ratio.value, (ratio.low, ratio.high), look);
            match rows.iter_mut().find(|row| row.name == series.tuning) {
                Some(row) => row.dots.push(dot),
                None => rows.push(Dot {
                    name: series.tuning.clone(),
                    dots: vec![dot],
                }),
            }
        }
    }
    if rows.is_empty() {
        return None;
    }
    let title = format!("Tunings: {}", group.case);
    let chart = Dots {
        title: title.clone(),
        x_title: "median over the untuned one's, less is better".into(),
        rows,
        legend,
        same: 1.0,
    };
    Some(Figure {
        id: slug(&format!("{} {} tunings", experiment.name, group.case.slug())),
        title,
        caption: "Strokes are 95 % intervals of the ratio; one that crosses the line shows no difference.".into(),
        svg: chart.draw(),
    })
}

/// One contender's looks on different numbers of threads.
fn by_threads(contender: &str, number: usize) -> Look {
    const MARKS: [Mark; 6] = [
        Mark::Disc,
        Mark::Square,
        Mark::Up,
        Mark::Diamond,
        Mark::Down,
        Mark::Cross,
    ];
    const CONTENDERS: [&str; 4] = ["sumac-scope", "rayon", "sumac-join", "chili"];
    Look {
        colour: look(CONTENDERS.get(number % 4).unwrap_or(&contender), number).colour,
        mark: MARKS[number % MARKS.len()],
        dash: None,
    }
}

/// Cases with one number of threads each, such as programs.
fn side_by_side(experiment: &Experiment, groups: &[Group<'_>]) -> Option<Figure> {
    let mut rows: Vec<Dot> = Vec::new();
    let mut legend: Vec<(String, Look)> = Vec::new();
    for group in groups.iter().filter(|group| group.threads().len() == 1) {
        let Some(baseline) = group.baseline() else {
            continue;
        };
        let mut dots = Vec::new();
        for series in group
            .series()
            .iter()
            .filter(|s| !s.is_sequential() && s.tuning.is_empty())
        {
            for (_, facts) in group.by_threads(series) {
                let look = look(&series.contender, legend.len());
                if !legend.iter().any(|(name, _)| *name == series.contender) {
                    legend.push((series.contender.clone(), look));
                }
                let ratio = Ratio::of(&baseline.estimate, &facts.estimate);
                dots.push((ratio.value, (ratio.low, ratio.high), look));
            }
        }
        if !dots.is_empty() {
            rows.push(Dot {
                name: group.case.problem.clone(),
                dots,
            });
        }
    }
    if rows.len() < MANY {
        return None;
    }
    let title = format!("Speed-up over the baseline: {}", experiment.name);
    let chart = Dots {
        title: title.clone(),
        x_title: "baseline's median over this one's, more is better".into(),
        rows,
        legend,
        same: 1.0,
    };
    Some(Figure {
        id: slug(&format!("{} side by side", experiment.name)),
        title,
        caption: "Strokes are 95 % intervals of the ratio; the dashed line is the baseline.".into(),
        svg: chart.draw(),
    })
}

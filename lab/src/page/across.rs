//! Figures across the cases of an experiment: tunings against none, and all programs side by side;
//! overhead against the unit of work is in `units.rs`.

use super::cases::{Group, Series, slug};
use super::figure::{Dot, Dots, Figure, Look, Mark, look};
use super::load::Experiment;
use super::units;
use crate::stats::Ratio;

/// From this many cases without a range of threads on, they are shown side by side.
const MANY: usize = 3;

/// Draws what there is to draw across cases.
pub(crate) fn of_experiment(experiment: &Experiment, groups: &[Group<'_>]) -> Vec<Figure> {
    let mut figures = units::of_experiment(experiment, groups);
    figures.extend(groups.iter().filter_map(|group| tunings(experiment, group)));
    figures.extend(side_by_side(experiment, groups));
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
    let alone = |problem| groups.iter().filter(|g| g.case.problem == problem).count() == 1;
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
                name: match alone(group.case.problem.as_str()) {
                    true => group.case.problem.clone(),
                    false => group.case.to_string(),
                },
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

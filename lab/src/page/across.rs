//! Figures across the cases of an experiment: tunings against none, and all programs side by side;
//! overhead against the unit of work is in `units.rs`.

use indexmap::IndexMap;

use super::cases::{Group, Series, slug};
use super::figure::{Dot, Figure, Look, Mark, dots, look};
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

/// Rows of ratios, with what their dots stand for.
#[derive(Default)]
struct Board {
    rows: IndexMap<String, Vec<Dot>>,
    legend: IndexMap<String, Look>,
}

impl Board {
    /// Adds a ratio to the row of this name. `key` is what the legend says of it, with the look that
    /// `look` makes of the entry's number.
    fn dot(&mut self, row: &str, key: String, look: impl Fn(usize) -> Look, ratio: Ratio) {
        let number = self.legend.len();
        let look = *self.legend.entry(key).or_insert_with(|| look(number));
        let dot = (ratio.value, (ratio.low, ratio.high), look);
        self.rows.entry(row.into()).or_default().push(dot);
    }

    fn figure(self, id: &str, [title, x_title, line]: [&str; 3]) -> Figure {
        Figure {
            id: slug(id),
            title: title.into(),
            caption: format!("Strokes are 95 % intervals of the ratio; {line}."),
            svg: dots(title, x_title, &self.rows, &self.legend),
        }
    }
}

/// Every tuning over the untuned one.
fn tunings(experiment: &Experiment, group: &Group<'_>) -> Option<Figure> {
    let mut board = Board::default();
    let tuned = |series: &Series| !series.tuning.is_empty();
    for series in group.series().into_iter().filter(tuned) {
        let plain = Series {
            tuning: String::new(),
            ..series.clone()
        };
        for (threads, facts) in group.by_threads(&series) {
            let Some(untuned) = group.facts(&plain, threads) else {
                continue;
            };
            let ratio = Ratio::of(&facts.estimate, &untuned.estimate);
            let key = format!("{} ×{threads}", series.contender);
            let look = |number| by_threads(&series.contender, number);
            board.dot(&series.tuning, key, look, ratio);
        }
    }
    if board.rows.is_empty() {
        return None;
    }
    let id = format!("{} {} tunings", experiment.name, group.case.slug());
    let words = [
        &format!("Tunings: {}", group.case),
        "median over the untuned one's, less is better",
        "one that crosses the line shows no difference",
    ];
    Some(board.figure(&id, words))
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
    let mut board = Board::default();
    let alone = |problem| groups.iter().filter(|g| g.case.problem == problem).count() == 1;
    let plain = |series: &Series| !series.is_sequential() && series.tuning.is_empty();
    for group in groups.iter().filter(|group| group.threads().len() == 1) {
        let Some(baseline) = group.baseline() else {
            continue;
        };
        let row = match alone(group.case.problem.as_str()) {
            true => group.case.problem.clone(),
            false => group.case.to_string(),
        };
        for series in group.series().into_iter().filter(plain) {
            for (_, facts) in group.by_threads(&series) {
                let ratio = Ratio::of(&baseline.estimate, &facts.estimate);
                let look = |number| look(&series.contender, number);
                board.dot(&row, series.contender.clone(), look, ratio);
            }
        }
    }
    if board.rows.len() < MANY {
        return None;
    }
    let id = format!("{} side by side", experiment.name);
    let words = [
        &format!("Speed-up over the baseline: {}", experiment.name),
        "baseline's median over this one's, more is better",
        "the dashed line is the baseline",
    ];
    Some(board.figure(&id, words))
}

//! The tables of chili's README, made from our results: sums of trees by number of nodes, overhead
//! by number of threads, with what others published below; and the speed-up by unit of work. As
//! Markdown they can be spliced into documents.

use super::cases::{BASELINE, Group, Series, parameter};
use super::load::{Experiment, Loaded};
use crate::elsewhere::{self, Elsewhere};
use crate::table::{Table, digits, grouped, plural, ratio, time};

/// A table with its name for `splice`.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The name.
    pub(crate) name: &'static str,
    /// The heading.
    pub(crate) title: String,
    /// The table.
    pub(crate) table: Table,
    /// What stands below it.
    pub(crate) note: &'static str,
}

impl Summary {
    fn new(name: &'static str, title: String, table: Table) -> Option<Summary> {
        let note = "";
        let summary = Summary {
            name,
            title,
            table,
            note,
        };
        (!summary.table.is_empty()).then_some(summary)
    }

    /// What stands below it in Markdown: the note, and where it is from.
    pub(crate) fn below(&self, experiment: &Experiment) -> String {
        let note = match self.note {
            "" => String::new(),
            note => format!("\n{note}\n"),
        };
        format!("{note}\n{}\n", made_by(experiment))
    }
}

/// The names of the tables there are.
pub(crate) const NAMES: [&str; 4] = ["nodes", "threads", "scaling", "units"];

/// Who has a column: contender, heading.
const COLUMNS: [(&str, &str); 5] = [
    (BASELINE, "Baseline"),
    ("rayon", "rayon"),
    ("chili", "chili"),
    ("sumac-join", "sumac join"),
    ("sumac-scope", "sumac scope"),
];

/// Who a gain is stated for.
const OURS: &str = "sumac-scope";

/// Who is divided by hand.
const BY_HAND: &str = "static-split";

/// The tables for which an experiment has the data.
pub(crate) fn of_experiment(experiment: &Experiment) -> Vec<Summary> {
    let groups = experiment.groups();
    let trees = groups.iter().filter(|group| group.case.problem == "tree");
    let trees: Vec<&Group<'_>> = trees
        .filter(|group| group.case.parameters.is_empty())
        .collect();
    let several = |group: &&&Group<'_>| group.threads().len() > 1 && group.baseline().is_some();
    let mut several = trees.iter().filter(several);
    let all = [
        nodes(experiment, &trees),
        several.next().and_then(|group| threads(NAMES[1], group)),
        several
            .next_back()
            .and_then(|group| threads(NAMES[2], group)),
        units(experiment, &groups),
    ];
    all.into_iter().flatten().collect()
}

/// All tables as Markdown.
pub(crate) fn markdown(loaded: &Loaded) -> String {
    let mut text = String::from("# Tables\n");
    for experiment in &loaded.experiments {
        for summary in of_experiment(experiment) {
            text += &format!(
                "\n## {}: {}\n\n{}",
                experiment.name, summary.title, summary.table
            );
            text += &summary.below(experiment);
        }
    }
    text
}

/// The commands that made an experiment's results, in Markdown.
fn made_by(experiment: &Experiment) -> String {
    let commands = experiment.commands.iter();
    let commands: Vec<String> = commands
        .map(|c| format!("`cargo run --release --features full -- {c}`"))
        .collect();
    let machines = experiment.machines.iter();
    let machines: Vec<String> = machines
        .map(|(m, _)| format!("{}, profile {}", m.in_short(), m.profile))
        .collect();
    format!(
        "Made by {} on {}.",
        commands.join(", "),
        machines.join(" and ")
    )
}

fn plain(contender: &str) -> Series {
    Series {
        contender: contender.into(),
        tuning: String::new(),
    }
}

/// Who of the columns takes part.
fn present(groups: &[&Group<'_>]) -> Vec<(&'static str, &'static str)> {
    let takes_part = |name| {
        groups
            .iter()
            .any(|g| !g.by_threads(&plain(name)).is_empty())
    };
    let mut columns = COLUMNS.to_vec();
    columns.retain(|(name, _)| takes_part(name));
    columns
}

/// A row: what stands first in it, and a cell for each column.
fn row<C>(first: &[String], columns: &[C], cell: impl Fn(&C) -> Option<String>) -> Vec<String> {
    let cells = columns.iter().map(cell);
    let cells = cells.map(|cell| cell.unwrap_or("missing".into()));
    first.iter().cloned().chain(cells).collect()
}

/// Sums of trees by number of nodes, on as many threads as there are cores.
fn nodes(experiment: &Experiment, trees: &[&Group<'_>]) -> Option<Summary> {
    let full = trees
        .iter()
        .filter_map(|group| group.full(experiment.cores()));
    let threads = full.max()?;
    let columns = present(trees);
    let mut head = row(&["Number of nodes".into()], &columns, |(_, name)| {
        Some(name.to_string())
    });
    head.push("Baseline / sumac scope".into());
    let mut table = Table::new(head);
    for group in trees {
        let median = |name: &str| {
            let threads = if name == BASELINE { 1 } else { threads };
            Some(group.facts(&plain(name), threads)?.summary.median)
        };
        let size = grouped(group.case.size);
        let mut cells = row(&[size], &columns, |(name, _)| median(name).map(time));
        let gain = group.baseline().zip(median(OURS));
        let gain = gain.map(|(baseline, ours)| ratio(baseline.summary.median / ours));
        cells.push(gain.map_or("missing".into(), |gain| format!("**{gain}**")));
        table.row(cells);
    }
    let title = format!(
        "Sum of a balanced tree, {}, medians",
        plural(threads, "thread")
    );
    Summary::new(NAMES[0], title, table)
}

/// A tree's time per node by number of threads: the smallest tree's says what forks cost, the
/// largest one's how they scale. What others measured elsewhere stands below.
fn threads(name: &'static str, group: &Group<'_>) -> Option<Summary> {
    let (threads, baseline) = (group.threads(), group.baseline()?);
    let head = ["Per node".to_string(), "Baseline".into()];
    let mut table = Table::new(row(&head, &threads, |&n| Some(plural(n, "thread"))));
    let parallel = present(&[group])
        .into_iter()
        .filter(|(c, _)| *c != BASELINE);
    for (contender, heading) in parallel {
        let first = [heading.to_string(), time(baseline.per_piece())];
        let cell = |&n: &usize| Some(time(group.facts(&plain(contender), n)?.per_piece()));
        table.row(row(&first, &threads, cell));
    }
    let measured = !table.is_empty();
    let mut there = Elsewhere::of(group.case.size).peekable();
    let note = match there.peek() {
        Some(_) if measured => elsewhere::NOTE,
        _ => "",
    };
    for there in there.filter(|_| measured) {
        let first = [there.who.to_string(), time(there.baseline)];
        let cell = |&n: &usize| Some(there.on(n).map_or(String::new(), time));
        table.row(row(&first, &threads, cell));
    }
    let nodes = grouped(group.case.size);
    let title = format!("Sum of {nodes} nodes by number of threads, median per node");
    let summary = Summary::new(name, title, table)?;
    Some(Summary { note, ..summary })
}

/// The cases that differ by their unit of work, smallest first.
fn by_unit<'g, 'a>(groups: &'g [Group<'a>]) -> Vec<&'g Group<'a>> {
    let has_work = |group: &&Group<'_>| {
        parameter(&group.case.parameters, "work").is_some() && group.baseline().is_some()
    };
    groups.iter().filter(has_work).collect()
}

/// What part of the speed-up of a division by hand a fork has to keep to pay.
const KEPT: f64 = 0.9;

/// The smallest of the measured units of work from which on a fork everywhere keeps that part.
pub(super) fn pays(groups: &[Group<'_>], contender: &str, threads: usize) -> Option<f64> {
    let members = by_unit(groups);
    let kept = |group: &&&Group<'_>| {
        let median = |name| Some(group.facts(&plain(name), threads)?.summary.median);
        median(BY_HAND)
            .zip(median(contender))
            .is_some_and(|(hand, own)| hand / own >= KEPT)
    };
    let least = members.iter().rev().take_while(kept).last()?;
    Some(least.baseline()?.per_piece())
}

/// Speed-up on as many threads as there are cores, by unit of work.
fn units(experiment: &Experiment, groups: &[Group<'_>]) -> Option<Summary> {
    let members = by_unit(groups);
    let threads = members
        .iter()
        .filter_map(|g| g.full(experiment.cores()))
        .max()?;
    let mut columns = present(&members);
    columns.retain(|(name, _)| *name != BASELINE);
    columns.push((BY_HAND, "split by hand"));
    let mut table = Table::new(row(&["Work per node".into()], &columns, |(_, name)| {
        Some(name.to_string())
    }));
    for group in &members {
        let baseline = group.baseline()?;
        table.row(row(&[time(baseline.per_piece())], &columns, |(name, _)| {
            let own = group.facts(&plain(name), threads)?.summary.median;
            Some(digits(baseline.summary.median / own))
        }));
    }
    let title = format!(
        "Speed-up over the plain program, {}",
        plural(threads, "thread")
    );
    Summary::new(NAMES[3], title, table)
}

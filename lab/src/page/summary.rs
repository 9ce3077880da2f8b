//! The tables of chili's README, made from our results: sums of trees by number of nodes, overhead
//! by number of threads, with what others published below; and the overhead of a fork by unit of
//! work. As Markdown they can be spliced into documents.

use super::cases::{BASELINE, Group, Series, parameter};
use super::load::{Experiment, Loaded};
use crate::elsewhere::{self, Elsewhere};
use crate::table::{Table, digits, grouped, ratio, time};

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
        units(&groups),
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
    let takes_part = |name: &str| {
        groups
            .iter()
            .any(|group| !group.by_threads(&plain(name)).is_empty())
    };
    COLUMNS
        .into_iter()
        .filter(|(name, _)| takes_part(name))
        .collect()
}

/// Sums of trees by number of nodes, on as many threads as there are cores.
fn nodes(experiment: &Experiment, trees: &[&Group<'_>]) -> Option<Summary> {
    let threads = trees
        .iter()
        .filter_map(|group| group.full(experiment.cores()))
        .max()?;
    let columns = present(trees);
    let mut head = vec!["Number of nodes".to_string()];
    head.extend(columns.iter().map(|(_, name)| name.to_string()));
    head.push("Baseline / sumac scope".into());
    let mut table = Table::new(head);
    for group in trees {
        let find =
            |name: &str| group.facts(&plain(name), if name == BASELINE { 1 } else { threads });
        let mut row = vec![grouped(group.case.size)];
        row.extend(columns.iter().map(|(name, _)| {
            find(name).map_or("missing".into(), |facts| time(facts.summary.median))
        }));
        row.push(match (group.baseline(), find(OURS)) {
            (Some(baseline), Some(ours)) => {
                format!(
                    "**{}**",
                    ratio(baseline.summary.median / ours.summary.median)
                )
            }
            _ => "missing".into(),
        });
        table.row(row);
    }
    let plural = if threads == 1 { "" } else { "s" };
    let title = format!("Sum of a balanced tree, {threads} thread{plural}, medians");
    Summary::new(NAMES[0], title, table)
}

/// A tree's time per node by number of threads: the smallest tree's says what forks cost, the
/// largest one's how they scale. What others measured elsewhere stands below.
fn threads(name: &'static str, group: &Group<'_>) -> Option<Summary> {
    let (threads, baseline) = (group.threads(), group.baseline()?);
    let mut head = vec!["Per node".to_string(), "Baseline".into()];
    head.extend(
        threads
            .iter()
            .map(|n| format!("{n} thread{}", if *n == 1 { "" } else { "s" })),
    );
    let mut table = Table::new(head);
    for (contender, heading) in present(&[group])
        .into_iter()
        .filter(|(c, _)| *c != BASELINE)
    {
        let mut row = vec![heading.to_string(), time(baseline.per_piece())];
        let cell = |&n: &usize| group.facts(&plain(contender), n);
        row.extend(
            threads
                .iter()
                .map(|n| cell(n).map_or("missing".into(), |f| time(f.per_piece()))),
        );
        table.row(row);
    }
    let measured = !table.is_empty();
    let mut there = Elsewhere::of(group.case.size).peekable();
    let note = match there.peek() {
        Some(_) if measured => elsewhere::NOTE,
        _ => "",
    };
    for there in there.filter(|_| measured) {
        let mut row: Vec<String> = there.row(&threads, time).collect();
        row.insert(1, time(there.baseline));
        table.row(row);
    }
    let nodes = grouped(group.case.size);
    let title = format!("Sum of {nodes} nodes by number of threads, median per node");
    let summary = Summary::new(name, title, table)?;
    Some(Summary { note, ..summary })
}

/// What a fork adds on one thread, by unit of work.
fn units(groups: &[Group<'_>]) -> Option<Summary> {
    let with_work = groups
        .iter()
        .filter(|group| parameter(&group.case.parameters, "work").is_some());
    let usable =
        |group: &&Group<'_>| group.baseline().is_some() && group.threads().first() == Some(&1);
    let members: Vec<&Group<'_>> = with_work.filter(usable).collect();
    let columns = present(&members);
    let columns: Vec<_> = columns
        .into_iter()
        .filter(|(name, _)| *name != BASELINE)
        .collect();
    let mut head = vec!["Case".to_string(), "Unit of work".into()];
    head.extend(columns.iter().map(|(_, name)| name.to_string()));
    let mut table = Table::new(head);
    for group in &members {
        let unit = group.baseline()?.per_piece();
        let mut row = vec![group.case.to_string(), time(unit)];
        row.extend(
            columns
                .iter()
                .map(|(name, _)| match group.facts(&plain(name), 1) {
                    Some(facts) => {
                        let over = facts.per_piece() - unit;
                        format!("{} ns ({} %)", digits(over), digits(over / unit * 100.0))
                    }
                    None => "missing".into(),
                }),
        );
        table.row(row);
    }
    let title = "What a fork adds, by unit of work, 1 thread".into();
    Summary::new(NAMES[3], title, table)
}

//! Two result files against each other: which cells got faster or slower, and which of that is not
//! chance. A difference counts if it passes the threshold and is significant after Holm's
//! correction, so that among any number of cells that did not change, the chance of calling even
//! one of them changed is at most 5 %.

use std::collections::{BTreeMap, BTreeSet};

use crate::experiment::distinct;
use crate::page::{Facts, Loaded};
use crate::results::Cell;
use crate::stats::{Ratio, holm};

/// Differences that probable without a change are not called differences.
const CHANCE: f64 = 0.05;

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It takes less time now.
    Faster,
    /// It takes more time now.
    Slower,
    /// Nothing that could be told from chance, or less than the threshold.
    Same,
    /// A single visit on either side says nothing about how processes differ.
    Unknown,
}

/// A cell in both files.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    /// The experiment's name and the cell.
    pub(crate) name: String,
    /// The medians before and after, in nanoseconds per call.
    pub(crate) medians: (f64, f64),
    /// After over before.
    pub(crate) ratio: Ratio,
    /// How probable that is without a change, corrected for the number of cells.
    pub(crate) p: f64,
    /// What is said about it.
    pub(crate) change: Change,
}

/// What two files say together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    /// Cells that both have.
    pub(crate) both: Vec<Compared>,
    /// Cells that only the first has measured.
    pub(crate) only_before: Vec<String>,
    /// Cells that only the second has measured.
    pub(crate) only_after: Vec<String>,
    /// Cells of the second that failed in it.
    pub(crate) failed: Vec<String>,
    /// How machines and versions differ.
    pub(crate) differences: Vec<String>,
}

/// What is known of each cell, by the experiment's name and the cell.
fn facts(loaded: &Loaded) -> BTreeMap<(&str, &Cell), &Facts> {
    let cells = loaded.experiments.iter().flat_map(|experiment| {
        let cells = experiment.cells.iter();
        cells.map(|(cell, tally)| ((&*experiment.name, cell), tally.facts.as_ref()))
    });
    cells
        .filter_map(|(key, facts)| Some((key, facts?)))
        .collect()
}

/// Compares; `threshold` is the part by which a median must change to be worth mentioning.
pub(crate) fn compare(before: &Loaded, after: &Loaded, threshold: f64) -> Comparison {
    let (old, new) = (facts(before), facts(after));
    let name = |experiment: &str, cell: &Cell| format!("{experiment}: {cell}");
    let mut comparison = Comparison {
        differences: differences(before, after),
        ..Comparison::default()
    };
    for (&(experiment, cell), then) in &old {
        match new.get(&(experiment, cell)) {
            None => comparison.only_before.push(name(experiment, cell)),
            Some(now) => comparison.both.push(Compared {
                name: name(experiment, cell),
                medians: (then.summary.median, now.summary.median),
                ratio: Ratio::of(&now.estimate, &then.estimate),
                p: 1.0,
                change: Change::Unknown,
            }),
        }
    }
    let only_after = new.keys().filter(|key| !old.contains_key(key));
    comparison.only_after = only_after
        .map(|(experiment, cell)| name(experiment, cell))
        .collect();
    for experiment in &after.experiments {
        let failed = experiment
            .cells
            .iter()
            .filter(|(_, tally)| !tally.failures.is_empty());
        comparison
            .failed
            .extend(failed.map(|(cell, _)| name(&experiment.name, cell)));
    }
    judge(&mut comparison.both, threshold);
    comparison
}

/// Decides about each cell. Those with one visit are not among those for which chance is corrected.
fn judge(cells: &mut [Compared], threshold: f64) {
    let mut known: Vec<&mut Compared> = cells.iter_mut().filter(|c| c.ratio.between).collect();
    let chances: Vec<f64> = known.iter().map(|c| c.ratio.p).collect();
    for (cell, p) in known.iter_mut().zip(holm(&chances)) {
        cell.p = p;
        let value = cell.ratio.value;
        cell.change = match p < CHANCE {
            true if value > 1.0 + threshold => Change::Slower,
            true if value < 1.0 / (1.0 + threshold) => Change::Faster,
            _ => Change::Same,
        };
    }
}

/// Whether all results are of one profile. Those of different ones are of different programs: what
/// has changed between them says nothing about the source.
///
/// # Errors
///
/// The profiles, if there are several.
pub(crate) fn one_profile(before: &Loaded, after: &Loaded) -> Result<(), String> {
    let experiments = before.experiments.iter().chain(&after.experiments);
    let machines = experiments.flat_map(|experiment| &experiment.machines);
    let profiles: BTreeSet<&str> = machines.map(|(m, _)| m.profile.as_str()).collect();
    if profiles.len() <= 1 {
        return Ok(());
    }
    let profiles: Vec<&str> = profiles.into_iter().collect();
    Err(format!(
        "the results were made with different profiles, which cannot be compared: {}",
        profiles.join("; ")
    ))
}

/// In what the circumstances of two files differ.
fn differences(before: &Loaded, after: &Loaded) -> Vec<String> {
    let experiments = [before, after].map(|loaded| loaded.experiments.iter());
    let [old, new] = experiments.map(|all| distinct(all.flat_map(|e| e.machines.keys())));
    let mut differences = Vec::new();
    for (which, all) in [("first", &old), ("second", &new)] {
        if all.len() > 1 {
            differences.push(format!(
                "the {which} file is from {} machines or versions",
                all.len()
            ));
        }
        if all.iter().any(|machine| !machine.optimised) {
            differences.push(format!("the {which} file was made without optimisation"));
        }
    }
    if let (Some(a), Some(b)) = (old.first(), new.first()) {
        // The build is what is compared.
        let pairs = a.facts().into_iter().zip(b.facts()).take(5);
        let differ = pairs.filter(|(a, b)| a != b);
        let words = differ.map(|((what, a), (_, b))| format!("different {what}: {a}, {b}"));
        differences.extend(words);
    }
    differences
}

#[cfg(test)]
mod tests;

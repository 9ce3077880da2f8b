//! Result files by experiment: visits gathered by cell, with what follows from them. Of several
//! lines about one visit the last one holds, since a visit that failed may have been repeated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use indexmap::{IndexMap, IndexSet};

use super::facts::Facts;
use crate::experiment::distinct;
use crate::machine::Machine;
use crate::results::{self, Cell, FailureKind, Line, Outcome};

/// All that is known of an experiment.
#[derive(Debug, Default)]
pub(crate) struct Experiment {
    /// Its name.
    pub(crate) name: String,
    /// What came of each cell.
    pub(crate) cells: BTreeMap<Cell, Tally>,
    /// Where it ran.
    pub(crate) machines: IndexSet<Machine>,
    /// The commands that asked for it.
    pub(crate) commands: IndexSet<String>,
    /// When its last visit ended, in seconds since 1970.
    ended: u64,
    /// Whether contenders took turns.
    in_turns: bool,
}

impl Experiment {
    /// The commits that it was built from.
    pub(crate) fn commits(&self) -> Vec<String> {
        let machines = self.machines.iter();
        let versions = machines.filter_map(|machine| machine.versions.get("sumac"));
        let commits = versions.map(|version| version.split('+').next_back().unwrap_or(version));
        distinct(commits.map(String::from))
    }

    /// The machines and profiles.
    pub(crate) fn places(&self) -> Vec<String> {
        let place = |m: &Machine| format!("{}, profile {}", m.in_short(), m.profile);
        distinct(self.machines.iter().map(place))
    }

    /// The day on which it ended, where that was recorded.
    pub(crate) fn date(&self) -> String {
        let ended = UNIX_EPOCH + Duration::from_secs(self.ended);
        let day = humantime::format_rfc3339_seconds(ended).to_string();
        day[..if self.ended == 0 { 0 } else { 10 }].into()
    }

    /// Where it is from, in a sentence.
    pub(crate) fn source(&self) -> String {
        let command = |all: &String| match all.starts_with("run ") {
            true => format!("`lab run {}`", self.name),
            false => format!("`lab {all}`"),
        };
        let commands = distinct(self.commands.iter().map(command)).join(" and ");
        let (commits, places) = (self.commits().join(" and "), self.places().join("; "));
        let day = format!(" on {}", self.date());
        let day = day.trim_end_matches(" on ");
        let turns = ["", ", in turns"][usize::from(self.in_turns)];
        format!("Measured{day} at commit {commits} by {commands}{turns}: {places}.")
    }
}

/// What came of a cell.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// What follows from its visits, unless all of them failed.
    pub(crate) facts: Option<Facts>,
    /// The visits that failed.
    pub(crate) failures: Vec<(FailureKind, String)>,
    /// How many cores others used during each visit, where it is known.
    pub(crate) others: Vec<f64>,
}

/// Experiments, in the order in which they were met, and what was wrong with the files.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// The folder that they are of, such as `amd-epyc-2`, or nothing.
    pub(crate) machine: String,
    /// The experiments.
    pub(crate) experiments: Vec<Experiment>,
    /// What was wrong and could be borne.
    pub(crate) warnings: Vec<String>,
}

impl Loaded {
    /// The experiment of this name.
    pub(crate) fn experiment(&self, name: &str) -> Option<&Experiment> {
        let mut experiments = self.experiments.iter();
        experiments.find(|experiment| experiment.name == name)
    }
}

/// Reads result files.
///
/// # Errors
///
/// A file does not exist, cannot be read, or is damaged before its last line.
pub(crate) fn load(files: &[PathBuf]) -> Result<Loaded, String> {
    let mut loaded = Loaded::default();
    let mut gathered: IndexMap<String, Vec<Line>> = IndexMap::new();
    for file in files {
        let (name, contents) = (file.display(), results::read(file)?);
        loaded.warnings.extend(contents.warning);
        match contents.lines.is_empty() {
            true if !file.exists() => return Err(format!("{name} does not exist")),
            true => loaded.warnings.push(format!("{name} holds no result")),
            false => {}
        }
        for line in contents.lines {
            let own = gathered.entry(line.experiment.clone()).or_default();
            own.push(line);
        }
    }
    let experiments = gathered.into_iter();
    let all = experiments.map(|(name, lines)| experiment(name, lines));
    loaded.experiments = all.collect();
    Ok(loaded)
}

/// Reads the experiment of this name from a result file, and says what was wrong with its end.
///
/// # Errors
///
/// The file cannot be read, or holds no such results.
pub(crate) fn load_one(file: &Path, name: &str) -> Result<Experiment, String> {
    let loaded = load(&[file.to_path_buf()])?;
    for warning in &loaded.warnings {
        eprintln!("lab: warning: {warning}");
    }
    let mut experiments = loaded.experiments.into_iter();
    let found = experiments.find(|experiment| experiment.name == name);
    found.ok_or_else(|| format!("{} holds no result of `lab {name}`", file.display()))
}

/// What all lines of an experiment say.
pub(crate) fn experiment(name: String, lines: Vec<Line>) -> Experiment {
    let mut experiment = Experiment {
        name,
        ..Experiment::default()
    };
    let mut visits: BTreeMap<Cell, BTreeMap<u32, Outcome>> = BTreeMap::new();
    for line in lines {
        experiment.ended = experiment.ended.max(line.ended_at);
        experiment.in_turns |= line.in_turns;
        let tally = experiment.cells.entry(line.cell.clone()).or_default();
        tally.others.extend(line.cores_of_others);
        experiment.commands.insert(line.command.join(" "));
        experiment.machines.insert(line.machine);
        let rounds = visits.entry(line.cell).or_default();
        rounds.insert(line.round, line.outcome);
    }
    for (cell, rounds) in visits {
        let (tally, mut measured) = (experiment.cells.entry(cell).or_default(), Vec::new());
        for outcome in rounds.into_values() {
            match outcome {
                Outcome::Failed { kind, message } => tally.failures.push((kind, message)),
                Outcome::Measured(visit) => measured.push(*visit),
            }
        }
        tally.facts = Facts::of(&measured);
    }
    experiment
}

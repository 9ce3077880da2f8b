//! Result files by experiment: visits gathered by cell, with what follows from them. Of several
//! lines about one visit the last one holds, since a visit that failed may have been repeated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};

use super::facts::Facts;
use crate::cells::Document;
use crate::experiment::distinct;
use crate::machine::Machine;
use crate::results::{self, Cell, FailureKind, Line, Measured, Outcome};

/// All that is known of an experiment.
#[derive(Debug)]
pub(crate) struct Experiment {
    /// Its name.
    pub(crate) name: String,
    /// What its description says of it.
    pub(crate) about: Option<String>,
    /// What came of each cell.
    pub(crate) cells: BTreeMap<Cell, Tally>,
    /// Where it ran, with the number of visits.
    pub(crate) machines: IndexMap<Machine, usize>,
    /// The commands that asked for it.
    pub(crate) commands: IndexSet<String>,
    /// When its first visit ended, in seconds since 1970.
    pub(crate) began: u64,
    /// When its last visit ended.
    pub(crate) ended: u64,
    /// The files it was read from.
    pub(crate) files: Vec<PathBuf>,
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
    /// The experiments.
    pub(crate) experiments: Vec<Experiment>,
    /// What was wrong and could be borne.
    pub(crate) warnings: Vec<String>,
}

/// Reads result files.
///
/// # Errors
///
/// A file does not exist, cannot be read, or is damaged before its last line.
pub(crate) fn load(files: &[PathBuf]) -> Result<Loaded, String> {
    let mut loaded = Loaded::default();
    let mut gathered: IndexMap<String, (Vec<Line>, Vec<PathBuf>)> = IndexMap::new();
    for file in files {
        if !file.exists() {
            return Err(format!("{} does not exist", file.display()));
        }
        let contents = results::read(file)?;
        loaded.warnings.extend(contents.warning);
        if contents.lines.is_empty() {
            loaded
                .warnings
                .push(format!("{} holds no result", file.display()));
        }
        for line in contents.lines {
            let (lines, sources) = gathered.entry(line.experiment.clone()).or_default();
            lines.push(line);
            sources.push(file.clone());
        }
    }
    for (name, (lines, files)) in gathered {
        let experiment = experiment(name, lines, distinct(files));
        loaded.experiments.push(experiment);
    }
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
pub(crate) fn experiment(name: String, lines: Vec<Line>, files: Vec<PathBuf>) -> Experiment {
    let mut experiment = Experiment {
        about: about(Path::new("experiments"), &name),
        name,
        cells: BTreeMap::new(),
        machines: IndexMap::new(),
        commands: IndexSet::new(),
        began: u64::MAX,
        ended: 0,
        files,
    };
    let mut visits: BTreeMap<(Cell, u32), Outcome> = BTreeMap::new();
    for line in lines {
        experiment.began = experiment.began.min(line.ended_at);
        experiment.ended = experiment.ended.max(line.ended_at);
        let tally = experiment.cells.entry(line.cell.clone()).or_default();
        tally.others.extend(line.cores_of_others);
        experiment.commands.insert(line.command.join(" "));
        *experiment.machines.entry(line.machine).or_default() += 1;
        visits.insert((line.cell, line.round), line.outcome);
    }
    let mut measured: BTreeMap<Cell, Vec<Measured>> = BTreeMap::new();
    for ((cell, _), outcome) in visits {
        let tally = experiment.cells.entry(cell.clone()).or_default();
        match outcome {
            Outcome::Failed { kind, message } => tally.failures.push((kind, message)),
            Outcome::Measured(visit) => measured.entry(cell).or_default().push(*visit),
        }
    }
    for (cell, visits) in measured {
        let tally = experiment.cells.entry(cell).or_default();
        tally.facts = Facts::of(&visits);
    }
    experiment
}

/// What `experiments/NAME.toml` says about itself, if it is there and says something.
fn about(folder: &Path, name: &str) -> Option<String> {
    let document = Document::read(&folder.join(name).with_extension("toml"));
    Some(document.ok()?.about.trim().into())
}

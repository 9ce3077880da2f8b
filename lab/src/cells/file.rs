//! The file of an experiment, as it is written. All of a block's fields may be changed by its own
//! `quick` and by the file's, which `--quick` puts on top. What the fields mean is in
//! `lab/README.md`.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::file;
use crate::names::unknown;
use crate::started::STARTED;

/// Where experiments are, below the root of the project.
const FOLDER: &str = "experiments";

/// An experiment's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// The question, in a sentence.
    pub(crate) about: String,
    /// What to measure.
    pub(crate) cells: Vec<Block>,
    /// What `--quick` changes in every block.
    #[serde(default)]
    pub(crate) quick: Block,
}

/// Cells that are described together, or what changes them.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Block {
    pub(crate) problem: Option<String>,
    pub(crate) problems: Option<Vec<String>>,
    pub(crate) sizes: Option<Vec<u64>>,
    pub(crate) size_per_thread: Option<u64>,
    pub(crate) parameters: Option<BTreeMap<String, Vec<u64>>>,
    pub(crate) threads: Option<Vec<Threads>>,
    pub(crate) contenders: Option<Vec<String>>,
    pub(crate) tuning: Option<Vec<String>>,
    pub(crate) together: Option<bool>,
    pub(crate) rounds: Option<u32>,
    pub(crate) samples: Option<u32>,
    pub(crate) visit_seconds: Option<f64>,
    pub(crate) warm_up_ms: Option<f64>,
    pub(crate) timeout_seconds: Option<f64>,
    pub(crate) quick: Option<Box<Block>>,
}

/// A number of threads, or `"cores"`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "a number of threads or \"cores\"")]
pub(crate) enum Threads {
    Number(i64),
    Word(String),
}

impl Block {
    /// This block with all that the other one says put on top.
    pub(crate) fn changed_by(&self, change: &Block) -> Block {
        let table = |block| Table::try_from(block).expect("a block is a table");
        let mut own = table(self);
        for (name, new) in table(change) {
            match (own.get_mut(&name), new) {
                // Parameters are changed one by one.
                (Some(Value::Table(own)), Value::Table(new)) => own.extend(new),
                (_, new) => drop(own.insert(name, new)),
            }
        }
        own.try_into().expect("blocks make a block")
    }
}

/// The file of an experiment that was named, and the folder below which its results go: a path as
/// it is, with results here; a name from the nearest `experiments` folder here or above, with
/// results beside that.
pub(crate) fn locate(named: &str) -> Result<(PathBuf, PathBuf), String> {
    if named.ends_with(".toml") || named.contains('/') {
        return Ok((named.into(), PathBuf::new()));
    }
    let here = env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    let folder = |root: &&Path| root.join(FOLDER).is_dir();
    let root = here
        .ancestors()
        .find(folder)
        .ok_or_else(|| format!("there is no folder {FOLDER} here or above to look for {named}"))?;
    let path = root.join(FOLDER).join(format!("{named}.toml"));
    if path.is_file() {
        let shorter = |path: &Path| path.strip_prefix(&here).unwrap_or(path).to_path_buf();
        return Ok((shorter(&path), shorter(root)));
    }
    let known = file::ending(&root.join(FOLDER), "toml").into_iter();
    let known = known.filter_map(|path| Some(path.file_stem()?.to_str()?.to_string()));
    let known: Vec<String> = known.collect();
    let known = known.iter().map(String::as_str);
    let programs = STARTED.iter().map(|started| started.name);
    Err(unknown("experiment", named, known.chain(programs)))
}

//! Builds what the list names both ways, looks whether the builds differ by the scheduler alone,
//! and runs the crates' own tests. What is ready is kept, so that programs can be run without
//! cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::list::FOLDER;
use super::{Entry, List, input, pbbs};
use crate::cells::run_process;
use crate::experiment::Failure;
use crate::file::save;
use crate::machine;
use crate::patched::{Pair, Under, cargo, said};
use crate::tied;

/// After which a build of one crate has failed, and the tests of one.
const BUILD_LIMIT: Duration = Duration::from_secs(900);
const TEST_LIMIT: Duration = Duration::from_secs(300);

/// Where things are built.
#[derive(Debug)]
pub(crate) struct Shop {
    pair: Pair,
}

/// The two programs of a crate, and what is known of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ready {
    /// The programs.
    pub(crate) programs: BTreeMap<Under, PathBuf>,
    /// How many packages both are made of, the schedulers aside.
    pub(crate) common: usize,
    /// What the crate's own tests said, where they were run.
    pub(crate) tests: BTreeMap<Under, Tested>,
}

/// What tests said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tested {
    /// How many passed.
    pub(crate) passed: usize,
    /// Those that did not, or what became of the program.
    pub(crate) failed: BTreeSet<String>,
}

impl Shop {
    /// Lays everything out in a folder, with the versions of `field/Cargo.lock`; finds versions for
    /// what that lacks, and keeps them there.
    ///
    /// # Errors
    ///
    /// Cargo cannot have a package, or the versions are not those of the list.
    pub(crate) fn open(folder: &Path, list: &List) -> Result<Shop, Failure> {
        let mut members = Vec::new();
        for entry in &list.crates {
            let source = match entry.is_copied() {
                true => Some(source(&folder.join("sources"), entry)?),
                false => None,
            };
            members.extend(entry.members(source));
        }
        let lock = Path::new(FOLDER).join("Cargo.lock");
        let pair = Pair::lay_out(folder, &members, Some(&lock), BUILD_LIMIT)?;
        Ok(Shop { pair })
    }

    /// Lays RPB out in a folder, from a clone, with the versions of `field/rpb/Cargo.lock`.
    ///
    /// # Errors
    ///
    /// It is no clone, or cargo cannot have a package.
    pub(crate) fn of_rpb(folder: &Path, clone: &Path) -> Result<Shop, Failure> {
        let lock = Path::new(FOLDER).join("rpb/Cargo.lock");
        let pair = Pair::of_clone(folder, clone, &lock, BUILD_LIMIT)?;
        Ok(Shop { pair })
    }

    /// Builds a crate's programs and its tests, and runs those.
    ///
    /// # Errors
    ///
    /// Something does not build, or the builds differ by more than the scheduler.
    pub(crate) fn make(&self, entry: &Entry) -> Result<Ready, Failure> {
        let package = entry.package();
        let mut ready = Ready {
            programs: BTreeMap::new(),
            common: self.pair.proof(&package)?,
            tests: BTreeMap::new(),
        };
        for under in Under::BOTH {
            let built = self.pair.build(under, &package)?;
            let mut programs = built.into_iter();
            let program = programs.find(|(name, _)| *name == entry.target());
            let none = || Failure::Other(format!("it has no program {}", entry.target()));
            let (_, program) = program.ok_or_else(none)?;
            ready.programs.insert(under, program);
            if let Some(words) = &entry.tests {
                ready
                    .tests
                    .insert(under, self.test(under, &entry.name, words)?);
            }
        }
        Ok(ready)
    }

    fn test(&self, under: Under, package: &str, words: &[String]) -> Result<Tested, Failure> {
        let built = self.pair.build_tests(under, package, words)?;
        let mut tested = Tested::default();
        for (name, program) in built {
            let place = self.pair.member(under, package);
            // As cargo does, but killed with us.
            let mut command = tied::command(program);
            command
                .current_dir(&place)
                .env("CARGO_MANIFEST_DIR", &place);
            let ended = run_process(command, &[], TEST_LIMIT)?;
            let before = tested.failed.len();
            let printed = ended.printed.as_deref().unwrap_or_default();
            tested.read(&String::from_utf8_lossy(printed));
            let is_said = ended.printed.is_some() && tested.failed.len() > before;
            match ended.output() {
                Err(Failure::Interrupted) => return Err(Failure::Interrupted),
                Err(why) if !is_said => drop(tested.failed.insert(format!("{name}: {why}"))),
                _ => {}
            }
        }
        Ok(tested)
    }

    /// What was ready before.
    pub(crate) fn shelf(folder: &Path) -> BTreeMap<String, Ready> {
        let text = fs::read(folder.join("ready.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Keeps what is ready.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) fn put(folder: &Path, ready: &BTreeMap<String, Ready>) -> Result<(), Failure> {
        let text = serde_json::to_vec(ready)?;
        save(&folder.join("ready.json"), &text).map_err(Failure::Other)
    }

    /// The folder of the inputs, which are made if they are not there.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(crate) fn inputs(folder: &Path, of_rpb: bool) -> Result<PathBuf, Failure> {
        let inputs = folder.join(if of_rpb { "inputs" } else { "tree" });
        let made = match of_rpb {
            true => input::make(&inputs, |folder| pbbs::fill(folder, pbbs::SIZES)),
            false => input::make(&inputs, input::tree),
        };
        made.map_err(|why| Failure::Other(format!("{}: {why}", inputs.display())))?;
        Ok(inputs)
    }
}

impl Tested {
    /// Adds what a test program printed.
    pub(super) fn read(&mut self, printed: &str) {
        for line in printed.lines() {
            let Some(words) = line.strip_prefix("test ") else {
                continue;
            };
            if let Some(result) = words.strip_prefix("result: ") {
                let passed = result
                    .split_once(". ")
                    .and_then(|(_, counts)| counts.split(' ').next());
                self.passed += passed.and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
            } else if let Some((name, "FAILED")) = words.rsplit_once(" ... ") {
                self.failed.insert(name.into());
            }
        }
    }
}

/// Cargo's folder of a crate's sources, which are fetched if they are not there.
fn source(folder: &Path, entry: &Entry) -> Result<PathBuf, Failure> {
    let name = format!("{}-{}", entry.name, entry.version);
    if let Some(there) = find(&name) {
        return Ok(there);
    }
    let manifest = format!(
        "[package]\nname = \"source\"\nedition = \"2021\"\n[lib]\npath = \"source.rs\"\n\
         [dependencies]\n{} = {{ version = \"={}\", default-features = false }}\n[workspace]\n",
        entry.name, entry.version
    );
    let place = folder.join(&name);
    save(&place.join("Cargo.toml"), manifest.as_bytes())?;
    save(&place.join("source.rs"), b"")?;
    let mut command = cargo();
    command
        .current_dir(&place)
        .args(["fetch", "--quiet", "--target", machine::TARGET]);
    said(command, BUILD_LIMIT)?;
    find(&name).ok_or_else(|| Failure::Other(format!("cargo has no sources of {name}")))
}

/// The folder of this name among the sources that cargo keeps.
fn find(name: &str) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    let folders = registries.filter_map(|entry| Some(entry.ok()?.path().join(name)));
    folders
        .into_iter()
        .find(|folder| folder.join("Cargo.toml").exists())
}

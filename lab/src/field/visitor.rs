//! Visits to the two programs of a crate, each a run of one of them. Before the first one both are
//! looked at: each runs on its own scheduler, and both print the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::visit::{Visited, visit};
use super::{Entry, Ready};
use crate::cells::Planned;
use crate::experiment::Failure;
use crate::patched::{ANNOUNCE, Under, announced};
use crate::results::{FailureKind, Measured, Outcome};

/// Makes visits.
#[derive(Debug)]
pub(crate) struct Visitor<'v> {
    /// The crates.
    pub(crate) crates: &'v [&'v Entry],
    /// Their programs.
    pub(crate) shelf: &'v BTreeMap<String, Ready>,
    /// Where what they print is kept.
    pub(crate) folder: &'v Path,
    /// The folder that some of them look at.
    pub(crate) inputs: &'v Path,
    /// What was seen of a crate when it was looked at last.
    pub(crate) looked: Option<(String, Seen)>,
}

/// What both programs print, and the most threads of each at once.
type Seen = (Vec<u8>, BTreeMap<Under, usize>);

impl Visitor<'_> {
    /// Runs a program.
    ///
    /// # Errors
    ///
    /// Something is wrong with it, or the user wants no more.
    pub(crate) fn visit(&mut self, planned: &Planned) -> Result<Outcome, Failure> {
        let (cell, limit) = (&planned.cell, planned.timeout);
        let known = self.crates.iter().find(|e| e.title() == cell.problem);
        let mut both = Under::BOTH.into_iter();
        let under = both.find(|under| under.to_string() == cell.contender);
        let (Some(entry), Some(under)) = (known, under) else {
            return Err(Failure::Usage(format!("there is no {cell}")));
        };
        let ready = &self.shelf[&entry.name];
        if self
            .looked
            .as_ref()
            .is_none_or(|(of, _)| *of != cell.problem)
        {
            let seen = self.look(entry, ready, limit)?;
            self.looked = Some((cell.problem.clone(), seen));
        }
        let visited = self.run(entry, ready, (under, limit), false)?;
        let (_, (expected, threads)) = self.looked.as_ref().expect("it was looked at");
        if visited.printed != *expected {
            return Err(wrong(under, "prints something else than before"));
        }
        let ns = |seconds: f64| (seconds * 1e9).round();
        let Visited { taken, rounds, .. } = visited;
        // The CPU time is that of the whole process, reading and warming up included.
        let (walls, cpu) = match &rounds[..] {
            [] => (vec![taken.wall], Some(taken.cpu)),
            rounds => (rounds.to_vec(), None),
        };
        let wall = walls.iter().sum::<f64>() / walls.len() as f64;
        let bytes = fs::metadata(&ready.programs[&under])?.len();
        let further = [
            ("wall", Some(ns(wall))),
            ("cpu", cpu.map(ns)),
            ("memory", Some(taken.memory as f64)),
            ("threads", threads.get(&under).map(|&n| n as f64)),
            ("packages", Some(ready.common as f64)),
            ("bytes", Some(bytes as f64)),
            ("tests", ready.tests.get(&under).map(|t| t.passed as f64)),
        ];
        let known = further
            .into_iter()
            .filter_map(|(name, n)| Some((name.into(), n?)));
        Ok(Outcome::Measured(Box::new(Measured {
            pieces: 1,
            batch: 1,
            samples: walls.into_iter().map(ns).collect(),
            further: known.collect(),
            ..Measured::default()
        })))
    }

    /// Looks at both programs.
    fn look(&self, entry: &Entry, ready: &Ready, limit: Duration) -> Result<Seen, Failure> {
        compare_tests(ready)?;
        let mut seen: Seen = Default::default();
        for under in Under::BOTH {
            let visited = self.run(entry, ready, (under, limit), true)?;
            let is_first = seen.1.is_empty();
            seen.1.insert(under, visited.taken.threads);
            let why = match (announced(&visited.said), under) {
                (true, Under::Rayon) => "is run by sumac",
                (false, Under::Sumac) => "is not run by sumac",
                _ if visited.printed.is_empty() => "prints nothing",
                _ if !is_first && visited.printed != seen.0 => "prints something else",
                _ => {
                    seen.0 = visited.printed;
                    continue;
                }
            };
            return Err(wrong(under, why));
        }
        Ok(seen)
    }

    fn run(
        &self,
        entry: &Entry,
        ready: &Ready,
        (under, limit): (Under, Duration),
        look: bool,
    ) -> Result<Visited, Failure> {
        let printed = self.folder.join("printed");
        fs::create_dir_all(&printed)?;
        let printed = printed.join(format!("{}.{under}", entry.name));
        let inputs = self.inputs.display().to_string();
        let output = printed.with_extension(format!("{under}.output"));
        let filled = |word: &String| {
            let word = word.replace("{output}", &output.display().to_string());
            word.replace("{inputs}", &inputs)
        };
        let arguments: Vec<String> = entry.arguments.iter().map(filled).collect();
        if output.exists() {
            fs::remove_file(&output)?;
        }
        let announce = [(ANNOUNCE, "1")];
        let environment = if look { &announce[..] } else { &[] };
        let program = &ready.programs[&under];
        let visited = visit(program, &arguments, (&printed, limit), environment, look);
        let visited = visited.map_err(|why| match why {
            Failure::Process(kind, why) => {
                Failure::Process(kind, format!("with {under} it fails: {why}"))
            }
            why => why,
        })?;
        if !entry.writes() {
            return Ok(visited);
        }
        let (rounds, written) =
            written(&entry.name, &visited.printed, &output).map_err(|why| wrong(under, why))?;
        Ok(Visited {
            printed: written,
            rounds,
            ..visited
        })
    }
}

/// The seconds of a program's rounds, of which it prints a line each, and what it wrote.
pub(super) fn written(
    name: &str,
    printed: &[u8],
    output: &Path,
) -> Result<(Vec<f64>, Vec<u8>), &'static str> {
    let printed = String::from_utf8_lossy(printed);
    let own = |line: &str| line.strip_prefix(name)?.strip_prefix(":\t")?.parse().ok();
    let rounds: Vec<f64> = printed.lines().filter_map(own).collect();
    match fs::read(output) {
        Err(_) => Err("writes nothing"),
        Ok(_) if rounds.is_empty() => Err("prints no times"),
        Ok(written) => Ok((rounds, written)),
    }
}

fn wrong(under: Under, why: &str) -> Failure {
    Failure::Process(FailureKind::WrongAnswer, format!("with {under} it {why}"))
}

/// Whether tests fail with sumac that do not with rayon.
fn compare_tests(ready: &Ready) -> Result<(), Failure> {
    let [plain, patched] = [Under::Rayon, Under::Sumac].map(|under| ready.tests.get(&under));
    let (Some(plain), Some(patched)) = (plain, patched) else {
        return Ok(());
    };
    let failed = patched.failed.difference(&plain.failed);
    let failed: Vec<&str> = failed.map(String::as_str).collect();
    match (failed.is_empty(), patched.passed, plain.passed) {
        (false, ..) => {
            let why = format!("fails its tests: {}", failed.join(", "));
            Err(wrong(Under::Sumac, &why))
        }
        (_, now, then) if now < then => {
            let why = format!("passes {now} of its tests, with rayon {then}");
            Err(wrong(Under::Sumac, &why))
        }
        _ => Ok(()),
    }
}

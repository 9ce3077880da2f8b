//! Both programs of a crate in turn: one run of each that is looked at, then rounds that are timed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::visit::{Taken, Visited, visit};
use super::{Entry, Found, Ready};
use crate::experiment::{Failure, order};
use crate::machine::Machine;
use crate::others::Watch;
use crate::patched::{ANNOUNCE, Under, announced};

/// How often programs are run, and after which a run has failed.
pub(crate) type Manner = (usize, Duration);

/// Runs both programs, and compares. What is wrong is in what is returned.
///
/// # Errors
///
/// The user wants no more, or there is no place for what the programs print.
pub(crate) fn measure(
    entry: &Entry,
    ready: &Ready,
    folder: &Path,
    tree: &Path,
    (rounds, limit): Manner,
) -> Result<Found, Failure> {
    let watch = Watch::start();
    let mut found = Found {
        name: entry.name.clone(),
        version: entry.version.clone(),
        program: entry.binary.clone(),
        // Where the programs are is this machine's business.
        ready: Ready {
            programs: BTreeMap::new(),
            ..ready.clone()
        },
        taken: BTreeMap::new(),
        threads: BTreeMap::new(),
        failed: failed_tests(ready),
        cores_of_others: None,
        machine: Machine::this(),
    };
    let tree = tree.display().to_string();
    let replaced = entry
        .arguments
        .iter()
        .map(|word| word.replace("{tree}", &tree));
    let arguments: Vec<String> = replaced.collect();
    let prints = folder.join("printed");
    fs::create_dir_all(&prints)
        .map_err(|why| Failure::Other(format!("{}: {why}", prints.display())))?;
    let visit = |under: Under, look: bool| {
        let printed = prints.join(format!("{}.{under}", entry.name));
        let announce = [(ANNOUNCE, "1")];
        let environment = if look { &announce[..] } else { &[] };
        let how = (&*printed, limit);
        let visited = visit(&ready.programs[&under], &arguments, how, environment, look);
        visited.map_err(|why| match why {
            Failure::Interrupted => why,
            why => wrong(under, &format!("fails: {why}")),
        })
    };
    match compare(&visit, rounds, &mut found) {
        Err(Failure::Interrupted) => return Err(Failure::Interrupted),
        Err(why) => found.failed.push(why.to_string()),
        Ok(()) => {}
    }
    found.cores_of_others = watch.cores_of_others();
    Ok(found)
}

fn wrong(under: Under, why: &str) -> Failure {
    Failure::Other(format!("with {under} it {why}"))
}

fn compare(
    visit: &dyn Fn(Under, bool) -> Result<Visited, Failure>,
    rounds: usize,
    found: &mut Found,
) -> Result<(), Failure> {
    let mut expected = None;
    for under in Under::BOTH {
        let visited = visit(under, true)?;
        if announced(&visited.said) != (under == Under::Sumac) {
            let why = match under {
                Under::Rayon => "is run by sumac",
                Under::Sumac => "is not run by sumac",
            };
            return Err(wrong(under, why));
        }
        found.threads.insert(under, visited.taken.threads);
        let expected: &Vec<u8> = expected.get_or_insert(visited.printed.clone());
        if visited.printed.is_empty() {
            return Err(wrong(under, "prints nothing"));
        }
        if visited.printed != *expected {
            return Err(wrong(under, "prints something else"));
        }
    }
    let mut taken: BTreeMap<Under, Vec<Taken>> = BTreeMap::new();
    for round in 0..rounds {
        for place in order(2, round) {
            let under = Under::BOTH[place];
            let visited = visit(under, false)?;
            if Some(&visited.printed) != expected.as_ref() {
                return Err(wrong(under, "prints something else than before"));
            }
            taken.entry(under).or_default().push(visited.taken);
        }
    }
    found.taken = taken;
    Ok(())
}

/// Tests that fail with sumac and not with rayon.
fn failed_tests(ready: &Ready) -> Vec<String> {
    let (Some(plain), Some(patched)) = (
        ready.tests.get(&Under::Rayon),
        ready.tests.get(&Under::Sumac),
    ) else {
        return Vec::new();
    };
    let mut failed: Vec<String> = patched
        .failed
        .difference(&plain.failed)
        .map(|test| format!("with sumac its test fails: {test}"))
        .collect();
    if failed.is_empty() && patched.passed < plain.passed {
        failed.push(format!(
            "with sumac {} of its tests pass, with rayon {}",
            patched.passed, plain.passed
        ));
    }
    failed
}

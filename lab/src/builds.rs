//! What a fork costs in each of the builds that users make. The program that is measured is the
//! package `sumac-builds` (`lab/builds`), which cargo builds once for each; that package's binary
//! drives and prints, a fact a line, and is what is read here.

use std::process::Command;
use std::time::Duration;

use indexmap::IndexMap;

use crate::contender::Id;
use crate::experiment::{Failure, Record, Who};
use crate::patched::{cargo, said};

/// The build that cargo makes unless told otherwise.
pub(crate) const DEFAULT: &str = "default";
/// The mode of records that are instructions.
pub(crate) const COUNTED: &str = "instructions";
/// The mode of records that are nanoseconds, one sample a round; in a round of a build every
/// contender ran once, in one process.
pub(crate) const TIMED: &str = "time";
/// After which cargo and what it has built have failed.
const LIMIT: Duration = Duration::from_secs(3600);
/// Who, by the names that the package knows them under: a node of the tree, and at last a whole
/// loop over ten numbers.
const WHO: [&str; 6] = ["plain", "scope", "join", "chili", "rayon", "sum"];

/// Counts in the builds of these names, or in all if none is named; nothing where valgrind does not
/// run.
///
/// # Errors
///
/// There is no cargo, or a build cannot be made.
pub(crate) fn instructions(builds: &[&str]) -> Result<Vec<Record>, Failure> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(Vec::new());
    }
    records(&harness(&[&["instructions"], builds].concat())?, COUNTED)
}

/// Times every contender in every build.
///
/// # Errors
///
/// As `instructions`.
pub(crate) fn times(rounds: usize, threads: &[usize]) -> Result<Vec<Record>, Failure> {
    let mut words = vec!["times".to_string(), rounds.to_string()];
    words.extend(threads.iter().map(usize::to_string));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    records(&harness(&words)?, TIMED)
}

/// A record for each build, contender and number of threads of the lines `BUILD CONTENDER COUNT`
/// and `BUILD CONTENDER THREADS NANOSECONDS`.
fn records(text: &str, mode: &str) -> Result<Vec<Record>, Failure> {
    // A build, who, and threads.
    type Place<'t> = (&'t str, &'static str, usize);
    let mut all: IndexMap<Place<'_>, Vec<f64>> = IndexMap::new();
    for line in text.lines() {
        let read = || {
            let (build, who, threads, sample) = match line.split(' ').collect::<Vec<_>>()[..] {
                [build, who, sample] => (build, who, 1, sample),
                [build, who, threads, sample] => (build, who, threads.parse().ok()?, sample),
                _ => return None,
            };
            let who = WHO.into_iter().find(|known| *known == who)?;
            Some(((build, who, threads), sample.parse().ok()?))
        };
        let unexpected = || format!("sumac-builds printed what it must not: {line}");
        let (key, sample) = read().ok_or_else(unexpected)?;
        all.entry(key).or_default().push(sample);
    }
    let record = |((build, who, threads), samples)| {
        Record::new(build, mode, (Who::Named(who), threads), 1, samples)
    };
    Ok(all.into_iter().map(record).collect())
}

/// The count of a contender of the lab's.
pub(crate) fn count_of(records: &[Record], who: Id) -> Option<f64> {
    let name = match who {
        Id::Baseline => "plain",
        Id::SumacScope => "scope",
        Id::SumacJoin => "join",
        Id::Chili => "chili",
        Id::Rayon => "rayon",
        _ => return None,
    };
    let mut records = records.iter();
    records
        .find(|record| record.contender == Who::Named(name))
        .map(Record::median)
}

/// What the package's binary prints.
fn harness(words: &[&str]) -> Result<String, Failure> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/builds/Cargo.toml");
    let run = ["run", "--quiet", "--release", "--package", "sumac-builds"];
    let mut command = cargo();
    command.args(run).args(["--manifest-path", manifest, "--"]);
    command.args(words);
    let made = "the builds are made by cargo, from the source";
    said(command, LIMIT).map_err(|why| why.of(made.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_records() {
        let text = "default scope 36.0\ndefault plain 19.0\ncdylib scope 36.5";
        let counts = records(text, COUNTED).expect("lines that are printed");
        assert_eq!(counts.len(), 3);
        assert_eq!(counts[2].samples, [36.5]);
        let text = "default scope 1 2.5\ndefault scope 32 3.5\ndefault scope 1 2.75";
        let times = records(text, TIMED).expect("lines that are printed");
        let times: Vec<_> = times.iter().map(|r| (r.threads, &r.samples[..])).collect();
        assert_eq!(times, [(1, &[2.5, 2.75][..]), (32, &[3.5])]);
        for line in [
            "default",
            "default scope",
            "default scope fast",
            "default stranger 36.0",
            "default scope 1 2 3",
        ] {
            assert!(records(line, TIMED).is_err(), "{line}");
        }
    }
}

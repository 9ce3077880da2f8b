//! What a fork costs in each of the builds that users make. The program that is measured is the
//! package `sumac-builds` (`lab/builds`), which cargo builds once for each; that package's binary
//! drives and prints, a fact a line, and is what is read here.

use std::env;
use std::process::Command;

use serde::Serialize;

use crate::contender::Id;
use crate::experiment::Failure;
use crate::tied;

/// The build that cargo makes unless told otherwise.
pub(crate) const DEFAULT: &str = "default";

/// What a contender cost in a build: a node of the tree, or a whole loop over ten numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BuildRecord {
    /// The build.
    pub(crate) build: String,
    /// Who, by the name that the package knows it under.
    pub(crate) contender: String,
    /// Instructions, where there is valgrind.
    pub(crate) instructions: Option<f64>,
    /// Nanoseconds.
    pub(crate) times: Vec<Times>,
}

/// Nanoseconds on so many threads, one number a round; in a round of a build every contender ran
/// once, in one process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Times {
    /// On how many threads.
    pub(crate) threads: usize,
    /// Round by round.
    pub(crate) samples: Vec<f64>,
}

/// Counts in the builds of these names, or in all if none is named; nothing where valgrind does not
/// run.
///
/// # Errors
///
/// There is no cargo, or a build cannot be made.
pub(crate) fn instructions(builds: &[&str]) -> Result<Vec<BuildRecord>, Failure> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    let text = harness(&[&["instructions"], builds].concat())?;
    text.lines()
        .try_for_each(|line| add_count(&mut records, line).ok_or_else(|| unexpected(line)))?;
    Ok(records)
}

/// Times every contender in every build, and adds that to the records.
///
/// # Errors
///
/// As `instructions`.
pub(crate) fn times(
    records: &mut Vec<BuildRecord>,
    rounds: usize,
    threads: &[usize],
) -> Result<(), Failure> {
    let mut words = vec!["times".to_string(), rounds.to_string()];
    words.extend(threads.iter().map(usize::to_string));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let text = harness(&words)?;
    text.lines()
        .try_for_each(|line| add_time(records, line).ok_or_else(|| unexpected(line)))
}

/// Adds what a line `BUILD CONTENDER COUNT` says.
fn add_count(records: &mut Vec<BuildRecord>, line: &str) -> Option<()> {
    let [build, contender, count] = words(line)?;
    record(records, build, contender).instructions = Some(count.parse().ok()?);
    Some(())
}

/// Adds what a line `BUILD CONTENDER THREADS NANOSECONDS` says.
fn add_time(records: &mut Vec<BuildRecord>, line: &str) -> Option<()> {
    let [build, contender, threads, sample] = words(line)?;
    let (threads, sample) = (threads.parse().ok()?, sample.parse().ok()?);
    let times = &mut record(records, build, contender).times;
    match times.iter_mut().find(|t| t.threads == threads) {
        Some(times) => times.samples.push(sample),
        None => times.push(Times {
            threads,
            samples: vec![sample],
        }),
    }
    Some(())
}

fn words<const N: usize>(line: &str) -> Option<[&str; N]> {
    line.split(' ').collect::<Vec<_>>().try_into().ok()
}

/// The count of a contender of the lab's.
pub(crate) fn count_of(records: &[BuildRecord], who: Id) -> Option<f64> {
    let name = match who {
        Id::Baseline => "plain",
        Id::SumacScope => "scope",
        Id::SumacJoin => "join",
        Id::Chili => "chili",
        Id::Rayon => "rayon",
        _ => return None,
    };
    let record = records.iter().find(|record| record.contender == name)?;
    record.instructions
}

/// The record of this contender in this build, a new one if it is not among them.
fn record<'r>(
    records: &'r mut Vec<BuildRecord>,
    build: &str,
    contender: &str,
) -> &'r mut BuildRecord {
    let same = |r: &BuildRecord| r.build == build && r.contender == contender;
    let place = records.iter().position(same).unwrap_or_else(|| {
        records.push(BuildRecord {
            build: build.into(),
            contender: contender.into(),
            instructions: None,
            times: Vec::new(),
        });
        records.len() - 1
    });
    &mut records[place]
}

fn unexpected(line: &str) -> Failure {
    Failure::Other(format!("sumac-builds printed what it must not: {line}"))
}

/// What the package's binary prints.
fn harness(words: &[&str]) -> Result<String, Failure> {
    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let output = tied::command(cargo)
        .args(["run", "--quiet", "--release", "--package", "sumac-builds"])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/builds/Cargo.toml"),
            "--",
        ])
        .args(words)
        .output()?;
    let text = |bytes| String::from_utf8_lossy(bytes).trim().to_string();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(Failure::Other(format!(
        "the builds are made by cargo, from the source: {}",
        text(&output.stderr)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_records() {
        let mut records = Vec::new();
        for line in [
            "default scope 36.0",
            "default plain 19.0",
            "cdylib scope 36.5",
        ] {
            add_count(&mut records, line).expect("a line that is printed");
        }
        for line in [
            "default scope 1 2.5",
            "default scope 32 3.5",
            "default scope 1 2.75",
        ] {
            add_time(&mut records, line).expect("a line that is printed");
        }
        assert_eq!(records.len(), 3);
        let times: Vec<_> = records[0]
            .times
            .iter()
            .map(|t| (t.threads, &t.samples[..]))
            .collect();
        assert_eq!(times, [(1, &[2.5, 2.75][..]), (32, &[3.5])]);
        assert!(records[1].times.is_empty());
        assert_eq!(count_of(&records, Id::SumacScope), Some(36.0));
        assert_eq!(count_of(&records, Id::SumacJoin), None);
        for line in [
            "",
            "default scope",
            "default scope fast",
            "default scope 1 2 3",
        ] {
            assert_eq!(add_count(&mut Vec::new(), line), None, "{line}");
            assert_eq!(add_time(&mut Vec::new(), line), None, "{line}");
        }
    }
}

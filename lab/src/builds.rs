//! What a fork costs in instructions, counted in cargo's default build by the package
//! `sumac-builds` (`lab/builds`), which prints a line for each contender.

use std::process::Command;
use std::time::Duration;

use crate::contender::Id;
use crate::experiment::Failure;
use crate::patched::{cargo, said};

/// The mode of records that are instructions.
pub(crate) const COUNTED: &str = "instructions";
/// After which cargo and what it has built have failed.
const LIMIT: Duration = Duration::from_secs(3600);
/// Who, by the names that the package knows them under.
const WHO: [(&str, Id); 2] = [("scope", Id::SumacScope), ("join", Id::SumacJoin)];

/// Counts the instructions of a node; nothing where valgrind does not run.
///
/// # Errors
///
/// There is no cargo, or the build cannot be made.
pub(crate) fn instructions() -> Result<Vec<(Id, f64)>, Failure> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(Vec::new());
    }
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/builds/Cargo.toml");
    let run = ["run", "--quiet", "--release", "--package", "sumac-builds"];
    let mut command = cargo();
    command.args(run).args(["--manifest-path", manifest]);
    command.args(["--", "instructions", "default"]);
    let made = "the builds are made by cargo, from the source";
    counts(&said(command, LIMIT).map_err(|why| why.of(made.into()))?)
}

/// The counts of the lines `BUILD CONTENDER COUNT`.
fn counts(text: &str) -> Result<Vec<(Id, f64)>, Failure> {
    let mut counts = Vec::new();
    for line in text.lines() {
        let read = || {
            let [_, who, count] = line.split(' ').collect::<Vec<_>>()[..] else {
                return None;
            };
            Some((who, count.parse().ok()?))
        };
        let unexpected = || format!("sumac-builds printed what it must not: {line}");
        let (who, count) = read().ok_or_else(unexpected)?;
        let known = WHO.iter().find(|(name, _)| *name == who);
        counts.extend(known.map(|&(_, id)| (id, count)));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_counts() {
        let text = "default scope 36.0\ndefault plain 19.0\ndefault join 39.5";
        let expected = vec![(Id::SumacScope, 36.0), (Id::SumacJoin, 39.5)];
        assert_eq!(counts(text).expect("lines that are printed"), expected);
        for line in [
            "default",
            "default scope",
            "default scope fast",
            "default scope 1 2",
        ] {
            assert!(counts(line).is_err(), "{line}");
        }
    }
}

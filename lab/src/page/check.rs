//! What is wrong with a document that was not made: numbers with units of time, rates or ratios
//! that stand in a sentence or a table and come from no record. The code's constants, goals and
//! the like are said to be that, once in a document, by a line
//!
//! ```text
//! <!-- fixed: 50 µs, 100 µs: constants of the scheduler; 2 %: a goal -->
//! ```
//!
//! And records that are old, as git counts the commits to what they measure.

use std::process::Command;

use super::load::Experiment;
use super::quote;
use super::splice::{Place, lines};

/// A number of these was measured, unless it is said not to be.
#[rustfmt::skip]
const UNITS: [&str; 17] = [
    "%", "×", "ns", "µs", "us", "ms", "s", "times", "GB/s", "MB/s", "instructions", "nanoseconds",
    "microseconds", "milliseconds", "seconds", "percent", "per cent",
];
const FIXED: &str = "<!-- fixed:";
/// From so many commits on a record is old.
const OLD: u32 = 200;

/// The numbers that were typed, and constants that are nowhere, each with its line.
///
/// # Errors
///
/// A marker lacks its partner, or a line of constants does not say what they are.
pub(crate) fn typed(document: &str) -> Result<Vec<(usize, String)>, String> {
    let (mut fixed, mut numbers) = (Vec::new(), Vec::new());
    let lines = lines(document)?.into_iter();
    let text = lines.map(|(place, line)| if place == Place::Text { line } else { "" });
    let text: Vec<&str> = text.collect();
    for (number, line) in (1..).zip(&text) {
        if let Some(list) = line.trim().strip_prefix(FIXED) {
            for part in list.trim_end_matches("-->").split(';') {
                let (values, _) = part
                    .rsplit_once(": ")
                    .ok_or_else(|| format!("{number}: `{}` is what?", part.trim()))?;
                let values = values.split(", ");
                fixed.extend(values.map(|value| (number, value.trim().to_string())));
            }
            continue;
        }
        // The next line may begin with the last number's unit.
        let next = text.get(number).map_or("", |next| next.trim_start());
        let found = found(&plain(line), &plain(next)).into_iter();
        numbers.extend(found.map(|found| (number, found)));
    }
    let has = |list: &[(usize, String)], value: &str| list.iter().any(|(_, own)| own == value);
    let unused = fixed.iter().filter(|(_, value)| !has(&numbers, value));
    let unused = unused.map(|(line, value)| {
        (
            *line,
            format!("`{value}` is said to be fixed and does not occur"),
        )
    });
    let typed = numbers.iter().filter(|(_, number)| !has(&fixed, number));
    let typed = typed.map(|(line, number)| (*line, format!("`{number}` is from no record")));
    let mut wrong: Vec<_> = unused.chain(typed).collect();
    wrong.sort();
    Ok(wrong)
}

/// The line without figures that are spliced, code, and marks.
fn plain(line: &str) -> String {
    let mut parts = line.split(quote::OPEN);
    let mut out = parts.next().unwrap_or_default().to_string();
    out.extend(parts.filter_map(|part| Some(part.split_once(quote::CLOSE)?.1)));
    let words: String = out.split('`').step_by(2).collect();
    words.replace('*', "")
}

/// Its numbers with units; in the row of a table also those with a decimal point.
fn found(line: &str, next: &str) -> Vec<String> {
    let is_digit = |c: char| c.is_ascii_digit() || ".,".contains(c);
    let mut found = Vec::new();
    if line.trim_start().starts_with('|') {
        let cells = line
            .split(['|', ';', '/', '(', ')'])
            .flat_map(|cell| cell.split(" to "));
        let is_decimal = |cell: &&str| cell.contains('.') && cell.chars().all(is_digit);
        let cells = cells.map(str::trim).filter(is_decimal);
        found.extend(cells.filter(|cell| *cell != ".").map(String::from));
    }
    let (mut before, mut rest) = (' ', line);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        let is_number = first.is_ascii_digit() && !before.is_alphanumeric() && before != '^';
        if is_number {
            let number = rest[..end].trim_end_matches(['.', ',']);
            let behind = match rest[number.len()..].trim_start() {
                "" => next,
                behind => behind,
            };
            let unit = UNITS.iter().find(|unit| {
                let after = behind.strip_prefix(**unit);
                after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
            });
            found.extend(unit.map(|unit| format!("{number} {unit}")));
        }
        before = first;
        rest = &rest[end.max(first.len_utf8())..];
    }
    found
}

/// A warning if an experiment's record is old, or its age cannot be told.
pub(crate) fn old(experiment: &Experiment) -> Option<String> {
    let name = &experiment.name;
    let folders: &[&str] = match &**name {
        "adders" => &["crates/core", "crates/par", "crates/mpi"],
        "batch" | "streets" => &["crates/core", "crates/batch"],
        "field" | "rpb" => &["crates/core", "crates/rayon", "crates/rayon-core"],
        "programs" | "loops" | "flat" | "grains" | "ordered" => &["crates/core", "crates/par"],
        _ => &["crates/core"],
    };
    let mut commits = experiment.commits().into_iter();
    commits.find_map(|commit| {
        let mut git = Command::new("git");
        // Changes that are in no commit are said behind it.
        let commit = commit.split('.').next().unwrap_or_default().to_string();
        git.args(["rev-list", "--count", &format!("{commit}..HEAD"), "--"])
            .args(folders);
        let said = String::from_utf8(git.output().ok()?.stdout).ok()?;
        match said.trim().parse::<u32>() {
            Ok(age) if age <= OLD => None,
            Ok(age) => Some(format!(
                "the record `{name}` is {age} commits old, by what it measures"
            )),
            Err(_) => Some(format!(
                "the record `{name}` is of {commit}, which git does not know"
            )),
        }
    })
}

//! Tables in documents: what stands between two markers is replaced by a table made from results,
//! with the command that made them; and figures in sentences (`quote.rs`). A marker is a line of
//! its own, outside of code blocks:
//!
//! ```text
//! <!-- lab:TABLE EXPERIMENT -->
//! ...
//! <!-- /lab -->
//! ```
//!
//! The experiment may be left out if only one has the data. Splicing twice is splicing once.

use super::findings::sentences;
use super::load::Loaded;
use super::quote::fill;
use super::summary::{self, NAMES};
use crate::field;

const OPEN: &str = "<!-- lab:";
/// The table that is no experiment's.
const FIELD: &str = field::NAME;
/// The sentences of the report.
const FINDINGS: &str = "findings";
const CLOSE: &str = "<!-- /lab -->";

/// The document with its tables and figures made anew.
///
/// # Errors
///
/// There is no marker, one lacks its partner, or there is no such table.
pub(crate) fn splice(document: &str, loaded: &Loaded) -> Result<String, String> {
    let mut out = String::with_capacity(document.len());
    let mut open: Option<usize> = None;
    let (mut code, mut spliced) = (false, 0);
    for (index, line) in document.split_inclusive('\n').enumerate() {
        let (number, text) = (index + 1, line.trim());
        if open.is_none() && text.starts_with("```") {
            code = !code;
        }
        let marker = if code { "" } else { text };
        match (open, marker) {
            (Some(begun), marker) if marker.starts_with(OPEN) => {
                return Err(format!(
                    "line {number}: `{marker}` before `{CLOSE}` for line {begun}"
                ));
            }
            (Some(_), CLOSE) => {
                open = None;
                out += line;
            }
            (None, CLOSE) => {
                return Err(format!("line {number}: `{CLOSE}` without `{OPEN}... -->`"));
            }
            (None, marker) if marker.starts_with(OPEN) => {
                let table = table(marker, loaded).map_err(|why| format!("line {number}: {why}"))?;
                out += line;
                out += &format!("\n{table}\n");
                open = Some(number);
                spliced += 1;
            }
            (None, _) if code => out += line,
            (None, _) => {
                let filled = fill(line, loaded).map_err(|why| format!("line {number}: {why}"))?;
                out += &filled.0;
                spliced += filled.1;
            }
            (Some(_), _) => {}
        }
    }
    match open {
        Some(number) => Err(format!("line {number}: no `{CLOSE}` follows")),
        None if spliced == 0 => Err(format!("no line `{OPEN}TABLE -->`, and no figure")),
        None => Ok(out),
    }
}

/// An item of a list, in lines of at most a hundred columns.
fn item(text: &str) -> String {
    let (mut out, mut line) = (String::new(), String::from("*"));
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > 100 {
            out += &format!("{line}\n");
            line = String::from(" ");
        }
        line += &format!(" {word}");
    }
    out + &line + "\n"
}

/// What is put after a marker.
fn table(marker: &str, loaded: &Loaded) -> Result<String, String> {
    let inside = marker
        .strip_prefix(OPEN)
        .and_then(|rest| rest.strip_suffix("-->"));
    let words: Vec<&str> = inside.unwrap_or("").split_whitespace().collect();
    let (name, wanted) = match words.as_slice() {
        [name] => (*name, None),
        [name, experiment] => (*name, Some(*experiment)),
        _ => return Err(format!("`{marker}` is not `{OPEN}TABLE EXPERIMENT -->`")),
    };
    if name == FIELD && wanted.is_none() {
        let mut experiments = loaded.experiments.iter();
        let own = experiments.find(|experiment| experiment.name == field::NAME);
        return own
            .and_then(field::spliced)
            .ok_or_else(|| "no results of the field".into());
    }
    if name == FINDINGS && wanted.is_none() {
        return Ok(sentences(loaded).iter().map(|text| item(text)).collect());
    }
    if !NAMES.contains(&name) {
        return Err(format!(
            "no table `{name}`; the tables are: {FIELD}, {FINDINGS}, {}",
            NAMES.join(", ")
        ));
    }
    let mut found = Vec::new();
    for experiment in &loaded.experiments {
        if wanted.is_none_or(|wanted| wanted == experiment.name) {
            let summaries = summary::of_experiment(experiment).into_iter();
            found.extend(
                summaries
                    .filter(|s| s.name == name)
                    .map(|s| (experiment, s)),
            );
        }
    }
    match found.as_slice() {
        [(experiment, summary)] => {
            let below = summary.below(experiment);
            let below = below.trim_end();
            Ok(format!(
                "{}{below} Spliced by `lab report --splice`.\n",
                summary.table
            ))
        }
        [] => Err(format!("no results for the table `{}`", words.join(" "))),
        several => {
            let names = several
                .iter()
                .map(|(experiment, _)| experiment.name.as_str());
            let names: Vec<&str> = names.collect();
            Err(format!(
                "table `{name}`: name one of the experiments {}",
                names.join(", ")
            ))
        }
    }
}

//! Documents: what stands between two markers is replaced by a table or a figure made from results
//! (`tables.rs`), and so are figures in sentences (`quote.rs`). A marker is a line of its own,
//! outside of code blocks:
//!
//! ```text
//! <!-- lab:TABLE ... -->
//! ...
//! <!-- /lab -->
//! ```
//!
//! Of several machines each has its own, one below the other, or only that of a last word such as
//! `@intel-xeon-2`. What stands behind
//! `<!-- lab:pending TABLE ... -->` stays until its record is there; what stands behind
//! `<!-- lab:fixed WHAT -->` was measured by others, or is no measurement. Splicing twice is
//! splicing once.

use std::collections::BTreeMap;

use super::load::Loaded;
use super::quote::fill;
use super::tables::{Part, part};
use crate::adders;

const OPEN: &str = "<!-- lab:";
const CLOSE: &str = "<!-- /lab -->";
const PENDING: &str = "pending";
const FIXED: &str = "fixed";
/// What a line of a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Of code.
    Code,
    /// A marker, with its words.
    Open(Vec<String>),
    /// Between markers.
    Between,
    /// The end of what is between.
    Close,
    /// None of these.
    Text,
}

/// A document made anew.
#[derive(Debug, Default)]
pub(crate) struct Spliced {
    pub(crate) text: String,
    /// The figures in it, by the names of their files.
    pub(crate) figures: BTreeMap<String, String>,
    /// What waits for a record, with its line.
    pub(crate) pending: Vec<(usize, String)>,
}

/// The lines of a document, each with what it is.
///
/// # Errors
///
/// A marker lacks its partner.
pub(super) fn lines(document: &str) -> Result<Vec<(Place, &str)>, String> {
    let (mut lines, mut code) = (Vec::new(), false);
    let mut open: Option<usize> = None;
    for (index, line) in document.split_inclusive('\n').enumerate() {
        let (number, text) = (index + 1, line.trim());
        let fence = text.starts_with("```");
        let words = text
            .strip_prefix(OPEN)
            .and_then(|rest| rest.strip_suffix("-->"));
        let place = match (open, words) {
            (_, _) if (code || fence) && open.is_none() => Place::Code,
            (Some(begun), Some(_)) => {
                return Err(format!(
                    "{number}: `{text}` before `{CLOSE}` for line {begun}"
                ));
            }
            (None, Some(words)) => {
                open = Some(number);
                Place::Open(words.split_whitespace().map(String::from).collect())
            }
            (Some(_), None) if text == CLOSE => {
                open = None;
                Place::Close
            }
            (None, None) if text == CLOSE => {
                return Err(format!("{number}: `{CLOSE}` without `{OPEN}... -->`"));
            }
            (Some(_), None) => Place::Between,
            (None, None) => Place::Text,
        };
        code ^= fence && open.is_none() && place == Place::Code;
        lines.push((place, line));
    }
    match open {
        Some(number) => Err(format!("{number}: no `{CLOSE}` follows")),
        None => Ok(lines),
    }
}

/// A document with its tables and figures made anew; `figures` is the way to them from its folder.
///
/// # Errors
///
/// The line's number and what is wrong with it: a marker lacks its partner, or there is no such
/// table or result.
pub(crate) fn splice(
    document: &str,
    machines: &[Loaded],
    figures: &str,
) -> Result<Spliced, String> {
    let (mut out, mut is_made) = (Spliced::default(), false);
    for (index, (place, line)) in lines(document)?.into_iter().enumerate() {
        let at = |why: String| format!("{}: {why}", index + 1);
        match place {
            Place::Between if is_made => {}
            Place::Text => out.text += &fill(line, machines).map_err(at)?,
            Place::Open(words) => {
                let is = |first: &str| words.first().is_some_and(|word| word == first);
                let (is_fixed, is_pending) = (is(FIXED), is(PENDING));
                let what = &words[usize::from(is_pending)..];
                // What waits for its record is a table as others once that is there.
                let begun = out.text.len();
                out.text += &line.replacen(&format!("{PENDING} "), "", usize::from(is_pending));
                let made = if is_fixed {
                    Ok(())
                } else {
                    out.make(what, machines, figures)
                };
                is_made = made.is_ok() && !is_fixed;
                if is_pending && !is_made {
                    out.text.truncate(begun);
                    out.text += line;
                    out.pending.push((index + 1, what.join(" ")));
                } else {
                    made.map_err(at)?;
                }
            }
            Place::Code | Place::Between | Place::Close => out.text += line,
        }
    }
    Ok(out)
}

impl Spliced {
    /// Adds what these words ask for, of each machine that has it.
    fn make(&mut self, words: &[String], machines: &[Loaded], figures: &str) -> Result<(), String> {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        let only = words.last().and_then(|last| last.strip_prefix('@'));
        words.truncate(words.len() - usize::from(only.is_some()));
        let is_shown = |of: &&Loaded| only.is_none_or(|only| only == of.machine);
        let is_name = |word: &&&str| machines.iter().any(|of| of.experiment(word).is_some());
        let name = words.iter().find(is_name).unwrap_or(&adders::NAME);
        let mut found = false;
        for loaded in machines.iter().filter(is_shown) {
            match part(&words, loaded) {
                Some(Part::Text(text)) => self.text += &format!("\n{}\n\n", text.trim_end()),
                Some(Part::Figure(mut chart)) => {
                    let built = loaded.experiment(name).map(|of| of.commits().join(", "));
                    let built = built.unwrap_or_default();
                    chart.title += &format!(" ({} {built})", loaded.machine);
                    let of = loaded.machine.split(' ').filter(|name| !name.is_empty());
                    let parts: Vec<&str> = of.chain(words[1..].iter().copied()).collect();
                    let file = format!("{}.svg", parts.join("-").replace(',', ""));
                    self.text += &format!("\n![{}]({figures}/{file})\n\n", chart.title);
                    self.figures.insert(file, chart.svg());
                }
                None => continue,
            }
            found = true;
        }
        match found {
            true => Ok(()),
            false => Err(format!("no results for `{}`", words.join(" "))),
        }
    }
}

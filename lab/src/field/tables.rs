//! What was found, as a table, and what is wrong.

use std::collections::BTreeSet;

use crate::page::{Experiment, Tally};
use crate::patched::Under;
use crate::report::{Section, WORTH_SAYING};
use crate::results::Cell;
use crate::stats::{Summary, geometric_mean, of_ratios};
use crate::table::{Table, digits, time};
use crate::view::SPREAD_NOTE;

/// The experiments' names: each crate is a problem, each scheduler a contender.
pub(crate) const NAME: &str = "field";
/// With RPB's programs in place of crates.
pub(crate) const RPB: &str = "rpb";

/// What came of both programs of a crate.
struct Row<'e> {
    name: &'e str,
    both: Vec<(&'e Cell, &'e Tally)>,
}

impl Row<'_> {
    /// What was measured with one scheduler, round by round.
    fn values(&self, under: Under, name: &str) -> Option<&[f64]> {
        let mut both = self.both.iter();
        let (_, tally) = both.find(|(cell, _)| cell.contender == under.to_string())?;
        Some(tally.facts.as_ref()?.further.get(name)?)
    }

    /// A figure of all runs with one scheduler.
    fn median(&self, under: Under, name: &str) -> Option<f64> {
        Some(Summary::of(self.values(under, name)?).median)
    }

    /// A figure with sumac as a part of what it is with rayon, round by round.
    fn ratio(&self, name: &str) -> Option<Summary> {
        let plain = self.values(Under::Rayon, name)?;
        of_ratios(self.values(Under::Sumac, name)?, plain)
    }

    /// The same of the medians of all rounds.
    fn ratio_of_medians(&self, name: &str) -> Option<f64> {
        Some(self.median(Under::Sumac, name)? / self.median(Under::Rayon, name)?)
    }

    /// What is wrong.
    fn failures(&self) -> BTreeSet<&str> {
        let failures = self.both.iter().flat_map(|(_, tally)| &tally.failures);
        failures.map(|(_, why)| &**why).collect()
    }
}

fn rows<'e>(field: &'e Experiment) -> Vec<Row<'e>> {
    let cells: Vec<_> = field.cells.iter().collect();
    let rows = cells.chunk_by(|(a, _), (b, _)| a.problem == b.problem);
    let row = |both: &[(&'e Cell, &'e Tally)]| Row {
        name: &both[0].0.problem,
        both: both.to_vec(),
    };
    rows.map(row).collect()
}

/// From which part of rayon's time on a crate is called slower.
pub(super) const SLOWER: f64 = 1.05;

/// What the columns are.
const NOTE: &str = "Wall time of the program with rayon's own scheduler; then what sumac takes, \
    as parts of that, medians of the rounds' ratios: wall time, CPU time, memory at its peak, size of the program. \
    Threads: the most at once. \
    Packages: those that both builds have in common, the schedulers aside. Tests: the crate's own \
    that pass, with rayon's and with sumac's. ";
/// What is different of RPB.
const NOTE_OF_RPB: &str = "Wall times are the programs' own: the mean of a run's rounds. ";

/// The table, and what is wrong if something is.
pub(crate) fn sections(field: &Experiment) -> Vec<Section> {
    let more = if is_rpb(field) { NOTE_OF_RPB } else { "" };
    let note = format!("{NOTE}{more}{SPREAD_NOTE} {}", average(field));
    let title = if is_rpb(field) { "RPB" } else { "the field" };
    let mut sections = vec![Section::new(title, table(field), note)];
    let mut wrong = Table::headed("crate|what is wrong");
    for row in rows(field) {
        let failures = row.failures().into_iter();
        failures.for_each(|why| wrong.row([row.name, why]));
    }
    if !wrong.is_empty() {
        sections.push(Section::new("WRONG", wrong, ""));
    }
    sections
}

/// The table in a document, with what all crates say together.
pub(crate) fn spliced(field: &Experiment) -> String {
    format!("{}\n{}\n", table(field), average(field))
}

/// All crates as one table.
pub(super) fn table(field: &Experiment) -> Table {
    // RPB brings no tests; its programs do not say what the rounds took of the processors.
    let mut table = Table::headed(match is_rpb(field) {
        true => "program|packages|rayon|wall|memory|threads|size",
        false => "crate|packages|rayon|wall|CPU|memory|threads|size|tests",
    });
    for row in rows(field) {
        let count = |under, name| row.median(under, name).map(|n| n.to_string());
        let both = |name| {
            let both = Under::BOTH.map(|under| count(under, name));
            let known = both.iter().flatten().cloned().collect::<Vec<_>>();
            known.join("; ")
        };
        let of = |name| row.ratio(name).as_ref().map_or(String::new(), part);
        let wall = match row.ratio("wall") {
            _ if !row.failures().is_empty() => "**FAILED**".into(),
            Some(ratio) if ratio.median > SLOWER => format!("**{}**", part(&ratio)),
            _ => of("wall"),
        };
        let plain = row.values(Under::Rayon, "wall").map(Summary::of);
        let median = |name| row.ratio(name).map_or(String::new(), |s| digits(s.median));
        let cells = [
            row.name.into(),
            count(Under::Rayon, "packages").unwrap_or_default(),
            plain.map_or(String::new(), |s| time(s.median) + &s.spread()),
            wall,
            of("cpu"),
            median("memory"),
            both("threads"),
            median("bytes"),
            both("tests"),
        ];
        let cells = cells.into_iter().enumerate();
        table.row(cells.filter_map(|(n, cell)| {
            let is_shown = !is_rpb(field) || ![4, 8].contains(&n);
            is_shown.then_some(cell)
        }));
    }
    table
}

fn is_rpb(field: &Experiment) -> bool {
    field.name == RPB
}

fn part(ratio: &Summary) -> String {
    digits(ratio.median) + &ratio.spread()
}

/// What all of them say together.
pub(super) fn average(field: &Experiment) -> String {
    let rows = rows(field);
    let mean = |name| {
        let ratios = rows.iter().filter_map(|row| Some(row.ratio(name)?.median));
        geometric_mean(ratios.filter(|ratio| ratio.ln().is_finite())).unwrap_or(1.0)
    };
    let is_slower = |row: &&Row<'_>| row.ratio("wall").is_some_and(|r| r.median > SLOWER);
    let slower_by_medians: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            Some((
                row.name,
                row.ratio_of_medians("wall").filter(|r| *r > SLOWER)?,
            ))
        })
        .map(|(name, ratio)| format!("{name} {}", digits(ratio)))
        .collect();
    let of_others = |row: &Row<'_>| {
        let all = row.both.iter().flat_map(|(_, tally)| &tally.others);
        all.copied().collect::<Vec<f64>>()
    };
    let average = |cores: &[f64]| cores.iter().sum::<f64>() / cores.len().max(1) as f64;
    let others: Vec<Vec<f64>> = rows.iter().map(of_others).collect();
    let disturbed = others.iter().filter(|cores| average(cores) > WORTH_SAYING);
    let disturbed = disturbed.count();
    let (means, what) = match is_rpb(field) {
        true => ("Geometric mean", "programs"),
        false => ("Geometric means", "crates"),
    };
    let mut said = format!("{means}: {} of the wall time", digits(mean("wall")));
    if !is_rpb(field) {
        said += &format!(", {} of the CPU time", digits(mean("cpu")));
    }
    said += &format!(
        "; {} of {} {what} take more than \
         {SLOWER} of the wall time by the median of the rounds' ratios, {} by the ratio of the medians",
        rows.iter().filter(is_slower).count(),
        rows.len(),
        slower_by_medians.len()
    );
    if !slower_by_medians.is_empty() {
        said += &format!(" ({})", slower_by_medians.join(", "));
    }
    said += ".";
    if disturbed > 0 {
        said += &format!(
            " Other programs used {} of a core on average, and more than {WORTH_SAYING} beside \
             {disturbed} of them.",
            digits(average(&others.concat()))
        );
    }
    said
}

/// How many crates are wrong.
pub(crate) fn crates_failed(field: &Experiment) -> usize {
    let rows = rows(field);
    rows.iter().filter(|row| !row.failures().is_empty()).count()
}

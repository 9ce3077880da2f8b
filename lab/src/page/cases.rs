//! An experiment's cells in the order in which people read them: by case (a problem, its size, its
//! parameters), and in each case by contender, tuning and threads. Numbers in names order as
//! numbers.

use std::collections::BTreeSet;
use std::fmt;

use alphanumeric_sort::compare_str as natural;

use super::facts::Facts;
use super::load::{Experiment, Tally};
use crate::experiment::distinct;
use crate::results::Cell;
use crate::table::grouped;

/// The contenders that are known, in the order of tables, and what tables call them.
const ORDER: [(&str, &str); 7] = [
    (BASELINE, "plain"),
    ("right-first", "plain, right first"),
    ("rayon", "rayon"),
    ("chili", "chili"),
    ("sumac-join", "sumac join"),
    ("sumac-scope", "sumac scope"),
    ("static-split", "split by hand"),
];

/// With whom the others are compared.
pub(crate) const BASELINE: &str = "baseline";

/// The cells of one case, in reading order.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) cells: Vec<(&'a Cell, &'a Tally)>,
}

/// A problem, its size, its parameters.
fn case(cell: &Cell) -> (&str, u64, &str) {
    (&cell.problem, cell.size, &cell.parameters)
}

impl fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (problem, size, parameters) = self.case();
        f.write_str(problem)?;
        if size > 1 {
            write!(f, ", n = {}", grouped(size))?;
        }
        let comma = if parameters.is_empty() { "" } else { ", " };
        write!(f, "{comma}{parameters}")
    }
}

impl Experiment {
    /// The cells by case.
    pub(crate) fn groups(&self) -> Vec<Group<'_>> {
        let mut cells: Vec<(&Cell, &Tally)> = self.cells.iter().collect();
        cells.sort_by(|(a, _), (b, _)| {
            let (place_a, place_b) = (place(&a.contender), place(&b.contender));
            (&a.problem, a.size)
                .cmp(&(&b.problem, b.size))
                .then_with(|| natural(&a.parameters, &b.parameters))
                .then_with(|| (place_a, &a.contender).cmp(&(place_b, &b.contender)))
                .then_with(|| natural(&a.tuning, &b.tuning))
                .then_with(|| a.threads.cmp(&b.threads))
        });
        let alike = cells.chunk_by(|(a, _), (b, _)| case(a) == case(b));
        let cells = alike.map(<[_]>::to_vec);
        cells.map(|cells| Group { cells }).collect()
    }
}

impl<'a> Group<'a> {
    /// Its problem, size and parameters.
    pub(crate) fn case(&self) -> (&'a str, u64, &'a str) {
        case(self.cells[0].0)
    }

    /// What came of a contender, as users get it, on so many threads if it has threads.
    pub(crate) fn tally(&self, contender: &str, threads: usize) -> Option<&'a Tally> {
        let threads = if is_sequential(contender) { 1 } else { threads };
        let mut plain = self.cells.iter().filter(|(cell, _)| cell.tuning.is_empty());
        let is_it = |cell: &Cell| cell.contender == contender && cell.threads == threads;
        Some(plain.find(|(cell, _)| is_it(cell))?.1)
    }

    /// What is known of it.
    pub(crate) fn facts(&self, contender: &str, threads: usize) -> Option<&'a Facts> {
        self.tally(contender, threads)?.facts.as_ref()
    }

    /// What is known of the baseline.
    pub(crate) fn baseline(&self) -> Option<&'a Facts> {
        self.facts(BASELINE, 1)
    }

    /// The numbers of threads of contenders that have some.
    pub(crate) fn threads(&self) -> BTreeSet<usize> {
        let cells = self.cells.iter().map(|(cell, _)| cell);
        let parallel = cells.filter(|cell| !is_sequential(&cell.contender));
        parallel.map(|cell| cell.threads).collect()
    }
}

/// The contenders of these cases, in reading order.
pub(crate) fn contenders<'a>(groups: &[Group<'a>]) -> Vec<&'a str> {
    let cells = groups.iter().flat_map(|group| &group.cells);
    let mut all = distinct(cells.map(|(cell, _)| &*cell.contender));
    all.sort_by_key(|name| place(name));
    all
}

/// Whether it is one of the sequential programs.
pub(crate) fn is_sequential(contender: &str) -> bool {
    contender == BASELINE || contender == "right-first"
}

/// What tables call a contender.
pub(crate) fn heading(contender: &str) -> String {
    match ORDER.get(place(contender)) {
        Some(known) => known.1.into(),
        // What looks like a tag vanishes otherwise.
        None if contender.contains('<') => format!("`{contender}`"),
        None => contender.into(),
    }
}

fn place(contender: &str) -> usize {
    let contender = contender.replace(' ', "-");
    let known = ORDER.iter().position(|(name, _)| *name == contender);
    known.unwrap_or(ORDER.len())
}

/// What the plain program takes for a node of so much work, in cases that differ by that.
pub(crate) fn unit(group: &Group<'_>) -> Option<f64> {
    let mut parts = group.case().2.split([' ', ',']);
    let has_work = parts.any(|part| part.starts_with("work="));
    has_work.then(|| group.baseline())?.map(Facts::per_piece)
}

//! An experiment's cells in the order in which people read them: by case (a problem, its size, its
//! parameters), and in each case by contender, tuning and threads. Numbers in names order as
//! numbers.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use alphanumeric_sort::compare_str as natural;

use super::facts::Facts;
use super::load::{Experiment, Tally};
use crate::experiment::distinct;
use crate::results::Cell;
use crate::table::grouped;

/// The contenders that are known, in the order of tables.
const ORDER: [&str; 7] = [
    "baseline",
    "right-first",
    "static-split",
    "rayon",
    "chili",
    "sumac-join",
    "sumac-scope",
];

/// Who the others are compared with.
pub(crate) const BASELINE: &str = "baseline";

/// What a contender is given to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Case {
    /// The problem.
    pub(crate) problem: String,
    /// Its size.
    pub(crate) size: u64,
    /// Its parameters.
    pub(crate) parameters: String,
}

/// A contender as it is set up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Series {
    /// Who.
    pub(crate) contender: String,
    /// How it is set up, or empty.
    pub(crate) tuning: String,
}

/// The cells of one case.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The case.
    pub(crate) case: Case,
    /// Its cells, in reading order.
    pub(crate) cells: Vec<(&'a Cell, &'a Tally)>,
    /// Cells that other cases of the experiment have and this one lacks.
    pub(crate) missing: Vec<(Series, usize)>,
}

impl Case {
    fn of(cell: &Cell) -> Case {
        Case {
            problem: cell.problem.clone(),
            size: cell.size,
            parameters: cell.parameters.clone(),
        }
    }

    /// What a piece of the problem is called.
    pub(crate) fn piece(&self) -> &'static str {
        if self.problem.contains("tree") {
            "node"
        } else if self.problem == "fib" {
            "call"
        } else {
            "piece"
        }
    }

    /// A name for files and anchors.
    pub(crate) fn slug(&self) -> String {
        slug(&format!(
            "{} {} {}",
            self.problem, self.size, self.parameters
        ))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, n = {}", self.problem, grouped(self.size))?;
        match &*self.parameters {
            "" => Ok(()),
            parameters => write!(f, ", {parameters}"),
        }
    }
}

impl Series {
    pub(crate) fn of(cell: &Cell) -> Series {
        Series {
            contender: cell.contender.clone(),
            tuning: cell.tuning.clone(),
        }
    }

    /// Whether it is one of the sequential programs.
    pub(crate) fn is_sequential(&self) -> bool {
        self.contender == BASELINE || self.contender == "right-first"
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.contender)?;
        if !self.tuning.is_empty() {
            write!(f, " {}", self.tuning)?;
        }
        Ok(())
    }
}

impl Experiment {
    /// The cells by case.
    pub(crate) fn groups<'a>(&'a self) -> Vec<Group<'a>> {
        let cells: Vec<(&Cell, &Tally)> = self.cells.iter().collect();
        // Cells are in order, those of a case beside each other.
        let alike = cells.chunk_by(|(a, _), (b, _)| Case::of(a) == Case::of(b));
        let group = |cells: &[(&'a Cell, &'a Tally)]| Group {
            case: Case::of(cells[0].0),
            cells: cells.to_vec(),
            missing: Vec::new(),
        };
        let mut groups: Vec<Group<'_>> = alike.map(group).collect();
        groups.sort_by(|a, b| {
            let (a, b) = (&a.case, &b.case);
            let first = (&a.problem, a.size).cmp(&(&b.problem, b.size));
            first.then_with(|| natural(&a.parameters, &b.parameters))
        });
        for group in &mut groups {
            group.cells.sort_by(|(a, _), (b, _)| reading_order(a, b));
        }
        let seat = |cell: &Cell| (Series::of(cell), cell.threads);
        for group in &mut groups {
            let cells = self.cells.keys();
            let alike = cells.filter(|cell| cell.problem == group.case.problem);
            let mut missing: BTreeSet<_> = alike.map(seat).collect();
            for (cell, _) in &group.cells {
                missing.remove(&seat(cell));
            }
            group.missing = missing.into_iter().collect();
        }
        groups
    }

    /// The most cores that any of its machines had.
    pub(crate) fn cores(&self) -> usize {
        let cores = self.machines.iter().map(|(machine, _)| machine.cores);
        cores.max().unwrap_or(1)
    }

    /// How many cells failed, wholly or in part.
    pub(crate) fn failed(&self) -> usize {
        let failed = |tally: &&Tally| !tally.failures.is_empty();
        self.cells.values().filter(failed).count()
    }
}

impl Group<'_> {
    /// The cells of which something is known.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&Cell, &Facts)> {
        let cells = self.cells.iter();
        cells.filter_map(|(cell, tally)| Some((*cell, tally.facts.as_ref()?)))
    }

    /// What is known of a contender on so many threads.
    pub(crate) fn facts(&self, series: &Series, threads: usize) -> Option<&Facts> {
        let mut known = self.by_threads(series).into_iter();
        Some(known.find(|(own, _)| *own == threads)?.1)
    }

    /// What is known of the baseline.
    pub(crate) fn baseline(&self) -> Option<&Facts> {
        let mut known = self.known();
        Some(known.find(|(cell, _)| cell.contender == BASELINE)?.1)
    }

    /// Everybody, in reading order.
    pub(crate) fn series(&self) -> Vec<Series> {
        distinct(self.cells.iter().map(|(cell, _)| Series::of(cell)))
    }

    /// A contender's numbers of threads with what is known of each.
    pub(crate) fn by_threads(&self, series: &Series) -> Vec<(usize, &Facts)> {
        let own = self.known().filter(|(cell, _)| Series::of(cell) == *series);
        own.map(|(cell, facts)| (cell.threads, facts)).collect()
    }

    /// The numbers of threads of contenders that have some.
    pub(crate) fn threads(&self) -> Vec<usize> {
        let cells = self
            .cells
            .iter()
            .filter(|(cell, _)| !Series::of(cell).is_sequential());
        let all: BTreeSet<usize> = cells.map(|(cell, _)| cell.threads).collect();
        all.into_iter().collect()
    }

    /// The largest number of threads that have a core each, or else the smallest one.
    pub(crate) fn full(&self, cores: usize) -> Option<usize> {
        let threads = self.threads();
        let fitting = threads.iter().copied().filter(|&n| n <= cores).max();
        fitting.or(threads.first().copied())
    }
}

fn reading_order(a: &Cell, b: &Cell) -> Ordering {
    let known = |cell: &Cell| ORDER.iter().position(|name| *name == cell.contender);
    let who = |cell| known(cell).unwrap_or(ORDER.len());
    (who(a), &a.contender)
        .cmp(&(who(b), &b.contender))
        .then_with(|| natural(&a.tuning, &b.tuning))
        .then_with(|| a.threads.cmp(&b.threads))
}

/// The value of a parameter, such as 100 of `work` in `work=100`, and the text without it.
pub(crate) fn parameter(text: &str, name: &str) -> Option<(f64, String)> {
    let is_other = |part: &&str| !part.starts_with(&format!("{name}="));
    let separators = [' ', ','];
    let mut parts = text.split(separators);
    let value = parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())?;
    let others: Vec<&str> = text.split(separators).filter(is_other).collect();
    Some((value, others.join(" ")))
}

/// A text as part of a file's name or an anchor.
pub(crate) fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_order_as_numbers() {
        let mut texts = vec!["work=1000", "", "work=20", "interval=5", "work=3"];
        texts.sort_by(|a, b| natural(a, b));
        assert_eq!(texts, ["", "interval=5", "work=3", "work=20", "work=1000"]);
    }

    #[test]
    fn parameters_have_values() {
        assert_eq!(parameter("work=100", "work"), Some((100.0, String::new())));
        assert_eq!(
            parameter("seed=1,work=0", "work"),
            Some((0.0, "seed=1".into()))
        );
        assert_eq!(parameter("framework=1", "work"), None);
        assert_eq!(parameter("", "work"), None);
    }

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("sha1-tree 1000 work=10"), "sha1-tree-1000-work-10");
        assert_eq!(slug("../a b/<c>"), "a-b-c");
    }
}

//! What is kept: `bench_result.json`, a list of entries with the fields that the first manager wrote (`kernel_count`, `input_size`,
//! `single_bench_result` with the microseconds of one pass in a fresh process) and ours; and what all rounds together say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Adder, Cell, Seen, Visited};
use crate::stats::Summary;
use crate::table::{Table, time};

/// One round of one cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Ranks, or threads.
    pub(crate) kernel_count: usize,
    /// Bytes.
    pub(crate) input_size: u64,
    /// Microseconds of the first pass by adder; no number for one that failed.
    pub(crate) single_bench_result: BTreeMap<String, f64>,
    /// Which round.
    pub(crate) round: usize,
    /// Of the random bytes.
    pub(crate) seed: u64,
    /// What every adder had to find.
    pub(crate) sum: u64,
    /// All that the adders said.
    pub(crate) adders: BTreeMap<Adder, Found>,
}

/// What came of a visit, as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// What the adder said, if the sum was right.
    pub(crate) seen: Option<Seen>,
    /// Microseconds from the start of the program to its end.
    pub(crate) wall_us: Option<f64>,
    /// What went wrong.
    pub(crate) error: Option<String>,
}

impl From<Visited> for Found {
    fn from(visited: Visited) -> Found {
        let (seen, wall_us, error) = match visited {
            Visited::Right { seen, wall_us } => (Some(seen), Some(wall_us), None),
            Visited::Failed(why) => (None, None, Some(why)),
        };
        Found {
            seen,
            wall_us,
            error,
        }
    }
}

impl Entry {
    pub(super) fn new(cell: Cell, round: usize, seed: u64, sum: u64) -> Entry {
        Entry {
            kernel_count: cell.kernel_count,
            input_size: cell.input_size,
            single_bench_result: BTreeMap::new(),
            round,
            seed,
            sum,
            adders: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, adder: Adder, found: Found) {
        if let Some(seen) = &found.seen {
            self.single_bench_result.insert(adder.key(), seen.cold_us);
        }
        self.adders.insert(adder, found);
    }

    pub(super) fn is_of(&self, cell: Cell) -> bool {
        (self.kernel_count, self.input_size) == (cell.kernel_count, cell.input_size)
    }
}

/// All rounds of an adder in a cell.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) load: Summary,
    pub(super) cold: Summary,
    /// Of all warm passes of all rounds.
    pub(super) warm: Summary,
    pub(super) wall: Summary,
}

/// What is known of an adder in a cell, in microseconds, if it was right at least once and never wrong.
pub(super) fn facts(entries: &[Entry], cell: Cell, adder: Adder) -> Option<Facts> {
    let rounds = entries.iter().filter(|entry| entry.is_of(cell));
    let found: Vec<&Found> = rounds.filter_map(|e| e.adders.get(&adder)).collect();
    let seen = found.iter().map(|found| found.seen.as_ref());
    let seen: Vec<&Seen> = seen.collect::<Option<_>>()?;
    let of = |figure: &dyn Fn(&Seen) -> Vec<f64>| {
        let samples: Vec<f64> = seen.iter().flat_map(|seen| figure(seen)).collect();
        (!samples.is_empty()).then(|| Summary::of(&samples))
    };
    let walls: Vec<f64> = found.iter().filter_map(|found| found.wall_us).collect();
    let cold = of(&|seen| vec![seen.cold_us])?;
    Some(Facts {
        load: of(&|seen| vec![seen.load_us])?,
        // Without warm passes, the cold ones are all there is.
        warm: of(&|seen| seen.warm_us.clone()).unwrap_or(cold),
        cold,
        wall: Summary::of(&walls),
    })
}

/// The cells that there are entries of, in order.
pub(super) fn cells(entries: &[Entry]) -> Vec<Cell> {
    let cells = entries.iter().map(|entry| Cell {
        input_size: entry.input_size,
        kernel_count: entry.kernel_count,
    });
    let mut cells: Vec<Cell> = cells.collect();
    cells.sort();
    cells.dedup();
    cells
}

/// How many visits failed.
pub(crate) fn failures(entries: &[Entry]) -> usize {
    let found = entries.iter().flat_map(|entry| entry.adders.values());
    found.filter(|found| found.error.is_some()).count()
}

/// A cell as a table.
pub(crate) fn table(entries: &[Entry], cell: Cell, adders: &[Adder]) -> Table {
    let mut table = Table::new([
        "adder",
        "warm",
        "p10",
        "p90",
        "GB/s",
        "cold",
        "load",
        "whole process",
    ]);
    for &adder in adders {
        let row = match facts(entries, cell, adder) {
            Some(facts) => {
                let us = |us: f64| time(us * 1e3);
                let rate = cell.input_size as f64 / facts.warm.median / 1e3;
                [
                    us(facts.warm.median),
                    us(facts.warm.p10),
                    us(facts.warm.p90),
                    format!("{rate:.1}"),
                    us(facts.cold.median),
                    us(facts.load.median),
                    us(facts.wall.median),
                ]
            }
            None => {
                let mut row = [const { String::new() }; 7];
                row[0] = "**FAILED**".into();
                row
            }
        };
        table.row(std::iter::once(adder.to_string()).chain(row));
    }
    table
}

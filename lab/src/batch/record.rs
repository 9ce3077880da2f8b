//! What a place's repetitions leave behind, and the tables that are made of it.

use serde::Serialize;

use super::{Drive, Place};
use crate::stats::Summary;
use crate::table::{Table, digits};
use crate::view::spread_of;

/// One place's result in one experiment.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BatchRecord {
    /// The experiment's name.
    pub(crate) experiment: String,
    /// Who.
    pub(crate) who: &'static str,
    /// How operations came in.
    pub(crate) drive: Drive,
    /// On how many threads.
    pub(crate) threads: usize,
    /// Operations of a repetition.
    pub(crate) operations: usize,
    /// Nanoseconds per operation.
    pub(crate) summary: Summary,
    /// Every repetition, in nanoseconds per operation.
    pub(crate) samples: Vec<f64>,
}

impl BatchRecord {
    /// Puts repetitions together.
    pub(super) fn new(
        experiment: &str,
        place: Place,
        operations: usize,
        samples: Vec<f64>,
    ) -> BatchRecord {
        BatchRecord {
            experiment: experiment.into(),
            who: place.who,
            drive: place.drive,
            threads: place.threads,
            operations,
            summary: Summary::of(&samples),
            samples,
        }
    }

    /// Where.
    pub(crate) fn place(&self) -> Place {
        Place {
            who: self.who,
            drive: self.drive,
            threads: self.threads,
        }
    }

    /// The median, in operations per millisecond.
    pub(crate) fn per_ms(&self) -> f64 {
        1e6 / self.summary.median
    }

    /// How far most repetitions stray from the median.
    pub(crate) fn spread(&self) -> String {
        spread_of(&self.summary)
    }
}

/// Looking results up.
pub(crate) trait Found {
    /// The result of a place in the experiment of this name.
    fn found(&self, experiment: &str, place: Place) -> Option<&BatchRecord>;
}

impl Found for [BatchRecord] {
    fn found(&self, experiment: &str, place: Place) -> Option<&BatchRecord> {
        self.iter()
            .find(|r| r.experiment == experiment && r.place() == place)
    }
}

/// Operations per millisecond: contenders are rows; drives with their threads are columns.
pub(crate) fn pivot(records: &[BatchRecord], wanted: impl Fn(Drive) -> bool) -> Table {
    let mut rows: Vec<&str> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let wanted: Vec<_> = records.iter().filter(|r| wanted(r.drive)).collect();
    for record in &wanted {
        let how = record.place().how();
        if !columns.contains(&how) {
            columns.push(how);
        }
        if !rows.contains(&record.who) {
            rows.push(record.who);
        }
    }
    let mut table = Table::new(std::iter::once("ops/ms".to_string()).chain(columns.clone()));
    for who in rows {
        let cell = |how: &String| {
            let mut mine = wanted.iter().filter(|r| r.who == who);
            let record = mine.find(|r| r.place().how() == *how);
            record.map_or("".into(), |r| digits(r.per_ms()) + &r.spread())
        };
        table.row(std::iter::once(who.to_string()).chain(columns.iter().map(cell)));
    }
    table
}

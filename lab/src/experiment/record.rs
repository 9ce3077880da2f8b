//! What an experiment leaves behind: for each contender all of its samples, their summary, and the
//! ratios to the sequential programs of the same experiment.

use sumac_record::{Cell, Line, Measured};

use crate::contender::Id;
use crate::stats::Summary;

/// What one contender came to in one experiment.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Of what: an experiment's name, in what condition, who, on how many threads.
    pub(crate) cell: Cell,
    /// Calls per sample.
    pub(crate) batch: u32,
    /// The samples' summary.
    pub(crate) summary: Summary,
    /// Every sample in order, in nanoseconds per call.
    pub(crate) samples: Vec<f64>,
}

impl Record {
    /// The record of these samples.
    pub(crate) fn new(cell: Cell, batch: u32, samples: Vec<f64>) -> Record {
        Record {
            cell,
            batch,
            summary: Summary::of(&samples),
            samples,
        }
    }

    /// As a line of a result file.
    pub(crate) fn line(&self) -> Line {
        let measured = Measured {
            pieces: 1,
            batch: self.batch,
            samples: self.samples.clone(),
            ..Measured::default()
        };
        Line::new("", self.cell.clone(), measured)
    }

    /// The median, in nanoseconds per call.
    pub(crate) fn median(&self) -> f64 {
        self.summary.median
    }
}

/// The records of an experiment.
#[derive(Clone, Debug)]
pub(crate) struct Records(pub(crate) Vec<Record>);

impl Records {
    /// The records, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Record> {
        self.0.iter()
    }

    /// What this contender came to on so many threads; sequential ones know no threads.
    pub(crate) fn get(&self, id: Id, threads: usize) -> Option<&Record> {
        let threads = if id.is_sequential() { 1 } else { threads };
        let name = id.name();
        self.iter()
            .find(|r| r.cell.contender == name && r.cell.threads == threads)
    }

    /// The medians of the sequential programs that took part.
    pub(crate) fn sequential(&self) -> impl Iterator<Item = f64> {
        let both = [Id::Baseline, Id::RightFirst].into_iter();
        both.filter_map(|id| Some(self.get(id, 1)?.median()))
    }
}

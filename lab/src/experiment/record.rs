//! What an experiment leaves behind: for each contender all of its samples, their summary, and the
//! ratios to the sequential programs of the same experiment.

use std::fmt;

use serde::Serialize;
use sumac_record::{Cell, Line, Measured};

use super::Seat;
use crate::contender::Id;
use crate::stats::Summary;

/// Who was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Who {
    /// A contender of problems.
    Runtime(Id),
    /// A shared structure, an adder.
    Named(&'static str),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Runtime(id) => id.fmt(f),
            Who::Named(name) => f.pad(name),
        }
    }
}

impl PartialEq<Id> for Who {
    fn eq(&self, id: &Id) -> bool {
        *self == Who::Runtime(*id)
    }
}

impl From<Seat> for (Who, usize) {
    fn from(seat: Seat) -> Self {
        (Who::Runtime(seat.id), seat.threads)
    }
}

/// One contender's result in one experiment.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Record {
    /// The experiment's name.
    pub(crate) experiment: String,
    /// In what condition calls found the pool.
    pub(crate) mode: String,
    /// Who.
    pub(crate) contender: Who,
    /// On how many threads.
    pub(crate) threads: usize,
    /// Calls per sample.
    pub(crate) batch: u32,
    /// Nanoseconds per call.
    pub(crate) summary: Summary,
    /// Its median over that of the baseline, where there is one.
    pub(crate) over_baseline: Option<f64>,
    /// The better sequential order's median over its own.
    pub(crate) speed_up: Option<f64>,
    /// Every sample, in nanoseconds per call.
    pub(crate) samples: Vec<f64>,
}

impl Record {
    /// A result without ratios yet.
    pub(crate) fn new(
        experiment: &str,
        mode: &str,
        who: impl Into<(Who, usize)>,
        batch: u32,
        samples: Vec<f64>,
    ) -> Record {
        let (contender, threads) = who.into();
        Record {
            experiment: experiment.into(),
            mode: mode.into(),
            contender,
            threads,
            batch,
            summary: Summary::of(&samples),
            over_baseline: None,
            speed_up: None,
            samples,
        }
    }

    /// It as a line of a result file.
    pub(crate) fn line(&self) -> Line {
        let contender = match self.contender {
            Who::Runtime(id) => id.name(),
            Who::Named(name) => name.into(),
        };
        let cell = Cell {
            parameters: self.mode.clone(),
            ..Cell::of(&self.experiment, &contender, self.threads)
        };
        let measured = Measured {
            pieces: 1,
            batch: self.batch,
            samples: self.samples.clone(),
            ..Measured::default()
        };
        Line::new("", cell, measured)
    }

    /// The median, in nanoseconds per call.
    pub(crate) fn median(&self) -> f64 {
        self.summary.median
    }
}

/// The results of one experiment.
#[derive(Clone, Debug)]
pub(crate) struct Records(Vec<Record>);

impl Records {
    /// Puts results of one experiment together and makes the ratios.
    pub(crate) fn new(mut records: Vec<Record>) -> Records {
        let median_of = |id| {
            let record = records.iter().find(|r: &&Record| r.contender == id);
            record.map(Record::median)
        };
        let baseline = median_of(Id::Baseline);
        let best = match (baseline, median_of(Id::RightFirst)) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (one, other) => one.or(other),
        };
        for record in &mut records {
            record.over_baseline = baseline.map(|b| record.median() / b);
            record.speed_up = best.map(|b| b / record.median());
        }
        Records(records)
    }

    /// Every result.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Record> {
        self.0.iter()
    }

    /// The result of a contender at a number of threads, which does not matter to a sequential one.
    pub(crate) fn get(&self, id: Id, threads: usize) -> Option<&Record> {
        self.iter()
            .find(|r| r.contender == id && (id.is_sequential() || r.threads == threads))
    }
}

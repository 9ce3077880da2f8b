//! What follows from the visits to one cell: the numbers that tables and figures show.

use std::collections::BTreeMap;

use crate::results::Measured;
use crate::stats::{Estimate, Summary};

/// What is known of a cell. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Pieces that a call has, at least 1.
    pub(crate) pieces: f64,
    /// All samples, in nanoseconds per call, smallest first.
    pub(crate) sorted: Vec<f64>,
    /// How many visits they are from.
    pub(crate) visits: usize,
    /// Their summary.
    pub(crate) summary: Summary,
    /// Their median with its error.
    pub(crate) estimate: Estimate,
    /// What else was measured, by name and visit.
    pub(crate) further: BTreeMap<String, Vec<f64>>,
}

impl Facts {
    /// From all visits; nothing if there is no sample.
    pub(crate) fn of(visits: &[Measured]) -> Option<Facts> {
        let visits: Vec<&Measured> = visits.iter().filter(|v| !v.samples.is_empty()).collect();
        let first = visits.first()?;
        let samples: Vec<&[f64]> = visits.iter().map(|v| v.samples.as_slice()).collect();
        let mut sorted = samples.concat();
        sorted.sort_unstable_by(f64::total_cmp);
        let further = |name: &String| {
            let values = visits.iter().filter_map(|v| v.further.get(name).copied());
            (name.clone(), values.collect())
        };
        Some(Facts {
            pieces: first.pieces.max(1) as f64,
            visits: visits.len(),
            summary: Summary::of(&sorted),
            estimate: Estimate::of(&samples),
            sorted,
            further: first.further.keys().map(further).collect(),
        })
    }

    /// The median time of a piece.
    pub(crate) fn per_piece(&self) -> f64 {
        self.summary.median / self.pieces
    }

    /// The mean of all samples and their standard deviation.
    pub(crate) fn mean(&self) -> (f64, f64) {
        let n = self.sorted.len() as f64;
        let mean = self.sorted.iter().sum::<f64>() / n;
        let squares = self.sorted.iter().map(|ns| (ns - mean) * (ns - mean));
        (mean, (squares.sum::<f64>() / (n - 1.0).max(1.0)).sqrt())
    }
}

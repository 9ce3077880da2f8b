//! What a simulation found.

use serde::Serialize;

/// How often things happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    pub(crate) ticks: u64,
    pub(crate) promotions: u64,
    pub(crate) steals: u64,
    pub(crate) reclaims: u64,
    pub(crate) wakes: u64,
}

/// What a simulation found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Outcome {
    pub(crate) workers: usize,
    /// From the program's first instruction to its last, in nanoseconds.
    pub(crate) time: u64,
    /// The workers' time, together: working, promoting, searching, parked.
    pub(crate) spent: [u64; 4],
    pub(crate) counts: Counts,
}

/// The parts of `spent`.
pub(crate) const SPENT: [&str; 4] = ["working", "promoting", "searching", "parked"];

impl Outcome {
    /// A part of the workers' time, from 0 to 1.
    pub(crate) fn part(&self, part: usize) -> f64 {
        self.spent[part] as f64 / (self.time.max(1) * self.workers as u64) as f64
    }
}

//! One visit: a program is run once, to its end or to the time-out's, and what it says is believed
//! only if the sum is right.

use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;

use super::input::Input;
use super::{Adder, Workshop};
use crate::cells::{Planned, run_process};
use crate::experiment::Failure;
use crate::results::{FailureKind, Measured, Outcome};

/// What an adder says of itself, see `adders/README.md`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Seen {
    /// The sum of the bytes.
    pub(crate) sum: u64,
    /// Processes.
    pub(crate) ranks: usize,
    /// Threads of each.
    pub(crate) threads: usize,
    /// Until the bytes were in memory.
    pub(crate) load_us: f64,
    /// The first pass over them.
    pub(crate) cold_us: f64,
    /// Each of the others.
    pub(crate) warm_us: Vec<f64>,
}

/// The names of what is timed besides warm passes: until the bytes were in memory, the first pass,
/// the whole process.
pub(super) const FURTHER: [&str; 3] = ["load", "cold", "wall"];

impl Seen {
    /// It as every visit is recorded. Without warm passes, the cold one is all there is.
    pub(super) fn measured(&self, size: u64, wall_us: f64) -> Measured {
        // Adders say three digits.
        let ns = |us: f64| (us * 1e3).round();
        let further = FURTHER
            .into_iter()
            .zip([self.load_us, self.cold_us, wall_us]);
        let mut samples: Vec<f64> = self.warm_us.iter().copied().map(ns).collect();
        if samples.is_empty() {
            samples.push(ns(self.cold_us));
        }
        Measured {
            pieces: size,
            batch: 1,
            samples,
            answer: self.sum,
            further: further.map(|(name, us)| (name.into(), ns(us))).collect(),
            ..Measured::default()
        }
    }
}

/// Makes visits.
#[derive(Debug)]
pub(crate) struct Visitor {
    /// Where the programs are.
    pub(crate) workshop: Workshop,
    /// Where inputs go.
    pub(crate) folder: PathBuf,
    /// Of the random bytes.
    pub(crate) seed: u64,
    /// The last one's, of its round.
    pub(crate) input: Option<(u32, Input)>,
}

impl Visitor {
    /// Visits an adder, which makes as many warm passes as samples are planned.
    ///
    /// # Errors
    ///
    /// The input cannot be written, or the user wants no more.
    pub(crate) fn visit(&mut self, planned: &Planned, round: u32) -> Result<Outcome, Failure> {
        let cell = &planned.cell;
        let is_same = |(of, input): &(u32, Input)| (*of, input.size) == (round, cell.size);
        // The last one goes before there is another.
        self.input = self.input.take().filter(is_same);
        let (_, input) = match &self.input {
            Some(input) => input,
            None => {
                let seed = self.seed.wrapping_add(round.into());
                let input = Input::new(&self.folder, cell.size, seed)?;
                self.input.insert((round, input))
            }
        };
        let none = || Failure::Usage(format!("there is no adder {}", cell.contender));
        let adder = Adder::named(&cell.contender).ok_or_else(none)?;
        let path = input.path();
        let mut command = self.workshop.command(adder, cell.threads, path, cell.size);
        command.env("ADDER_WARM", planned.samples.to_string());
        let start = Instant::now();
        let ended = match run_process(command, &[], planned.timeout) {
            Ok(ended) => ended,
            Err(error) => {
                let why = format!("does not start: {error}");
                return Ok(Outcome::failed(FailureKind::Crash, why));
            }
        };
        let wall_us = start.elapsed().as_nanos() as f64 / 1e3;
        ended.outcome(planned.timeout, |printed| {
            match judged(printed, (cell.threads, planned.samples as usize), input.sum) {
                Ok(seen) => Outcome::Measured(Box::new(seen.measured(cell.size, wall_us))),
                Err(why) => Outcome::failed(FailureKind::WrongAnswer, why),
            }
        })
    }
}

/// Whether what was printed is a report, the sum is right, and all kernels and passes were there.
pub(super) fn judged(
    printed: &[u8],
    (kernels, warm): (usize, usize),
    sum: u64,
) -> Result<Seen, String> {
    let seen: Seen = serde_json::from_slice(printed)
        .map_err(|error| format!("says something else than a sum: {error}"))?;
    let Seen { ranks, threads, .. } = seen;
    let passes = seen.warm_us.len();
    if seen.sum != sum {
        Err(format!("wrong sum: {} instead of {sum}", seen.sum))
    } else if ranks * threads != kernels {
        Err(format!(
            "{ranks} ranks of {threads} threads instead of {kernels}"
        ))
    } else if passes != warm {
        Err(format!("{passes} warm passes instead of {warm}"))
    } else {
        Ok(seen)
    }
}

//! One visit: a program is run once, to its end or to the time-out's, and what it says is believed
//! only if the sum is right.

use std::env;
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

/// What all warm passes of a visit together read, about.
const BYTES_PER_VISIT: u64 = 1 << 31;

/// Of the random bytes.
const SEED: u64 = 2026;

/// Makes visits.
#[derive(Debug)]
pub(crate) struct Visitor {
    /// Where the programs are.
    pub(crate) workshop: Workshop,
    /// The last visit's, of its round.
    input: Option<(u32, Input)>,
}

impl Visitor {
    /// With the programs there.
    pub(crate) fn new(workshop: Workshop) -> Visitor {
        let input = None;
        Visitor { workshop, input }
    }

    /// Visits an adder, which makes as many warm passes as samples are planned, or fewer, five at
    /// least, if those read enough.
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
                let seed = SEED.wrapping_add(round.into());
                let input = Input::new(&env::temp_dir(), cell.size, seed)?;
                self.input.insert((round, input))
            }
        };
        let none = || Failure::Usage(format!("there is no adder {}", cell.contender));
        let adder = Adder::named(&cell.contender).ok_or_else(none)?;
        let path = input.path();
        let mut command = self.workshop.command(&adder, cell.threads, path, cell.size);
        // Short passes need more of them: where ranks outnumber processors, for instance, it takes
        // a while until the system has distributed them.
        let enough = (BYTES_PER_VISIT / cell.size.max(1)).max(5) as usize;
        let warm = enough.min(planned.samples as usize);
        command.env("ADDER_WARM", warm.to_string());
        let start = Instant::now();
        let ended = run_process(command, &[], planned.timeout)?;
        let wall_us = start.elapsed().as_nanos() as f64 / 1e3;
        let seen = judged(ended.output()?, (cell.threads, warm), input.sum);
        let wrong = |why| Failure::Process(FailureKind::WrongAnswer, why);
        let measured = seen.map_err(wrong)?.measured(cell.size, wall_us);
        Ok(Outcome::Measured(Box::new(measured)))
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

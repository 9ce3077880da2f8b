//! One visit: a program is run once, to its end or to the time-out's, and what it says is believed
//! only if the sum is right.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::input::Input;
use super::{Adder, Workshop};
use crate::cells::{self, Lost};
use crate::experiment::Failure;

/// What an adder says of itself, see `adders/README.md`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// What came of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Visited {
    /// A right sum, after so many microseconds in all, the start of the program included.
    Right { seen: Seen, wall_us: f64 },
    /// Anything else, in words.
    Failed(String),
}

/// How a visit is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Passes after the first, if it is said how many.
    pub(crate) warm: Option<usize>,
    /// After which the program is ended.
    pub(crate) timeout: Duration,
}

impl Manner {
    /// Passes after the first over so many bytes. Short ones need more of them: where ranks
    /// outnumber processors, for instance, it takes a while until the system has distributed them.
    fn warm(self, size: u64) -> usize {
        let passes = (BYTES_PER_VISIT / size.max(1)).clamp(5, 200);
        self.warm.unwrap_or(passes as usize)
    }
}

/// What all passes of a visit together read, about.
const BYTES_PER_VISIT: u64 = 1 << 31;

/// Makes a visit.
///
/// # Errors
///
/// The user wants no more.
pub(crate) fn visit(
    workshop: &Workshop,
    adder: Adder,
    kernels: usize,
    input: &Input,
    manner: Manner,
) -> Result<Visited, Failure> {
    let warm = manner.warm(input.size);
    let mut command = workshop.command(adder, kernels, input.path(), input.size);
    command.env("ADDER_WARM", warm.to_string());
    let start = Instant::now();
    let ended = match cells::run_process(command, &[], manner.timeout) {
        Ok(ended) => ended,
        Err(error) => return Ok(Visited::Failed(format!("does not start: {error}"))),
    };
    let wall_us = start.elapsed().as_nanos() as f64 / 1e3;
    Ok(match ended.output()? {
        Ok(printed) => judged(printed, (adder, kernels, warm), input.sum, wall_us),
        Err(Lost::Late) => {
            let seconds = manner.timeout.as_secs_f64();
            Visited::Failed(format!("no sum after {seconds} s"))
        }
        Err(Lost::Failed(said)) => Visited::Failed(said),
    })
}

/// Whether what was printed is a report, the sum is right, and all kernels and passes were there.
pub(super) fn judged(
    printed: &[u8],
    (adder, kernels, warm): (Adder, usize, usize),
    sum: u64,
    wall_us: f64,
) -> Visited {
    let seen: Seen = match serde_json::from_slice(printed) {
        Ok(seen) => seen,
        Err(error) => return Visited::Failed(format!("says something else than a sum: {error}")),
    };
    let wrong = if seen.sum != sum {
        format!("wrong sum: {} instead of {sum}", seen.sum)
    } else if seen.ranks * seen.threads != kernels {
        format!(
            "{} ranks of {} threads instead of {kernels}",
            seen.ranks, seen.threads
        )
    } else if seen.warm_us.len() != warm {
        format!("{} warm passes instead of {warm}", seen.warm_us.len())
    } else {
        return Visited::Right { seen, wall_us };
    };
    Visited::Failed(format!("{adder}: {wrong}"))
}

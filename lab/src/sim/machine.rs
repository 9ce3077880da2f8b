//! The machine that is simulated: what things cost there, and how fast workers are when many work
//! at once.

use std::ops::RangeInclusive;
use std::path::Path;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dag::UNIT;
use crate::file;

/// What things cost, in nanoseconds. The defaults were measured by `lab sim --calibrate` on a
/// virtual machine of two cores; what cannot be measured from outside (ticks, promotions) is
/// estimated there from the counters of runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Costs {
    /// A join of sumac where no worker asks.
    pub(crate) sumac_join: f64,
    /// A join of Spice between heartbeats.
    pub(crate) spice_join: f64,
    /// A join of rayon: push and pop.
    pub(crate) rayon_join: f64,
    /// A join that leaves the hot path, without what it promotes.
    pub(crate) tick: u64,
    /// Making a frame a job.
    pub(crate) promotion: u64,
    /// Taking an own job back.
    pub(crate) reclaim: u64,
    /// Taking another worker's job, until its first instruction.
    pub(crate) steal: u64,
    /// Until another core sees what has been written.
    pub(crate) line: u64,
    /// A look at the pool: the fixed part, and that for each member.
    pub(crate) look: u64,
    /// See `look`.
    pub(crate) look_member: f64,
    /// What waking a sleeping thread takes the one that does it.
    pub(crate) unpark: u64,
    /// Until a thread that is woken runs.
    pub(crate) wake: u64,
    /// How much longer than asked for a sleep with a time limit is.
    pub(crate) overshoot: u64,
    /// Giving way to other threads (rayon, between looks).
    pub(crate) give_way: u64,
    /// A section under a lock that all share (Spice).
    pub(crate) lock: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Costs {
            sumac_join: 1.0,
            spice_join: 0.7,
            rayon_join: 17.0,
            tick: 100,
            promotion: 150,
            reclaim: 50,
            steal: 300,
            line: 100,
            look: 60,
            look_member: 4.0,
            unpark: 5_000,
            wake: 30_000,
            overshoot: 55_000,
            give_way: 400,
            lock: 100,
        }
    }
}

impl Costs {
    /// Those in a file of JSON.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a cost is out of range.
    pub(crate) fn read(path: &Path) -> Result<Costs, String> {
        let none = |why| format!("{} has no costs: {why}", path.display());
        let costs: Costs = serde_json::from_str(&file::read(path)?).map_err(none)?;
        // Joins take parts of nanoseconds.
        let in_range = |cost: &Value| match (cost.is_f64(), cost.as_f64()) {
            (true, Some(ns)) => (0.0..1e6).contains(&ns),
            (false, Some(ns)) => ns <= 1e9,
            (_, None) => false,
        };
        let all = serde_json::to_value(costs).map_err(none)?;
        let fine = all
            .as_object()
            .is_some_and(|all| all.values().all(in_range));
        if !fine || costs.look == 0 {
            let why = "a cost is out of range: joins below 1 ms, others up to 1 s, `look` above 0";
            return Err(why.into());
        }
        Ok(costs)
    }
}

/// How fast workers are together.
#[derive(Args, Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Machine {
    /// Physical cores; each serves two workers [default: one for every worker]
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) cores: Option<usize>,

    /// What the second worker on a core adds to the first, from 0 to 1
    #[arg(long, default_value = "1", value_parser = |text: &str| number(text, 0.0..=1.0))]
    pub(crate) smt: f64,

    /// How many workers at full speed the memory serves
    #[arg(long, value_parser = |text: &str| number(text, 0.1..=1024.0))]
    pub(crate) bandwidth: Option<f64>,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            cores: None,
            smt: 1.0,
            bandwidth: None,
        }
    }
}

impl Machine {
    /// The speed of each of so many workers that work, in units a nanosecond.
    pub(crate) fn speed(&self, working: usize) -> u64 {
        let all = working.max(1) as f64;
        let cores = self.cores.map_or(all, |cores| cores as f64);
        let seconds = (all - cores).max(0.0).min(cores);
        let mut together = all.min(cores) + seconds * self.smt;
        if let Some(bandwidth) = self.bandwidth {
            together = together.min(bandwidth);
        }
        ((together / all * UNIT as f64) as u64).clamp(1, UNIT)
    }
}

/// A number in a range.
pub(super) fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let (least, most) = (*range.start(), *range.end());
    match text.parse() {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => Err(format!("a number from {least} to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_share_cores_and_memory() {
        let machine = Machine {
            cores: Some(8),
            smt: 0.5,
            bandwidth: Some(10.0),
        };
        assert_eq!(Machine::default().speed(1000), UNIT);
        assert_eq!(machine.speed(8), UNIT);
        assert_eq!(machine.speed(9), (8.5 / 9.0 * UNIT as f64) as u64);
        assert_eq!(machine.speed(16), 10 * UNIT / 16);
        assert_eq!(machine.speed(0), UNIT);
    }
}

//! The simulator against this machine: its programs on one and two threads.
//!
//! The shortest time of the plain program gives the work of a piece. What a join adds differs from
//! program to program, since the processor does it beside other things: for the tree and fib it is
//! taken from their shortest calls on one thread, so that those rows are right by construction. In
//! the leaves joins are few, and have the price that they have in fib. Nothing is taken from calls
//! on two threads.

use std::time::Duration;

use super::{PROGRAMS, Price, Program, Simulated, prices};
use crate::contender::Id;
use crate::experiment::{Failure, Limits, Records, Rounds, seats};
use crate::machine::{self, Machine};
use crate::others::Watch;
use crate::problem::Problem;
use crate::problem::fib::Fib;
use crate::stats::Summary;
use crate::workload::{self, Parameters, find};

/// How many of the programs the lab has, too.
const CHECKED: usize = 6;

/// What stands below the table.
pub(crate) const NOTE: &str = "The shortest calls count: other programs lengthen the others. The \
    work is the plain program's; fib and the tree have the price of a join from their shortest \
    calls on one thread, so that those rows are right by construction.";

/// Measures and simulates.
///
/// # Errors
///
/// There are not two processors, or something fails.
pub(crate) fn check(quick: bool, seed: u64) -> Result<Vec<Simulated>, Failure> {
    if machine::cores() < 2 {
        return Err(Failure::Other("a check takes two processors".into()));
    }
    let seats = seats(&[Id::Baseline, Id::SumacScope], &[1, 2]);
    let limits = Limits {
        rounds: if quick { 3 } else { 100 },
        time: Duration::from_secs(if quick { 1 } else { 8 }),
    };
    let rounds = Rounds::hot(&seats, limits);
    let (mut all, mut load) = (Vec::new(), 0.0);
    let prices = prices::measured();
    for mut program in PROGRAMS.into_iter().take(CHECKED) {
        program.size = match (program.name, quick) {
            ("tree", true) => 16_383,
            ("tree", false) => 16_777_215,
            ("fib", true) => 18,
            _ => program.size,
        };
        let problem = find(workload::all(), program.name)?;
        let problem = (problem.make)(Parameters(""), program.size as usize);
        let times = Times::of(|| problem.measure(program.name, &rounds))?;
        drop(problem);
        let mut pieces = program.size;
        match program.name {
            "tree" => load = times.load(program.size),
            "fib" => {
                let joins = Fib(program.size as u32).pieces();
                (pieces, load) = (2 * joins + 1, times.load(joins));
            }
            _ => {}
        }
        all.extend(times.simulated(program, pieces, load, &prices, seed)?);
    }
    Ok(all)
}

/// What was measured, in nanoseconds.
struct Times {
    /// The plain program's shortest time.
    plain: f64,
    /// All times of sumac's on one and two threads.
    sumac: [Vec<f64>; 2],
    /// How many cores other programs used meanwhile.
    others: Option<f64>,
}

impl Times {
    fn of(measure: impl FnOnce() -> Result<Records, Failure>) -> Result<Times, Failure> {
        let watch = Watch::start();
        let records = measure()?;
        let others = watch.cores_of_others();
        let samples = |id, threads| {
            let record = records.get(id, threads);
            record.map_or(vec![f64::NAN], |record| record.samples.clone())
        };
        Ok(Times {
            plain: Summary::of(&samples(Id::Baseline, 1)).min,
            sumac: [1, 2].map(|threads| samples(Id::SumacScope, threads)),
            others,
        })
    }

    /// Half of what each of so many joins adds on one thread, in picoseconds.
    fn load(&self, joins: u64) -> f64 {
        let added = Summary::of(&self.sumac[0]).min - self.plain;
        added.max(0.0) * 1e3 / joins as f64 / 2.0
    }

    /// The same program of so many pieces, simulated.
    fn simulated(
        &self,
        program: Program,
        pieces: u64,
        load: f64,
        prices: &[Price],
        seed: u64,
    ) -> Result<Vec<Simulated>, Failure> {
        let piece = self.plain / pieces as f64;
        let prices = [prices, &[("load", load)]].concat();
        let rows = Program { piece, ..program }.simulate(&[1, 2], seed, &prices)?;
        let with = |(row, measured): (Simulated, &Vec<f64>)| Simulated {
            measured: measured.clone(),
            machine: Some(Machine::this()),
            cores_of_others: self.others,
            ..row
        };
        Ok(rows.into_iter().zip(&self.sumac).map(with).collect())
    }
}

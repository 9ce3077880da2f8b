//! What is measured, and how: as in `adders/c/constants.c`.

use crate::binding;
use std::{env, process::ExitCode, time::Instant};

/// How many times a process measures.
const BATCHES: usize = 100;

/// Nanoseconds of each of so many calls, the median of batches. None if they are wrong.
pub(crate) fn timed(calls: i64, expected: i32, mut call: impl FnMut() -> i32) -> Option<f64> {
    let mut right = true;
    let batch = |_| {
        let start = Instant::now();
        let total: i64 = (0..calls).map(|_| i64::from(call())).sum();
        right &= total == calls * i64::from(expected);
        start.elapsed().as_nanos() as f64 / calls as f64
    };
    let mut ns: Vec<f64> = (0..BATCHES).map(batch).collect();
    ns.sort_by(f64::total_cmp);
    right.then_some(ns[BATCHES / 2])
}

/// The calls on MPI's C interface: `probe`, `count` or `trip`.
pub(crate) fn on_the_interface(what: &str, rank: i32, calls: i64) -> Option<f64> {
    let mut status = binding::status();
    let mut number = 0.0;
    match what {
        "probe" => timed(calls, 0, binding::handles_probe),
        "count" => timed(calls, 3, || binding::handles_count(&status)),
        _ => timed(calls, 1, || {
            binding::trip(rank, &mut number, &mut status).into()
        }),
    }
}

/// Measures what the arguments ask for, and prints it at rank 0: `measure` gets who calls, what,
/// this process's rank, and the calls of a batch.
pub(crate) fn main(measure: impl FnOnce(&str, &str, i32, i64) -> Option<f64>) -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let calls = words.get(2).and_then(|calls| calls.parse().ok());
    let calls = calls.map_or(0, |calls: i64| calls / BATCHES as i64);
    if calls == 0 || !["probe", "count", "trip"].contains(&&*words[1]) {
        eprintln!("expected WHO probe|count|trip CALLS, a hundred at least");
        return ExitCode::from(2);
    }
    let rank = binding::initialise();
    let ns = measure(&words[0], &words[1], rank, calls);
    binding::finalise();
    match ns {
        Some(ns) if rank == 0 => println!("{ns:.3}"),
        Some(_) => {}
        None => eprintln!("wrong answers"),
    }
    if ns.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

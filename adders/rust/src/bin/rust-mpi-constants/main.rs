//! What MPI's constants cost in Rust, where they are loaded from memory: two of the smallest calls
//! that take them, as in `adders/c/constants.c`, on MPI's C interface and on the `mpi` crate.
//!
//!     mpiexec -n 1 rust-mpi-constants binding|wrapper|roomy|held probe|count CALLS
//!
//! `roomy` is the binding with a frame as C's, `held` that with constants that are loaded once for
//! all calls.
//!
//! Prints the nanoseconds of a call, the median of a hundred batches.

#![deny(unsafe_code)]

mod binding;

use mpi::{
    point_to_point::{self, Status},
    topology::SimpleCommunicator,
    traits::*,
};
use std::{env, process::ExitCode, time::Instant};

/// Whether a message is there.
#[inline(never)]
fn handles_probe(world: &SimpleCommunicator) -> i32 {
    world.any_process().immediate_probe().is_some().into()
}

/// How many numbers a message had.
#[inline(never)]
fn handles_count(status: &Status) -> i32 {
    status.count(f64::equivalent_datatype())
}

/// How many times a process measures.
const BATCHES: usize = 100;

/// Nanoseconds of each of so many calls, the median of batches. None if they are wrong.
fn timed(calls: i64, expected: i32, call: impl Fn() -> i32) -> Option<f64> {
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

fn main() -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        eprintln!("MPI does not start");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let calls: Option<i64> = words.get(2).and_then(|calls| calls.parse().ok());
    let calls = calls.map(|calls| calls / BATCHES as i64);
    let (&[who, what, _], Some(calls)) = (&words[..], calls.filter(|calls| *calls > 0)) else {
        eprintln!("expected binding|wrapper|roomy|held probe|count CALLS, a hundred at least");
        return ExitCode::from(2);
    };
    let ns = match (who, what) {
        ("binding", "probe") => timed(calls, 0, binding::handles_probe),
        ("roomy", "probe") => timed(calls, 0, binding::roomy::handles_probe),
        ("held", "probe") => {
            let ((source, tag, world, ignore), _) = binding::held::constants();
            timed(calls, 0, || {
                binding::held::handles_probe(source, tag, world, ignore)
            })
        }
        ("wrapper", "probe") => timed(calls, 0, || handles_probe(&world)),
        ("binding", _) => {
            let status = binding::status();
            timed(calls, 3, || binding::handles_count(&status))
        }
        ("roomy", _) => {
            let status = binding::status();
            timed(calls, 3, || binding::roomy::handles_count(&status))
        }
        ("held", _) => {
            let (status, (_, kind)) = (binding::status(), binding::held::constants());
            timed(calls, 3, || binding::held::handles_count(&status, kind))
        }
        _ => {
            let myself = SimpleCommunicator::self_comm();
            let (own, mut received) = (myself.this_process(), [0_f64; 3]);
            let sent = [1_f64, 2.0, 3.0];
            let status =
                point_to_point::send_receive_into(&sent[..], &own, &mut received[..], &own);
            timed(calls, 3, || handles_count(&status))
        }
    };
    let Some(ns) = ns else {
        eprintln!("wrong answers");
        return ExitCode::FAILURE;
    };
    println!("{ns:.3}");
    ExitCode::SUCCESS
}

//! What no adder can beat: how fast so many threads read as many bytes, each its own equal part, with nothing in common but when
//! they begin and end. They wait for each other busily, so that nobody has to be woken.

#![forbid(unsafe_code)]

use std::{
    hint,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};
use sumac_adders::{Failure, Job, complain, microseconds, read, sum, threads};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain("floor", &failure);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let (job, threads) = (Job::new()?, threads()?);
    let start = Instant::now();
    let bytes = job.load()?;
    let load_us = microseconds(start);
    let total = sum(&bytes);
    let met = AtomicUsize::new(0);
    let part = |thread: usize| {
        let at = |n: usize| bytes.len() * n / threads;
        &bytes[at(thread)..at(thread + 1)]
    };
    let passes = job.warm + 1;
    let pass = |thread: usize, number: usize| {
        meet(&met, (2 * number + 1) * threads);
        let start = Instant::now();
        hint::black_box(read(part(thread)));
        meet(&met, (2 * number + 2) * threads);
        microseconds(start)
    };
    let report = thread::scope(|scope| {
        for thread in 1..threads {
            let pass = &pass;
            scope.spawn(move || (0..passes).map(|number| pass(thread, number)).sum::<f64>());
        }
        let mut number = 0;
        let pass = || {
            number += 1;
            Ok::<_, Failure>((total, pass(0, number - 1)))
        };
        job.passes("floor", (1, threads), load_us, pass)
    })?;
    report.print()
}

/// Waits until all have come here so often.
fn meet(met: &AtomicUsize, all: usize) {
    met.fetch_add(1, Ordering::AcqRel);
    let mut spins = 0_u32;
    while met.load(Ordering::Acquire) < all {
        spins += 1;
        if spins % 1000 == 0 {
            thread::yield_now();
        }
        hint::spin_loop();
    }
}

//! A yardstick for adders: how fast the bytes can be read by as many threads at most, of all ways
//! that we know.
//!
//! * alone: one thread reads all, and waits for no other;
//! * parts: as many threads as asked for, but no more than processors, each its own equal part, the
//!   same in each pass;
//! * blocks: as many threads, each taking the next block, so that one that is held up has fewer;
//! * crowd: the same with all threads asked for: more threads get more of a machine that is busy
//!   otherwise.
//!
//! Each way has bytes loaded anew. What is reported is the shortest cold pass, and the warm passes
//! of the way whose median is the shortest.

#![forbid(unsafe_code)]

use std::{
    hint,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};
use sumac_adders::{Failure, Gate, Job, Report, complain, microseconds, read, sum, threads};

/// Bytes in a block.
const BLOCK: usize = 1 << 16;

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
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let team = threads.min(processors);
    let mut best = visit(&job, 1, parts)?;
    // With a team of one, the same once more: memory differs from load to load.
    for (team, way) in [(team, parts as Way), (team, blocks), (threads, blocks)] {
        let other = visit(&job, team, way)?;
        let cold_us = best.cold_us.min(other.cold_us);
        if median(&other) < median(&best) {
            best = other;
        }
        best.cold_us = cold_us;
    }
    best.threads = threads;
    best.print()
}

/// Reads the bytes of one of so many threads; so many blocks have been taken by all of them.
type Way = fn(bytes: &[u8], thread: usize, team: usize, taken: &AtomicUsize);

/// Loads, and makes all passes with a team.
fn visit(job: &Job, team: usize, way: Way) -> Result<Report, Failure> {
    let start = Instant::now();
    let bytes = job.load()?;
    let load_us = microseconds(start);
    let passes = job.warm + 1;
    let gate = Gate::new(team - 1);
    // One for each pass, so that none has to be set back.
    let taken: Vec<AtomicUsize> = (0..passes).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for thread in 1..team {
            let (gate, bytes, taken) = (&gate, &*bytes, &taken);
            scope.spawn(move || {
                for (pass, taken) in taken.iter().enumerate() {
                    gate.follow(pass + 1, || way(bytes, thread, team, taken));
                }
            });
        }
        let mut pass = 0;
        let mut report = job.passes("floor", (1, team), load_us, || {
            pass += 1;
            let us = gate.lead(pass, || way(&bytes, 0, team, &taken[pass - 1]));
            Ok::<_, Failure>((0, us))
        })?;
        report.sum = sum(&bytes);
        Ok(report)
    })
}

fn parts(bytes: &[u8], thread: usize, team: usize, _: &AtomicUsize) {
    let at = |n: usize| bytes.len() * n / team;
    hint::black_box(read(&bytes[at(thread)..at(thread + 1)]));
}

fn blocks(bytes: &[u8], _: usize, _: usize, taken: &AtomicUsize) {
    loop {
        // The gate orders the passes; within one, every number is taken once.
        let begin = taken.fetch_add(1, Ordering::Relaxed) * BLOCK;
        if begin >= bytes.len() {
            break;
        }
        hint::black_box(read(&bytes[begin..bytes.len().min(begin + BLOCK)]));
    }
}

/// The median of the warm passes, or the cold one if there are none.
fn median(report: &Report) -> f64 {
    let mut times = report.warm_us.clone();
    times.sort_by(f64::total_cmp);
    times
        .get(times.len() / 2)
        .copied()
        .unwrap_or(report.cold_us)
}

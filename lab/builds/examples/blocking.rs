//! Work that blocks, on pools of two threads: a hundred tasks, and a loop of a hundred items, each
//! of which sleeps for ten milliseconds; and what `sumac::blocking` costs around a closure that
//! does not block.
//!
//!     cargo run --release -p sumac-builds --example blocking [--json] [ROUNDS]

use std::{
    hint::black_box,
    process::ExitCode,
    thread::{self, sleep},
    time::{Duration, Instant},
};
use sumac::{ThreadPool, ThreadPoolBuilder, blocking, prelude::*};
use sumac_record::{Asked, Cell, Measured, Turns};

const THREADS: usize = 2;
const COUNT: usize = if cfg!(debug_assertions) { 10 } else { 100 };
const NAP: Duration = Duration::from_millis(10);
/// Calls that do not block.
const CALLS: u64 = 10_000;
const CONTENDERS: [&str; 4] = ["threads", "rayon", "sumac", "sumac blocking"];

fn nap() {
    sleep(NAP);
}

fn tasks((sumac, rayon): (&ThreadPool, &rayon::ThreadPool), contender: usize) {
    match contender {
        0 => thread::scope(|s| (0..COUNT).for_each(|_| drop(s.spawn(nap)))),
        1 => rayon.scope(|s| (0..COUNT).for_each(|_| s.spawn(|_| nap()))),
        2 => sumac.task_scope(|s| (0..COUNT).for_each(|_| s.spawn(|_| nap()))),
        _ => sumac.task_scope(|s| (0..COUNT).for_each(|_| s.spawn(|_| blocking(nap)))),
    }
}

fn items((sumac, rayon): (&ThreadPool, &rayon::ThreadPool), contender: usize) {
    match contender {
        0 => thread::scope(|s| (0..COUNT).for_each(|_| drop(s.spawn(nap)))),
        1 => rayon.install(|| {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            ParallelIterator::for_each(IntoParallelIterator::into_par_iter(0..COUNT), |_| nap());
        }),
        2 => sumac.install(|| (0..COUNT).into_par_iter().for_each(|_| nap())),
        _ => sumac.install(|| (0..COUNT).into_par_iter().for_each(|_| blocking(nap))),
    }
}

/// Calls that do not block, plainly or as if they could.
fn free((sumac, _): (&ThreadPool, &rayon::ThreadPool), contender: usize) {
    sumac.install(|| {
        for call in 0..CALLS {
            match contender {
                0 => black_box(call),
                _ => blocking(|| black_box(call)),
            };
        }
    });
}

type Turn = fn((&ThreadPool, &rayon::ThreadPool), usize);

fn main() -> ExitCode {
    Asked::run("blocking", 1, |asked, records| {
        let rayon = rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .build()?;
        let sumac = ThreadPoolBuilder::new().num_threads(THREADS).spares(COUNT);
        let sumac = sumac.build()?;
        let problems: [(&str, Turn, u64, &[&str]); 3] = [
            ("tasks", tasks, COUNT as u64, &CONTENDERS),
            ("items", items, COUNT as u64, &CONTENDERS),
            ("free", free, CALLS, &["baseline", "sumac blocking"]),
        ];
        for (problem, turn, pieces, contenders) in problems {
            let turn = |_, contender| {
                let begin = Instant::now();
                turn((&sumac, &rayon), contender);
                Ok::<_, String>(vec![begin.elapsed().as_nanos() as f64])
            };
            let taken = Turns::of(asked.rounds).take(contenders.len(), turn)?;
            for (contender, samples) in contenders.iter().zip(taken) {
                let threads = if *contender == "baseline" { 1 } else { THREADS };
                let cell = Cell {
                    size: pieces,
                    ..Cell::of(problem, contender, threads)
                };
                let measured = Measured {
                    pieces,
                    batch: 1,
                    samples,
                    ..Measured::default()
                };
                records.push(cell, measured);
            }
        }
        Ok(())
    })
}

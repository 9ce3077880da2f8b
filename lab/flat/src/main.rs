//! Flat loops, the field of orx-parallel: filters, maps, collections, reductions and searches over
//! slices, ranges and iterators, by each library's own means. One process, all in turns; the
//! answers are compared. orx-parallel's benchmarks have these shapes
//! (<https://github.com/orxfun/orx-parallel-benchmarks>).
//!
//!     cargo run --release -p sumac-flat -- [--json] [--quick] [ROUNDS]

#![forbid(unsafe_code)]

mod by_orx;
mod rows;
mod texts;
mod work;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use sumac_record::{Asked, Cell, Records, Turns};

use crate::rows::{Call, Calls};

/// A visit to a library lasts about so long.
const VISIT: Duration = Duration::from_millis(4);
/// Of each library; the caller of sumac's pool is one.
const THREADS: usize = 2;

fn main() -> ExitCode {
    Asked::run("flat", 21, |asked, records| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .build_global()?;
        sumac::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .build_global()?;
        let items: &[usize] = match asked.quick {
            true => &[1, 1000],
            false => &[10_000, 100_000, 1_000_000],
        };
        for &items in items {
            rows::measure(items, THREADS, |name, calls| {
                measure(name, calls, items, asked.rounds, records)
            })?;
        }
        Ok(())
    })
}

/// Measures a row: the libraries take turns. Their answers are compared.
fn measure(
    name: &str,
    mut calls: Calls<'_>,
    items: usize,
    rounds: usize,
    records: &mut Records,
) -> Result<(), Box<dyn Error>> {
    let size = items as u64;
    let answers: Vec<_> = calls
        .iter_mut()
        .map(|(_, call)| call().in_order())
        .collect();
    if answers.iter().any(|answer| *answer != answers[0]) {
        return Err(format!("{name}, {items} items: the answers differ").into());
    }
    drop(answers);
    let count = calls.len();
    let turn = |_, who: usize| Ok::<_, String>(vec![visit(&mut calls[who].1)]);
    let samples = Turns::of(rounds).take(count, turn)?;
    for ((who, _), samples) in calls.iter().zip(samples) {
        let cell = Cell::of(name, who, THREADS);
        records.add(Cell { size, ..cell }, samples);
    }
    Ok(())
}

/// Nanoseconds of a call, on average of as many as a visit has time for.
fn visit(call: &mut Call<'_>) -> f64 {
    let start = Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < VISIT || calls == 0 {
        drop(call());
        calls += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

//! Flat loops, the field of orx-parallel: filters, maps, collections, reductions and searches over
//! slices, ranges and iterators, by each library's own means. One process, all in turns; the
//! answers are compared. orx-parallel's benchmarks have these shapes
//! (<https://github.com/orxfun/orx-parallel-benchmarks>).

#![forbid(unsafe_code)]

mod by_orx;
mod by_paralight;
mod rows;
mod texts;
mod work;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use sumac_record::{Cell, Print, Records, Turns};

use crate::rows::{Call, Row};

/// A visit to a library lasts about so long.
const VISIT: Duration = Duration::from_millis(4);

/// Flat loops by sumac, rayon, orx-parallel and paralight: medians.
#[derive(Debug, Parser)]
struct Arguments {
    /// Numbers of items
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    items: Vec<usize>,
    /// Threads of each library, the caller of sumac's and paralight's pools included
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Rounds, in each of which each library has one turn
    #[arg(long, default_value_t = 21)]
    rounds: usize,
    /// Only rows whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Records, one line of JSON each, instead of a table
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("sumac-flat: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let Arguments {
        threads, rounds, ..
    } = *arguments;
    if threads == 0 || rounds == 0 || arguments.items.contains(&0) {
        return Err("threads, rounds and items must be at least 1".into());
    }
    let failed = |error: &dyn std::error::Error| error.to_string();
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| failed(&error))?;
    sumac::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| failed(&error))?;
    let mut paralight = by_paralight::pool(threads)?;
    let mut records = Records::new("flat");
    for &items in &arguments.items {
        rows::measure(items, threads, &mut paralight, |row| {
            if row.name.contains(&arguments.only) {
                measure(row, items, arguments, &mut records)?;
            }
            Ok(())
        })?;
    }
    if records.lines().is_empty() {
        return Err("no such row".into());
    }
    records
        .print(Print::json_if(arguments.json))
        .map_err(|error| failed(&error))?;
    if arguments.json {
        return Ok(());
    }
    for (others, words) in [
        (
            &["rayon", "orx"][..],
            "the better one of rayon and orx-parallel",
        ),
        (&["rayon"], "rayon"),
    ] {
        if let Some((speed, slowest, row)) = records.faster("sumac", others) {
            println!(
                "\nsumac over {words}: {speed:.2} in the geometric mean (goal 1.00), {slowest:.2} at \
                 least, {row} (goal 0.90)."
            );
        }
    }
    Ok(())
}

/// Measures a row: the libraries take turns. Their answers are compared.
fn measure(
    row: Row<'_>,
    items: usize,
    arguments: &Arguments,
    records: &mut Records,
) -> Result<(), String> {
    let (name, size) = (row.name, items as u64);
    let mut calls = vec![("sumac", row.sumac), ("rayon", row.rayon), ("orx", row.orx)];
    calls.extend(row.paralight.map(|call| ("paralight", call)));
    let answers: Vec<_> = calls
        .iter_mut()
        .map(|(_, call)| call().in_order())
        .collect();
    if answers.iter().any(|answer| *answer != answers[0]) {
        return Err(format!("{name}, {items} items: the answers differ"));
    }
    drop(answers);
    let turns = Turns::of(arguments.rounds);
    let samples = turns.take(
        calls.len(),
        |_| (),
        |_, who| Ok::<_, String>(vec![visit(&mut calls[who].1)]),
    )?;
    for ((who, _), samples) in calls.iter().zip(samples) {
        let cell = Cell::of(name, who, arguments.threads);
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

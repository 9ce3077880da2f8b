//! Flat loops, the field of orx-parallel: filters, maps, collections, reductions and searches over
//! slices, ranges and iterators, by each library's own means. One process, all in turns; the
//! answers are compared. orx-parallel's benchmarks have these shapes
//! (<https://github.com/orxfun/orx-parallel-benchmarks>).

#![forbid(unsafe_code)]

mod by_orx;
mod by_paralight;
mod rows;
mod table;
mod texts;
mod times;
mod work;

use std::process::ExitCode;

use clap::Parser;

/// Flat loops by sumac, rayon, orx-parallel and paralight: medians in microseconds.
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
    let mut table = table::Table::new(threads);
    for &items in &arguments.items {
        rows::measure(items, threads, &mut paralight, |row| {
            if row.name.contains(&arguments.only) {
                table.add(row, items, rounds)?;
            }
            Ok(())
        })?;
    }
    table.finish()
}

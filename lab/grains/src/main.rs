//! What it costs to leave out all grain sizes: programs of the kind of the Problem Based Benchmark
//! Suite (<https://cmuparlay.github.io/pbbsbench/>), each with the cut-offs and shortest lengths
//! that a programmer would tune for rayon, and with none, by rayon and sumac. One process, all in
//! turns; the answers are compared with the sequential one.

#![forbid(unsafe_code)]

mod input;
#[cfg(test)]
mod oracles;
mod programs;
mod table;
mod texts;
#[path = "../../flat/src/times.rs"]
mod times;

use std::process::ExitCode;

use clap::Parser;

use crate::input::Input;
use crate::programs::{PROGRAMS, Program};

/// Programs with hand-tuned grains and with none, by rayon and sumac: medians in milliseconds.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only these programs
    names: Vec<String>,
    /// Small inputs and three rounds: seconds, to see that it works
    #[arg(long)]
    quick: bool,
    /// Threads of each library
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Rounds, in each of which each contender has one turn [default: 15, with --quick 3]
    #[arg(long)]
    rounds: Option<usize>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ran = match chosen(&arguments) {
        Ok(programs) => run(&arguments, &programs).map_err(|why| (why, 1)),
        Err(why) => Err((why, 2)),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err((why, code)) => {
            eprintln!("sumac-grains: {why}");
            ExitCode::from(code)
        }
    }
}

/// The programs asked for, or what is wrong with the arguments.
fn chosen(arguments: &Arguments) -> Result<Vec<&'static Program>, String> {
    if arguments.threads == 0 || arguments.rounds == Some(0) {
        return Err("threads and rounds must be at least 1".into());
    }
    if arguments.names.is_empty() {
        return Ok(PROGRAMS.iter().collect());
    }
    let find = |name: &String| {
        let found = PROGRAMS.iter().find(|program| program.name == name);
        found.ok_or_else(|| {
            let all: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
            format!("no program {name:?}: there are {}", all.join(", "))
        })
    };
    arguments.names.iter().map(find).collect()
}

fn run(arguments: &Arguments, programs: &[&Program]) -> Result<(), String> {
    let failed = |error: &dyn std::error::Error| error.to_string();
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads)
        .build_global()
        .map_err(|error| failed(&error))?;
    sumac::ThreadPoolBuilder::new()
        .num_threads(arguments.threads)
        .build_global()
        .map_err(|error| failed(&error))?;
    let items = if arguments.quick { 10_000 } else { 1_000_000 };
    let rounds = arguments
        .rounds
        .unwrap_or(if arguments.quick { 3 } else { 15 });
    let input = Input::random(items);
    let mut table = table::Table::new(arguments.threads);
    for program in programs {
        table.add(program, &input, rounds)?;
    }
    table.finish();
    Ok(())
}

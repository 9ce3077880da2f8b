//! What it costs to leave out all grain sizes: programs of the kind of the Problem Based Benchmark
//! Suite (<https://cmuparlay.github.io/pbbsbench/>), each with the cut-offs and shortest lengths
//! that a programmer would tune for rayon, and with none, by rayon and sumac. One process, all in
//! turns; the answers are compared with the sequential one.
//!
//!     cargo run --release -p sumac-grains -- [--json] [--quick] [ROUNDS]

#![forbid(unsafe_code)]

mod input;
mod programs;
#[cfg(test)]
mod tests;
mod texts;

use std::process::ExitCode;
use std::time::Instant;

use sumac_record::{Asked, Cell, Turns};

use crate::input::Input;
use crate::programs::{CONTENDERS, PROGRAMS, Program};

/// Of each library.
const THREADS: usize = 2;

fn main() -> ExitCode {
    Asked::run("grains", 15, |asked, records| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .build_global()?;
        sumac::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .build_global()?;
        let items = if asked.quick { 10_000 } else { 1_000_000 };
        let input = Input::random(items);
        for program in PROGRAMS {
            let size = items as u64;
            let samples = measure(program, &input, asked.rounds)?;
            for (who, samples) in CONTENDERS.iter().zip(samples) {
                let cell = Cell::of(program.name, who, THREADS);
                records.add(Cell { size, ..cell }, samples);
            }
        }
        Ok(())
    })
}

/// Nanoseconds of each text of a program in each round. Answers are compared with the sequential
/// one.
fn measure(program: &Program, input: &Input, rounds: usize) -> Result<Vec<Vec<f64>>, String> {
    let Program { name, texts } = program;
    let right = texts[0](input);
    Turns::of(rounds).take(texts.len(), |_, which| {
        let start = Instant::now();
        let answer = texts[which](input);
        let lasted = start.elapsed().as_nanos() as f64;
        match answer == right {
            true => Ok(vec![lasted]),
            false => Err(format!("{name}: {} has a wrong answer", CONTENDERS[which])),
        }
    })
}

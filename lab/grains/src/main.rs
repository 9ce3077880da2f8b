//! What it costs to leave out all grain sizes: programs of the kind of the Problem Based Benchmark
//! Suite (<https://cmuparlay.github.io/pbbsbench/>), each with the cut-offs and shortest lengths
//! that a programmer would tune for rayon, and with none, by rayon and sumac. One process, all in
//! turns; the answers are compared with the sequential one.

#![forbid(unsafe_code)]

mod input;
#[cfg(test)]
mod oracles;
mod programs;
mod texts;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use sumac_record::{Cell, Print, Records, Turns};

use crate::input::Input;
use crate::programs::{CONTENDERS, PROGRAMS, Program};

/// Programs with hand-tuned grains and with none, by rayon and sumac: medians.
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
    /// Records, one line of JSON each, instead of a table
    #[arg(long)]
    json: bool,
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
    let mut records = Records::new("grains");
    for program in programs {
        let size = items as u64;
        for (who, samples) in CONTENDERS.iter().zip(measure(program, &input, rounds)?) {
            let cell = Cell::of(program.name, who, arguments.threads);
            records.add(Cell { size, ..cell }, samples);
        }
    }
    records
        .print(Print::json_if(arguments.json))
        .map_err(|error| failed(&error))?;
    if arguments.json {
        return Ok(());
    }
    let parallel = &CONTENDERS[2..];
    for (who, others, words, mean, least) in [
        ("rayon none", parallel, "the best parallel one", 1.0, 1.0),
        (
            "sumac none",
            parallel,
            "the best parallel one",
            1.0 / 1.05,
            1.0 / 1.3,
        ),
        ("sumac none", &CONTENDERS[2..3], "rayon tuned", 1.1, 0.98),
    ] {
        if let Some((speed, slowest, row)) = records.faster(who, others) {
            println!(
                "\n{who} over {words}: {speed:.2} in the geometric mean (goal {mean:.2}), \
                 {slowest:.2} at least, {row} (goal {least:.2})."
            );
        }
    }
    Ok(())
}

/// Nanoseconds of each text of a program in each round. Answers are compared with the sequential
/// one.
fn measure(program: &Program, input: &Input, rounds: usize) -> Result<Vec<Vec<f64>>, String> {
    let Program { name, texts } = program;
    let right = texts[0](input);
    Turns::of(rounds).take(
        texts.len(),
        |_| (),
        |_, which| {
            let start = Instant::now();
            let answer = texts[which](input);
            let lasted = start.elapsed().as_nanos() as f64;
            match answer == right {
                true => Ok(vec![lasted]),
                false => Err(format!("{name}: {} has a wrong answer", CONTENDERS[which])),
            }
        },
    )
}

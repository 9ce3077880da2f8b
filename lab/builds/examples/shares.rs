//! Eight programs under make, on two processors: with the feature `jobserver` each has four threads
//! and shares make's two tokens with the others; beside divisions that are fixed before. And one
//! program while tokens are free, beside the same without a jobserver. It needs GNU make.
//!
//!     cargo run --release -p sumac-builds --example shares [--json] [ROUNDS]

use std::{
    env,
    error::Error,
    io::Write,
    process::{Command, ExitCode, Stdio},
    time::Instant,
};
use sumac::{Jobserver, ThreadPoolBuilder};
use sumac_record::{Asked, Cell, Measured, Turns};

const PROGRAMS: usize = 8;
const IS_SMALL: bool = cfg!(debug_assertions);

/// What it is called; how many programs there are; how many rounds each computes, and the last one;
/// and of which number.
type Work = (&'static str, usize, [usize; 2], u64);

#[rustfmt::skip]
const WORK: [Work; 5] = [
    ("programs, long joins", PROGRAMS, [3, 3], 36),
    ("programs, joins of a millisecond", PROGRAMS, [150, 150], 27),
    ("programs, one of them long", PROGRAMS, [1, 8], 36),
    ("one program, long joins", 1, [1, 1], 36),
    ("one program, joins of a millisecond", 1, [60, 60], 27),
];

/// A way to divide the processors: what it is called, make's jobs, the threads of a program, and
/// whether make passes its jobserver on.
type Division = (&'static str, usize, usize, bool);

const DIVISIONS: [Division; 4] = [
    ("-j2, jobserver", 2, 4, true),
    ("-j2, 1 thread", 2, 1, false),
    ("-j1, 2 threads", 1, 2, false),
    ("-j2, 4 threads", 2, 4, false),
];
/// Of one program, while tokens are free.
const FREELY: [Division; 2] = [("alone", 5, 2, false), ("free tokens", 5, 2, true)];

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = sumac::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// One of the programs. Prints the nanoseconds that it has computed.
fn program(words: &[String]) -> Result<(), Box<dyn Error>> {
    // First, before the program opens any file.
    let jobserver = Jobserver::from_env();
    let mut builder = ThreadPoolBuilder::new().num_threads(words[0].parse()?);
    if let Ok(jobserver) = jobserver {
        builder = builder.permits(jobserver);
    }
    let pool = builder.build()?;
    let (rounds, number): (usize, u64) = (words[1].parse()?, words[2].parse()?);
    let begin = Instant::now();
    for _ in 0..rounds {
        pool.install(|| fib(number));
    }
    println!("{}", begin.elapsed().as_nanos());
    Ok(())
}

/// Runs programs under make. Returns the nanoseconds of make, or of the program if it is the only
/// one.
fn make(work: &Work, division: &Division) -> Result<f64, Box<dyn Error>> {
    let &(_, count, rounds, number) = work;
    let &(_, jobs, threads, passes) = division;
    let program = env::current_exe()?;
    let plus = if passes { "+" } else { "" };
    let number = if IS_SMALL { number / 2 } else { number };
    let mut text = String::from(".PHONY: all\nall:");
    (0..count).for_each(|n| text += &format!(" p{n}"));
    for n in 0..count {
        let rounds = rounds[usize::from(n + 1 == count)];
        text += &format!("\n.PHONY: p{n}\np{n}:\n\t{plus}@'{}' ", program.display());
        text += &format!("program {threads} {rounds} {number}");
    }
    text += "\n";
    let mut command = Command::new("make");
    command.args(["-f", "-", &format!("-j{jobs}")]);
    let of_make = |(name, _): &(std::ffi::OsString, _)| name.to_string_lossy().contains("MAKE");
    for (name, _) in env::vars_os().filter(of_make) {
        command.env_remove(name);
    }
    let begin = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("make cannot be started: {error}"))?;
    let mut input = child.stdin.take().ok_or("no input")?;
    input.write_all(text.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    let all = begin.elapsed().as_nanos() as f64;
    if !output.status.success() {
        return Err(format!("make ended with {}", output.status).into());
    }
    let said = String::from_utf8(output.stdout)?;
    let last = said.lines().last().ok_or("a program has printed nothing")?;
    Ok(if count == 1 { last.parse()? } else { all })
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "program") {
        return match program(&words[1..]) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    Asked::run("shares", 1, |asked, records| {
        for work in &WORK {
            let &(problem, count, ..) = work;
            let divisions = if count == 1 { &FREELY[..] } else { &DIVISIONS };
            let turn = |_, division: usize| {
                let taken = make(work, &divisions[division]);
                taken.map(|ns| vec![ns]).map_err(|error| error.to_string())
            };
            let taken = Turns::of(asked.rounds).take(divisions.len(), turn)?;
            for ((name, ..), samples) in divisions.iter().zip(taken) {
                let cell = Cell {
                    size: count as u64,
                    ..Cell::of(problem, name, 2)
                };
                let measured = Measured {
                    pieces: count as u64,
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

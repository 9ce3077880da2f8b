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

/// What a program computes: so many rounds, the last program more of them, and of which number.
struct Work {
    name: &'static str,
    rounds: [usize; 2],
    number: u64,
}

const WORK: [Work; 3] = [
    Work {
        name: "programs, long joins",
        rounds: [3, 3],
        number: 36,
    },
    Work {
        name: "programs, joins of a millisecond",
        rounds: [150, 150],
        number: 27,
    },
    Work {
        name: "programs, one of them long",
        rounds: [1, 8],
        number: 36,
    },
];
/// For one program while tokens are free.
const FREE: [Work; 2] = [
    Work {
        name: "one program, long joins",
        rounds: [1, 1],
        number: 36,
    },
    Work {
        name: "one program, joins of a millisecond",
        rounds: [60, 60],
        number: 27,
    },
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

/// Runs `count` programs under make. Returns the nanoseconds of make, and of the last program.
fn make(work: &Work, count: usize, division: &Division) -> Result<[f64; 2], Box<dyn Error>> {
    let &(_, jobs, threads, passes) = division;
    let program = env::current_exe()?;
    let (plus, number) = (if passes { "+" } else { "" }, work.number);
    let number = if IS_SMALL { number / 2 } else { number };
    let mut text = String::from(".PHONY: all\nall:");
    (0..count).for_each(|n| text += &format!(" p{n}"));
    for n in 0..count {
        let rounds = work.rounds[usize::from(n + 1 == count)];
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
    Ok([all, last.parse()?])
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
        let programs = WORK.iter().map(|work| (work, PROGRAMS, &DIVISIONS[..], 0));
        let free = FREE.iter().map(|work| (work, 1, &FREELY[..], 1));
        for (work, count, divisions, which) in programs.chain(free) {
            let turn = |_, division: usize| {
                make(work, count, &divisions[division])
                    .map(|taken| vec![taken[which]])
                    .map_err(|error| error.to_string())
            };
            let taken = Turns::of(asked.rounds).take(divisions.len(), turn)?;
            for ((name, ..), samples) in divisions.iter().zip(taken) {
                let cell = Cell {
                    size: count as u64,
                    ..Cell::of(work.name, name, 2)
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

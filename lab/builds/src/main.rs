//! Measures the program of this package in every build, each of which it makes by calling cargo.
//!
//! ```text
//! sumac-builds instructions [BUILD..]           BUILD CONTENDER instructions-per-node, a line each
//! sumac-builds [--json] table ROUNDS THREADS..  records of these, and of nanoseconds per node
//! ```
//!
//! Instructions are counted by callgrind. What it runs in turn, in the build that is measured:
//!
//! ```text
//! sumac-builds call BUILD CONTENDER CALLS       so many calls on one thread, and nothing else
//! sumac-builds turns BUILD ROUNDS THREADS..     records of nanoseconds per node
//! ```

#![forbid(unsafe_code)]

mod builds;

use std::env;
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::thread;

use builds::{BUILDS, Build, Failure};
use sumac_builds::{CONTENDERS, Measure, Work, calls_of, load, measure, pieces_of};
use sumac_record::{Cell, Line, Outcome, Records, Turns};

/// Calls before the clock starts: they last longer than it takes for a pool's threads to have
/// started.
const WARM_UP: u64 = 1000;
/// Timed calls of a visit.
const CALLS: u64 = 1000;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (json, words) = match *words {
        ["--json", ref words @ ..] => (true, words),
        ref words => (false, words),
    };
    match run(words, json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("sumac-builds: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str], json: bool) -> Result<(), Failure> {
    match *words {
        ["instructions", ref names @ ..] => {
            let named = names.iter().map(|name| Build::named(name));
            let chosen = match names {
                [] => BUILDS.to_vec(),
                _ => named.collect::<Result<_, _>>()?,
            };
            for (build, contender, count) in counted(&chosen)? {
                println!("{build} {contender} {count:.1}");
            }
        }
        ["table", rounds, ref threads @ ..] => {
            let mut records = Records::new("builds");
            if Command::new("valgrind").arg("--version").output().is_ok() {
                for (build, contender, count) in counted(&BUILDS)? {
                    records.add(cell(build, contender, 1, "instructions"), vec![count]);
                }
            }
            for build in BUILDS {
                let words = [&["turns", build.name, rounds], threads].concat();
                for line in builds::output(&build.program()?, &words)?.lines() {
                    let line: Line = serde_json::from_str(line)?;
                    if let Outcome::Measured(measured) = line.outcome {
                        records.push(line.cell, *measured);
                    }
                }
            }
            records.print(json)?;
        }
        ["call", build, contender, calls] => {
            let work = Work {
                contender: place(contender)?,
                threads: 1,
                warm_up: 0,
                calls: number(calls)?,
            };
            measure_of(build)?(work);
        }
        ["turns", build, rounds, ref threads @ ..] => {
            let mut records = Records::new("builds");
            for threads in threads {
                let all = turns(measure_of(build)?, number(rounds)?, number(threads)?)?;
                for (who, samples) in CONTENDERS.iter().zip(all) {
                    let cell = cell(build, who, number(threads)?, "time");
                    records.add(cell, samples);
                }
            }
            records.print(true)?;
        }
        _ => return Err("what to do? See the head of lab/builds/src/main.rs".into()),
    }
    Ok(())
}

fn cell(build: &str, contender: &str, threads: usize, of: &str) -> Cell {
    Cell {
        parameters: of.into(),
        ..Cell::of(build, contender, threads)
    }
}

/// The instructions a node of each contender in each build.
fn counted(builds: &[Build]) -> Result<Vec<(&'static str, &'static str, f64)>, Failure> {
    // At once: cargo and valgrind leave most cores idle most of the time.
    let counts: Vec<_> = thread::scope(|s| {
        let count = |&build: &Build| s.spawn(move || build.instructions());
        let counting: Vec<_> = builds.iter().map(count).collect();
        counting.into_iter().map(|thread| thread.join()).collect()
    });
    let mut all = Vec::new();
    for (build, counts) in builds.iter().zip(counts) {
        let counts = counts.map_err(|_| "a thread panicked")??;
        let named = |(who, count)| (build.name, who, count);
        all.extend(counts.into_iter().map(named));
    }
    Ok(all)
}

/// The nanoseconds a node of each contender, in turns.
fn turns(measure: Measure, rounds: usize, threads: usize) -> Result<Vec<Vec<f64>>, Failure> {
    Turns::of(rounds).take(CONTENDERS.len(), |_, contender| {
        let who = CONTENDERS[contender];
        let work = Work {
            contender,
            threads,
            warm_up: WARM_UP,
            calls: calls_of(who, CALLS),
        };
        Ok(vec![
            measure(work) as f64 / (work.calls * pieces_of(who)) as f64,
        ])
    })
}

fn measure_of(build: &str) -> Result<Measure, Failure> {
    match Build::named(build)?.is_loaded {
        false => Ok(measure),
        true => load(),
    }
}

fn place(name: &str) -> Result<usize, String> {
    let place = CONTENDERS.iter().position(|contender| *contender == name);
    place.ok_or_else(|| format!("no contender {name}"))
}

fn number<N: FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("{word} is not a number"))
}

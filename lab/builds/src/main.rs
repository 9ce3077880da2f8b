//! Measures the program of this package in every build, each of which it makes by calling cargo.
//!
//! ```text
//! sumac-builds instructions [BUILD..]           BUILD CONTENDER instructions-per-node, a line each
//! sumac-builds [--json] table ROUNDS THREADS..  records of these, and of nanoseconds per node
//! ```
//!
//! Instructions are counted by callgrind. What it runs in turn, in the build that is measured,
//! `linked` to the program or `loaded` as a shared library:
//!
//! ```text
//! sumac-builds call HOW CONTENDER CALLS         so many calls on one thread, and nothing else
//! sumac-builds turns BUILD HOW ROUNDS THREADS.. records of nanoseconds per node
//! ```

#![forbid(unsafe_code)]

mod builds;

use std::env;
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::thread;

use builds::{BUILDS, Build, Failure, How};
use sumac_builds::{Contender, Measure, Work, load, measure};
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
            for (build, contender, count) in counted(&chosen(names)?)? {
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
                let words = [&["turns", build.name, build.how.name(), rounds], threads].concat();
                for line in builds::output(&build.program()?, &words)?.lines() {
                    let line: Line = serde_json::from_str(line)?;
                    if let Outcome::Measured(measured) = line.outcome {
                        records.push(line.cell, *measured);
                    }
                }
            }
            records.print(json)?;
        }
        ["call", how, contender, calls] => {
            let work = Work {
                contender: place(contender)?,
                threads: 1,
                warm_up: 0,
                calls: number(calls)?,
            };
            measure_of(how)?(work);
        }
        ["turns", build, how, rounds, ref threads @ ..] => {
            let mut records = Records::new("builds");
            for threads in threads {
                let all = turns(measure_of(how)?, number(rounds)?, number(threads)?)?;
                for (who, samples) in Contender::ALL.iter().zip(all) {
                    let cell = cell(build, who.name(), number(threads)?, "time");
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
        let named = |(who, count): (Contender, f64)| (build.name, who.name(), count);
        all.extend(counts.into_iter().map(named));
    }
    Ok(all)
}

/// The nanoseconds a node of each contender, in turns.
fn turns(measure: Measure, rounds: usize, threads: usize) -> Result<Vec<Vec<f64>>, Failure> {
    Turns::of(rounds).take(Contender::ALL.len(), |_, contender| {
        let who = Contender::ALL[contender];
        let work = Work {
            contender,
            threads,
            warm_up: WARM_UP,
            calls: who.calls(CALLS),
        };
        Ok(vec![
            measure(work) as f64 / (work.calls * who.pieces()) as f64,
        ])
    })
}

fn measure_of(how: &str) -> Result<Measure, Failure> {
    match How::named(how) {
        Some(How::Linked) => Ok(measure),
        Some(How::Loaded) => load(),
        None => Err(format!("{how} is neither linked nor loaded").into()),
    }
}

fn chosen(names: &[&str]) -> Result<Vec<Build>, String> {
    if names.is_empty() {
        return Ok(BUILDS.to_vec());
    }
    let found = |name: &&str| {
        let build = BUILDS.iter().find(|build| build.name == *name);
        build.copied().ok_or_else(|| format!("no build {name}"))
    };
    names.iter().map(found).collect()
}

fn place(name: &str) -> Result<usize, String> {
    let mut all = Contender::ALL.iter();
    let place = all.position(|contender| contender.name() == name);
    place.ok_or_else(|| format!("no contender {name}"))
}

fn number<N: FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("{word} is not a number"))
}

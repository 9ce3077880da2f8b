//! Measures the program of this package in every build, each of which it makes by calling cargo.
//! One fact a line:
//!
//! ```text
//! sumac-builds instructions [BUILD..]    BUILD CONTENDER instructions-per-node, under callgrind
//! sumac-builds times ROUNDS [THREADS..]  BUILD CONTENDER THREADS nanoseconds-per-node a round
//! ```
//!
//! What it runs in turn, in the build that is measured, `linked` to the program or `loaded` as a
//! shared library:
//!
//! ```text
//! sumac-builds call HOW CONTENDER CALLS    so many calls on one thread, and nothing else
//! sumac-builds rounds HOW ROUNDS THREADS   CONTENDER THREADS nanoseconds-per-node
//! ```

#![forbid(unsafe_code)]

mod builds;

use std::env;
use std::process::ExitCode;
use std::str::FromStr;
use std::thread;

use builds::{BUILDS, Build, Failure, How};
use sumac_builds::{Contender, Measure, Work, load, measure};

/// Calls before the clock starts: they last longer than it takes for a pool's threads to have
/// started.
const WARM_UP: u64 = 1000;
/// Timed calls of a visit.
const CALLS: u64 = 1000;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("sumac-builds: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    match *words {
        ["instructions", ref names @ ..] => {
            let builds = chosen(names)?;
            // At once: cargo and valgrind leave most cores idle most of the time.
            let counts: Vec<_> = thread::scope(|s| {
                let count = |&build: &Build| s.spawn(move || build.instructions());
                let counting: Vec<_> = builds.iter().map(count).collect();
                counting.into_iter().map(|thread| thread.join()).collect()
            });
            for (build, counts) in builds.iter().zip(counts) {
                for (contender, count) in counts.map_err(|_| "a thread panicked")?? {
                    println!("{} {} {count:.1}", build.name, contender.name());
                }
            }
        }
        ["times", rounds, ref threads @ ..] => {
            for build in BUILDS {
                let program = build.program()?;
                for threads in threads {
                    let how = build.how.name();
                    let lines = builds::output(&program, &["rounds", how, rounds, threads])?;
                    for line in lines.lines() {
                        println!("{} {line}", build.name);
                    }
                }
            }
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
        ["rounds", how, rounds, threads] => {
            visit(measure_of(how)?, number(rounds)?, number(threads)?);
        }
        _ => return Err("what to do? See the head of lab/builds/src/main.rs".into()),
    }
    Ok(())
}

/// Every contender once a round; who begins changes from round to round.
fn visit(measure: Measure, rounds: usize, threads: usize) {
    let all = Contender::ALL.len();
    for round in 0..rounds {
        for contender in (0..all).map(|turn| (round + turn) % all) {
            let who = Contender::ALL[contender];
            let work = Work {
                contender,
                threads,
                warm_up: WARM_UP,
                calls: who.calls(CALLS),
            };
            let each = measure(work) as f64 / (work.calls * who.pieces()) as f64;
            println!("{} {threads} {each:.4}", who.name());
        }
    }
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

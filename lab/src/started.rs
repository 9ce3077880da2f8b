//! The programs that `lab run` starts. In each, contenders take turns in one process, which prints
//! a record a line (`sumac-record`).

use std::env;
use std::time::Duration;

use sumac_record::{Cell, Line, Measured};

use crate::experiment::Failure;
use crate::others::Watch;
use crate::patched::{cargo, said};
use crate::tied;

/// After which a program, with cargo that builds it, has failed.
const LIMIT: Duration = Duration::from_secs(3 * 3600);

/// A program.
pub(crate) struct Started {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Its words, behind those of `cargo run --release` if it is not the lab's; N is the number of
    /// rounds.
    words: &'static str,
    rounds: u32,
}

/// All of them.
#[rustfmt::skip]
pub(crate) const STARTED: &[Started] = &[
    Started { name: "tour", about: "what users see first: trees, short calls, idle pools", words: "--json --rounds N", rounds: 15 },
    Started { name: "batch", about: "shared structures", words: "batch --json --rounds N", rounds: 9 },
    Started { name: "fork", about: "the predecessor's tables", words: "fork --json --rounds N", rounds: 7 },
    Started { name: "regressions", about: "published cases that were slower with rayon than without", words: "regressions --json --rounds N", rounds: 9 },
    Started { name: "company", about: "the same beside two busy threads of another process", words: "regressions --beside 2 --turn 1 --json --rounds N", rounds: 7 },
    Started { name: "constants", about: "what MPI's constants cost in C and in Rust", words: "adders/constants.sh --json N", rounds: 31 },
    Started { name: "flat", about: "flat loops beside rayon and orx-parallel", words: "--package sumac-flat -- --json N", rounds: 21 },
    Started { name: "grains", about: "programs with tuned grains and with none", words: "--package sumac-grains -- --json N", rounds: 15 },
    Started { name: "blocking", about: "tasks and items that block, and what saying so costs", words: "--package sumac-builds --example blocking -- --json N", rounds: 9 },
    Started { name: "builds", about: "a fork in each of the builds that users make", words: "--package sumac-builds -- --json table N 1 32", rounds: 15 },
    Started { name: "bursts", about: "control loops that work in bursts", words: "--package sumac-builds --example bursts -- --json N", rounds: 9 },
    Started { name: "calls", about: "calls from many threads into a pool of two", words: "--package sumac-builds --example calls -- --json N", rounds: 10 },
    Started { name: "fib_par", about: "Fibonacci numbers with a cut-off and with none, whole processes", words: "--package sumac-builds --example fib_par -- --json N", rounds: 10 },
    Started { name: "ordered", about: "results in order: pieces that are read, compressed and written", words: "--package sumac-builds --example ordered -- --json N", rounds: 9 },
    Started { name: "shares", about: "eight programs under make that share two processors", words: "--package sumac-builds --example shares -- --json N", rounds: 9 },
    Started { name: "streets", about: "questions that share work, in batches and beside locks", words: "--package sumac-builds --example streets -- --json N", rounds: 7 },
];
/// Those that have small inputs, too.
const QUICK: [&str; 4] = ["batch", "fork", "flat", "grains"];

impl Started {
    /// The program of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Started> {
        STARTED.iter().find(|started| started.name == name)
    }

    /// Runs it, and returns its records.
    ///
    /// # Errors
    ///
    /// It does not end well, or prints what is no record.
    pub(crate) fn run(&self, quick: bool, rounds: Option<u32>) -> Result<Vec<Line>, Failure> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let (mut words, mut script) = (self.words.split_whitespace(), false);
        let mut command = match self.words {
            of if of.starts_with("--package") => {
                let mut command = cargo();
                command.args(["run", "--quiet", "--release", "--manifest-path"]);
                command.arg(format!("{root}/Cargo.toml"));
                command
            }
            of if of.contains(".sh ") => {
                script = true;
                tied::command(format!("{root}/{}", words.next().unwrap_or_default()))
            }
            _ => tied::command(env::current_exe()?),
        };
        let usual = if quick { 1 } else { self.rounds };
        let rounds = rounds.unwrap_or(usual).to_string();
        command.args(words.map(|word| if word == "N" { &rounds } else { word }));
        if quick && QUICK.contains(&self.name) {
            command.arg("--quick");
        }
        let watch = Watch::start();
        let text = said(command, LIMIT)?;
        let others = watch.cores_of_others();
        let line = |text: &str| -> Result<Line, Failure> {
            // A script knows neither the machine nor the time.
            let mut line: Line = match script {
                true => {
                    let (cell, measured): (Cell, Measured) = serde_json::from_str(text)?;
                    Line::new(self.name, cell, measured)
                }
                false => serde_json::from_str(text)?,
            };
            line.experiment = self.name.into();
            line.command = ["run", self.name].map(String::from).into();
            line.cores_of_others = others;
            line.in_turns &= !script;
            Ok(line)
        };
        text.lines().map(line).collect()
    }
}

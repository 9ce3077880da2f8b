//! The programs that `lab run` starts. In each, contenders take turns in one process, which prints
//! a record a line (`sumac-record`).

use std::env;
use std::time::Duration;

use sumac_record::Line;

use crate::experiment::Failure;
use crate::others::Watch;
use crate::patched::{cargo, said};
use crate::tied;

/// After which a program, with cargo that builds it, has failed.
const LIMIT: Duration = Duration::from_secs(3 * 3600);

/// What starts it.
enum By {
    /// This program, by these words.
    Lab,
    /// `cargo run --release`, by these words.
    Package,
    /// The same, an example of `sumac-builds`.
    Example,
}

/// A program.
pub(crate) struct Started {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    by: By,
    /// Words before the number of rounds.
    words: &'static str,
    rounds: u32,
    /// Words behind it.
    behind: &'static str,
    /// Words behind that with `--quick`.
    quick: &'static str,
}

/// All of them.
#[rustfmt::skip]
pub(crate) const STARTED: &[Started] = &[
    by(By::Lab, "tour", "what users see first: trees, short calls, idle pools",
        "--json --rounds", 15, ""),
    by(By::Lab, "loops", "small loops and tasks", "loops --json --rounds", 25, "--quick"),
    by(By::Lab, "batch", "shared structures", "batch --json --rounds", 9, "--quick"),
    by(By::Package, "flat", "flat loops beside rayon, orx-parallel and paralight",
        "--package sumac-flat -- --json --rounds", 21, "--items 1000"),
    by(By::Package, "grains", "programs with tuned grains and with none",
        "--package sumac-grains -- --json --rounds", 15, "--quick"),
    Started {
        behind: "1 32",
        ..by(By::Package, "builds", "a fork in each of the builds that users make",
            "--package sumac-builds -- --json table", 15, "")
    },
    by(By::Example, "bursts", "control loops that work in bursts", "bursts -- --json", 9, ""),
    by(By::Example, "calls", "calls from many threads into a pool of two",
        "calls -- --json", 10, ""),
    by(By::Example, "fib_par", "Fibonacci numbers with a cut-off and with none, whole processes",
        "fib_par -- --json table 42", 10, ""),
    by(By::Example, "streets", "questions that share work, in batches and beside locks",
        "streets -- --json", 7, ""),
];

const fn by(
    by: By,
    name: &'static str,
    about: &'static str,
    words: &'static str,
    rounds: u32,
    quick: &'static str,
) -> Started {
    Started {
        name,
        about,
        by,
        words,
        rounds,
        behind: "",
        quick,
    }
}

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
        let mut command = match self.by {
            By::Lab => tied::command(env::current_exe()?),
            By::Package | By::Example => {
                let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
                let mut command = cargo();
                command.args(["run", "--quiet", "--release", "--manifest-path", manifest]);
                if let By::Example = self.by {
                    command.args(["--package", "sumac-builds", "--example"]);
                }
                command
            }
        };
        let usual = if quick { 1 } else { self.rounds };
        command.args(self.words.split_whitespace());
        command.arg(rounds.unwrap_or(usual).to_string());
        command.args(self.behind.split_whitespace());
        if quick {
            command.args(self.quick.split_whitespace());
        }
        let watch = Watch::start();
        let text = said(command, LIMIT)?;
        let others = watch.cores_of_others();
        let line = |text: &str| -> Result<Line, Failure> {
            let mut line: Line = serde_json::from_str(text)?;
            line.experiment = self.name.into();
            line.command = ["run", self.name].map(String::from).into();
            line.cores_of_others = others;
            Ok(line)
        };
        text.lines().map(line).collect()
    }
}

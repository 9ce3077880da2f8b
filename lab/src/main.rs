//! The lab: measures sumac against its peers and prints what came out.
//! A *problem* (an input, one text, a checker) runs on every *contender* (a runtime behind a narrow
//! trait); an *experiment* interleaves contenders round by round; a *command* chooses experiments
//! and lays their records out as tables or JSON.

#![forbid(unsafe_code)]
// What they share has more than the tour uses.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

#[cfg(feature = "full")]
mod adders;
#[cfg(feature = "full")]
mod batch;
#[cfg(feature = "full")]
mod cells;
mod cli;
mod command;
mod contender;
mod elsewhere;
mod experiment;
#[cfg(feature = "full")]
mod field;
#[cfg(feature = "full")]
mod file;
mod idle;
mod interrupt;
#[cfg(feature = "full")]
mod names;
mod others;
#[cfg(feature = "full")]
mod page;
#[cfg(feature = "full")]
mod patched;
mod problem;
#[cfg(feature = "full")]
mod program;
mod progress;
mod report;
mod results;
mod sample;
#[cfg(feature = "full")]
mod sim;
#[cfg(feature = "full")]
mod started;
mod stats;
#[cfg(feature = "full")]
mod structure;
mod tied;
mod usage;
mod view;
mod workload;

#[cfg(not(feature = "full"))]
extern crate sumac_core as sumac;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use command::tour;
use experiment::Failure;
use others::Watch;
use sumac_record::{machine, table};

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("lab: {failure}");
            failure.exit_code()
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    if let Some(Command::Tied(args)) = &cli.command {
        return tied::run(args).map(succeeded);
    }
    interrupt::install();
    let watch = Watch::start();
    let (mut report, json) = match cli.command {
        None => (tour::run(&cli.tour)?, cli.tour.common.json),
        Some(Command::Tied(args)) => return tied::run(&args).map(succeeded),
        Some(Command::IdleChild { task }) => return idle::child(&task).map(succeeded),
        #[cfg(feature = "full")]
        Some(Command::Full(command)) => match command.run()? {
            Ok(printed) => printed,
            Err(code) => return Ok(code),
        },
        #[cfg(not(feature = "full"))]
        Some(Command::Other(words)) => return Err(not_here(&words)),
    };
    report.print(&watch, json)?;
    match report.failed {
        None => Ok(ExitCode::SUCCESS),
        Some(what) => Err(Failure::Other(what)),
    }
}

/// What takes the feature `full`.
#[cfg(not(feature = "full"))]
fn not_here(words: &[String]) -> Failure {
    Failure::Usage(format!(
        "this build of the lab has the tour only; with all commands: \
         cargo run --release --features full -- {}",
        words.join(" ")
    ))
}

fn succeeded((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

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
mod builds;
#[cfg(feature = "full")]
mod cells;
mod cli;
mod command;
#[cfg(feature = "full")]
mod compare;
mod contender;
mod elsewhere;
mod experiment;
#[cfg(feature = "full")]
mod field;
mod file;
#[cfg(feature = "full")]
mod goals;
mod idle;
#[cfg(any(feature = "profile", feature = "trace"))]
mod instrument;
mod interrupt;
#[cfg(feature = "full")]
mod loops;
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

#[cfg(not(feature = "full"))]
use clap::CommandFactory;
use clap::Parser;

use cli::{Cli, Command};
use command::{leaves, tour, tree};
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
        Some(Command::Tree(args)) => (tree::run(&args)?, args.common.json),
        Some(Command::Ramp(args)) => (leaves::ramp(&args)?, args.common.json),
        Some(Command::Idle(args)) => (command::idle::run(&args)?, args.json),
        Some(Command::Tied(args)) => return tied::run(&args).map(succeeded),
        Some(Command::IdleChild { task }) => return idle::child(&task).map(succeeded),
        #[cfg(feature = "full")]
        Some(Command::Full(command)) => match command.run()? {
            Ok(printed) => printed,
            Err(code) => return Ok(code),
        },
        #[cfg(not(feature = "full"))]
        Some(Command::Other(words)) => return Err(elsewhere_or_nowhere(&words)),
    };
    report.print(&watch, json)?;
    match report.failed {
        None => Ok(ExitCode::SUCCESS),
        Some(what) => Err(Failure::Other(what)),
    }
}

/// A command that takes the feature `full`, or none at all.
#[cfg(not(feature = "full"))]
fn elsewhere_or_nowhere(words: &[String]) -> Failure {
    let name = &*words[0];
    match command::FULL.contains(&name) {
        true => lacking("full", &words.join(" ")),
        false => {
            let known = Cli::command();
            let here = known.get_subcommands().filter(|own| !own.is_hide_set());
            let known = here.map(clap::Command::get_name).chain(command::FULL);
            Failure::Usage(names::unknown("command", name, known))
        }
    }
}

/// What a command says whose feature this build has not.
#[cfg(not(all(feature = "profile", feature = "trace")))]
fn lacking(feature: &str, command: &str) -> Failure {
    Failure::Usage(format!(
        "this build of the lab lacks the feature `{feature}`; with it: \
         cargo run --release --features {feature} -- {command}"
    ))
}

fn succeeded((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

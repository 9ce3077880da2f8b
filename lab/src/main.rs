//! The lab: measures sumac against its peers and prints what came out.
//! A *problem* (an input, one text, a checker) runs on every *contender* (a runtime behind a narrow
//! trait); an *experiment* interleaves contenders round by round; a *command* chooses experiments
//! and lays their records out as tables or JSON.

#![forbid(unsafe_code)]
// Some of what results can say only the report asks for.
#![cfg_attr(not(feature = "report"), allow(dead_code, unused_imports))]

mod adders;
mod batch;
mod builds;
mod cells;
mod cli;
mod command;
#[cfg(feature = "report")]
mod compare;
mod contender;
mod experiment;
mod file;
mod goals;
#[cfg(any(feature = "profile", feature = "trace"))]
mod instrument;
mod interrupt;
mod loops;
mod machine;
mod others;
#[cfg(feature = "report")]
mod page;
mod problem;
mod program;
mod progress;
mod report;
mod results;
mod sample;
mod sim;
mod stats;
mod table;
mod tied;
mod view;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use command::{all, coarse, enter, fib, idle, list, ramp, shapes, sim as simulate, tour, tree};
use experiment::Failure;
use others::Watch;

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
    let (report, json) = match cli.command {
        None => (tour::run(&cli.tour)?, cli.tour.common.json),
        Some(Command::Tree(args)) => (tree::run(&args)?, args.common.json),
        Some(Command::Fib(args)) => (fib::run(&args)?, args.common.json),
        Some(Command::Ramp(args)) => (ramp::run(&args)?, args.common.json),
        Some(Command::Shapes(args)) => (shapes::run(&args)?, args.common.json),
        Some(Command::Coarse(args)) => (coarse::run(&args)?, args.common.json),
        Some(Command::Builds(args)) => (command::builds::run(&args)?, args.json),
        Some(Command::Enter(args)) => (enter::run(&args)?, args.common.json),
        Some(Command::Idle(args)) => (idle::run(&args)?, args.json),
        Some(Command::List) => (list::run()?, false),
        Some(Command::Run(args)) => return command::run::run(&args).map(succeeded),
        Some(Command::Programs(args)) => (command::programs::run(&args)?, args.common.json),
        Some(Command::Loops(args)) => (command::loops::run(&args)?, args.common.json),
        Some(Command::Batch(args)) => (command::batch::run(&args)?, args.common.json),
        Some(Command::Adders(args)) => (command::adders::run(&args)?, args.json()),
        Some(Command::Profile(args)) => (command::profile::run(&args)?, false),
        Some(Command::Timeline(args)) => (command::timeline::run(&args)?, false),
        Some(Command::Sim(args)) => return simulate::run(&args).map(succeeded),
        Some(Command::All(args)) => (all::run(&args)?, args.common.json),
        Some(Command::Tied(args)) => return tied::run(&args).map(succeeded),
        Some(Command::Cell) => return command::cell::run().map(succeeded),
        Some(Command::Report(args)) => return command::report::run(&args).map(succeeded),
        Some(Command::Compare(args)) => return command::compare::run(&args),
        Some(Command::IdleChild(args)) => return idle::child(&args).map(succeeded),
    };
    let printed = report.print(&watch, json);
    printed.map_err(|why| Failure::Other(format!("cannot write the result: {why}")))?;
    match report.failed {
        None => Ok(ExitCode::SUCCESS),
        Some(what) => Err(Failure::Other(what)),
    }
}

fn succeeded((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

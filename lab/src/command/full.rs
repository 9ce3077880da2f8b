//! The commands beside the tour, which take the feature `full`: more programs, and far more crates.

mod adders;
mod batch;
mod deadlocks;
mod field;
mod fork;
mod regressions;
mod report;
mod run;
mod sim;

use std::process::ExitCode;

use clap::Subcommand;

use crate::cells;
use crate::experiment::Failure;
use crate::field::{WatchedArgs, watched};
use crate::report::Report;

/// What can be measured, and what can be made of it.
#[derive(Subcommand)]
pub(crate) enum Full {
    /// Published deadlocks of programs that use rayon, on rayon's scheduler and on sumac's
    Deadlocks(deadlocks::DeadlocksArgs),
    /// Published cases in which programs were slower with rayon than without: four forms of each
    Regressions(regressions::RegressionsArgs),
    /// Experiments that files describe, and programs that compare in one process
    Run(run::RunArgs),
    /// Shared counters and ordered maps, batched and otherwise
    Batch(batch::BatchArgs),
    /// The tables of the predecessor, a fork of domainslib with batching, in their shape
    Fork(fork::ForkArgs),
    /// The bytes of a file summed by programs on threads and on ranks, in three languages
    Adders(adders::AddersArgs),
    /// Other people's crates with sumac under rayon and without: what they print, what they take
    Field(field::FieldArgs),
    /// Tables, figures and sentences of the documents, made anew from results
    Report(report::ReportArgs),
    /// The scheduler on simulated machines of up to 127 processors
    Sim(sim::SimArgs),
    /// One visit of an experiment, for `run`
    #[command(hide = true)]
    Cell,
    /// One run of a program, for `field`
    #[command(hide = true)]
    Watched(WatchedArgs),
}

/// What is to be printed, with whether as JSON; or the exit code after a command that prints
/// itself.
type Ended = Result<(Report, bool), ExitCode>;

impl Full {
    /// Runs it.
    pub(crate) fn run(self) -> Result<Ended, Failure> {
        let itself = |()| Err(ExitCode::SUCCESS);
        Ok(Ok(match self {
            Full::Deadlocks(args) => (deadlocks::run(&args)?, false),
            Full::Run(args) => return run::run(&args).map(itself),
            Full::Batch(args) => (batch::run(&args)?, args.common.json),
            Full::Fork(args) => (fork::run(&args)?, args.common.json),
            Full::Adders(args) => (adders::run(&args)?, args.json),
            Full::Regressions(args) => (regressions::run(&args)?, args.common.json),
            Full::Field(args) => (field::run(&args)?, false),
            Full::Sim(args) => (sim::run(&args)?, false),
            Full::Cell => return cells::cell().map(itself),
            Full::Watched(args) => return watched(&args).map(itself),
            Full::Report(args) => return report::run(&args).map(itself),
        }))
    }
}

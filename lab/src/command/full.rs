//! The commands beside the tour, which take the feature `full`: more programs, and far more crates.

mod adders;
mod all;
mod batch;
mod cell;
mod compare;
mod deadlocks;
mod enter;
mod field;
mod fork;
mod list;
mod loops;
mod profile;
mod report;
mod run;
mod sim;
mod timeline;

use std::process::ExitCode;

use clap::Subcommand;

use crate::experiment::Failure;
use crate::field::{WatchedArgs, watched};
use crate::report::Report;

/// What can be measured, and what can be made of it.
#[derive(Subcommand)]
pub(crate) enum Full {
    /// Published deadlocks of programs that use rayon, on rayon's scheduler and on sumac's
    Deadlocks(deadlocks::DeadlocksArgs),
    /// Many outside threads that enter one pool at once
    Enter(enter::EnterArgs),
    /// What `run` and `loops` can run
    List,
    /// Problems, experiments that files describe, and programs that compare in one process
    Run(run::RunArgs),
    /// Small experiments about iterators and tasks, with their goals
    Loops(loops::LoopsArgs),
    /// Shared counters and ordered maps, batched and otherwise, with their goals
    Batch(batch::BatchArgs),
    /// The tables of the predecessor, a fork of domainslib with batching, in their shape
    Fork(fork::ForkArgs),
    /// The bytes of a file summed by programs on threads and on ranks, in three languages, with
    /// their goals
    Adders(adders::AddersArgs),
    /// Other people's crates with sumac under rayon and without: what they print, what they take
    Field(field::FieldArgs),
    /// Result files as one HTML page with figures, or as tables in a document
    Report(report::ReportArgs),
    /// What got significantly faster or slower between two result files
    Compare(compare::CompareArgs),
    /// How parallel a problem is, and what speed-up to expect (feature `profile`)
    Profile(profile::ProfileArgs),
    /// What the threads did when while a problem was solved (feature `trace`)
    Timeline(timeline::TimelineArgs),
    /// The scheduler on simulated machines of up to 127 processors
    Sim(sim::SimArgs),
    /// Every goal of fork and join with the value measured
    All(all::AllArgs),
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
            Full::Enter(args) => (enter::run(&args)?, args.common.json),
            Full::List => (list::run()?, false),
            Full::Run(args) => return run::run(&args).map(itself),
            Full::Loops(args) => (loops::run(&args)?, args.common.json),
            Full::Batch(args) => (batch::run(&args)?, args.common.json),
            Full::Fork(args) => (fork::run(&args)?, args.common.json),
            Full::Adders(args) => (adders::run(&args)?, args.json),
            Full::Field(args) => (field::run(&args)?, false),
            Full::Profile(args) => (profile::run(&args)?, false),
            Full::Timeline(args) => (timeline::run(&args)?, false),
            Full::Sim(args) => (sim::run(&args)?, false),
            Full::All(args) => (all::run(&args)?, args.common.json),
            Full::Cell => return cell::run().map(itself),
            Full::Watched(args) => return watched(&args).map(itself),
            Full::Report(args) => return report::run(&args).map(itself),
            Full::Compare(args) => return compare::run(&args).map(Err),
        }))
    }
}

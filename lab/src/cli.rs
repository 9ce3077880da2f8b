//! The command line: the commands, the options they share, and what makes an argument a bad one.

use std::time::Duration;

use clap::{Args, Parser, Subcommand};

#[cfg(feature = "full")]
use crate::command::full::Full;
use crate::command::tour;
use crate::experiment::Limits;
pub(crate) use crate::experiment::threads;
pub(crate) use crate::problem::tree::{fits, nodes};
use crate::tied::TiedArgs;

/// Measures sumac against its peers. Without a command: the tour.
#[derive(Parser)]
#[command(name = "lab", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// What to measure; nothing is the tour.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// The tour's own options.
    #[command(flatten)]
    pub(crate) tour: tour::TourArgs,
}

/// What can be measured.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Becomes a command that ends with the process that asked for it
    #[command(hide = true)]
    Tied(TiedArgs),
    /// One process's idle pool, for the tour
    #[command(hide = true)]
    IdleChild {
        /// Which pool and how long, as JSON
        task: String,
    },
    #[cfg(feature = "full")]
    #[command(flatten)]
    Full(Full),
    /// What this build lacks
    #[cfg(not(feature = "full"))]
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// How long to measure, and how to print.
#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// Rounds of each experiment, at most
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    rounds: Option<u32>,

    /// Seconds for the rounds of each experiment (three rounds are always run)
    #[arg(long, value_parser = seconds, value_name = "S")]
    seconds: Option<Duration>,

    /// One JSON document with all samples instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

impl Common {
    /// The limits asked for, or the command's own.
    pub(crate) fn limits(&self, rounds: usize, seconds: f64) -> Limits {
        Limits {
            rounds: self.rounds.map_or(rounds, |n| n as usize),
            time: self.seconds.unwrap_or(Duration::from_secs_f64(seconds)),
        }
    }
}

/// A time in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|&seconds| seconds > 0.0 && seconds <= 3600.0);
    let seconds = seconds.map(Duration::from_secs_f64);
    seconds.ok_or("a time in seconds is above 0 and at most 3600".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}

//! The command line: the commands, the options they share, and what makes an argument a bad one.

use std::time::Duration;

use clap::{Args, Parser, Subcommand};

#[cfg(feature = "full")]
use crate::command::full::Full;
use crate::command::{idle, leaves, tour, tree};
use crate::contender::Id;
pub(crate) use crate::experiment::threads;
use crate::experiment::{Limits, Seat, seats};
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
    /// The sum of a binary tree with a join at every node
    Tree(tree::TreeArgs),
    /// How soon the second thread helps: 2 x 50, 8 x 20 and 64 x 5 µs of work
    Ramp(leaves::RampArgs),
    /// What a pool costs while it is not needed
    Idle(idle::IdleArgs),
    /// Becomes a command that ends with the process that asked for it
    #[command(hide = true)]
    Tied(TiedArgs),
    /// One process's idle pool, for `idle`
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

/// Who takes part, on how many threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct Field {
    /// Numbers of threads, the caller included [default: as many as cores; tree and fib also 1]
    #[arg(long, value_delimiter = ',', value_parser = threads, value_name = "N,..")]
    threads: Vec<usize>,

    /// Who takes part; the baseline always does
    #[arg(long, value_delimiter = ',', value_enum, value_name = "WHO,..")]
    contenders: Vec<Id>,
}

impl Field {
    /// The numbers of threads asked for, or the command's own.
    pub(crate) fn threads(&self, unless_given: &[usize]) -> Vec<usize> {
        given(&self.threads, unless_given)
    }

    /// Who was asked for, or the command's own list.
    pub(crate) fn contenders(&self, unless_given: &[Id]) -> Vec<Id> {
        given(&self.contenders, unless_given)
    }

    /// The baseline, and the contenders asked for at each of these numbers of threads.
    pub(crate) fn seats(&self, ids_unless_given: &[Id], threads: &[usize]) -> Vec<Seat> {
        let mut ids = vec![Id::Baseline];
        ids.extend(self.contenders(ids_unless_given));
        seats(&ids, threads)
    }
}

fn given<T: Clone>(asked: &[T], unless_given: &[T]) -> Vec<T> {
    match asked {
        [] => unless_given.to_vec(),
        _ => asked.to_vec(),
    }
}

/// A time in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    positive(text, 3600.0)
        .map(Duration::from_secs_f64)
        .ok_or("a time in seconds is above 0 and at most 3600".into())
}

/// A time in milliseconds.
pub(crate) fn milliseconds(text: &str) -> Result<Duration, String> {
    positive(text, 10_000.0)
        .map(|ms| Duration::from_secs_f64(ms / 1e3))
        .ok_or("a time in milliseconds is above 0 and at most 10000".into())
}

fn positive(text: &str, most: f64) -> Option<f64> {
    text.parse()
        .ok()
        .filter(|&value| value > 0.0 && value <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn threads_are_few_and_some() {
        assert_eq!(threads("1"), Ok(1));
        for bad in ["0", "-1", "1025", "two", "", "18446744073709551616"] {
            assert!(threads(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn trees_are_perfect_and_fit() {
        assert_eq!(nodes("1_023"), Ok(1023));
        assert_eq!(nodes("1"), Ok(1));
        for bad in [
            "0",
            "2",
            "1000",
            "1e3",
            "18446744073709551615",
            "1099511627775",
        ] {
            assert!(nodes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_positive_and_finite() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "1e9", ""] {
            assert!(seconds(bad).is_err(), "{bad}");
            assert!(milliseconds(bad).is_err(), "{bad}");
        }
    }
}

//! A contender in an experiment, with its pool. This is where a wrong answer becomes the failure of
//! the whole run, with the culprit's name.

use std::io;
use std::marker::PhantomData;
use std::process::ExitCode;

use sumac::Stats;
use thiserror::Error;

use super::Seat;
use crate::contender::{self, Contender, Visit};
use crate::interrupt::INTERRUPTED;
use crate::problem::Problem;
use crate::results::FailureKind;
use crate::sample::{Plan, WrongAnswer};

/// Why the lab gives up.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A contender's answer is wrong.
    #[error(
        "wrong answer: {} on {} threads returned {} instead of {}",
        .0.id, .0.threads, .1.got, .1.expected
    )]
    Wrong(Seat, WrongAnswer),
    /// A contender could not make its pool.
    #[error("{} could not make a pool of {} threads: {}", .0.id, .0.threads, .1)]
    NoPool(Seat, String),
    /// A process failed: how, and what there is to say about it.
    #[error("{1}")]
    Process(FailureKind, String),
    /// One of these, in the experiment of this name.
    #[error("{0}: {1}")]
    In(String, Box<Failure>),
    /// What was asked for cannot be had.
    #[error("{0}")]
    Usage(String),
    /// The user wants no more.
    #[error("interrupted")]
    Interrupted,
    /// A file, a process or a pipe.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// JSON that is not what it should be.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// The same, in the experiment of this name.
    pub(crate) fn of(self, name: String) -> Failure {
        match self {
            Failure::Interrupted => self,
            _ => Failure::In(name, Box::new(self)),
        }
    }

    /// 2 for a request that makes no sense, 1 for everything else.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::In(_, failure) => failure.exit_code(),
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Interrupted => ExitCode::from(INTERRUPTED),
            _ => ExitCode::FAILURE,
        }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Failure {
        Failure::Other(why)
    }
}

/// A contender that can be visited, its type forgotten.
pub(crate) trait Entrant<P>: Sync {
    /// Takes the samples that the plan asks for, in nanoseconds per call.
    fn visit(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, Failure>;

    /// What its scheduler has counted so far, if it counts.
    fn counted(&self) -> Option<Stats>;
}

/// Makes the pool for a seat, set up as `tuning` says.
pub(crate) fn entrant<P: Problem>(
    seat: Seat,
    tuning: &str,
) -> Result<Box<dyn Entrant<P>>, Failure> {
    let problem = PhantomData;
    let enter = Enter {
        seat,
        tuning,
        problem,
    };
    contender::visit(seat.id, enter)
}

struct Enter<'t, P> {
    seat: Seat,
    /// How the pool is set up.
    tuning: &'t str,
    problem: PhantomData<P>,
}

impl<P: Problem> Visit for Enter<'_, P> {
    type Out = Result<Box<dyn Entrant<P>>, Failure>;

    fn visit<C: Contender + 'static>(self) -> Self::Out {
        let (seat, pool) = (self.seat, pool::<C>(self.seat, self.tuning)?);
        Ok(Box::new(Seated { seat, pool }))
    }
}

/// A contender in its seat.
struct Seated<C> {
    /// Who, on how many threads.
    seat: Seat,
    /// Its pool.
    pool: C,
}

impl<C: Contender, P: Problem> Entrant<P> for Seated<C> {
    fn visit(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, Failure> {
        let samples = self.pool.run(problem, plan);
        samples.map_err(|wrong| Failure::Wrong(self.seat, wrong))
    }

    fn counted(&self) -> Option<Stats> {
        self.pool.counted()
    }
}

/// Makes a pool.
pub(crate) fn pool<C: Contender>(seat: Seat, tuning: &str) -> Result<C, Failure> {
    let pool = C::pool(seat.threads, tuning);
    pool.map_err(|why| Failure::NoPool(seat, why.to_string()))
}

//! The programs that people bring: an input made from a seed, a text, an oracle. One file each,
//! under a page. Join recursions are generic over the contender; loops are one text of rayon's
//! interface, instantiated for each library (`library.rs`), beside the plain text. `catalogue.rs`
//! lists them all.

mod bvh;
pub(crate) mod catalogue;
mod floyd;
mod hull;
mod json;
mod library;
mod life;
mod lu;
pub(crate) mod mandelbrot;
mod mergesort;
mod nbody;
mod prefix;
mod queens;
mod quicksort;
pub(crate) mod random;
mod spectral;
mod summed;
mod trees;
pub(crate) mod triangular;
pub(crate) mod uts;
mod visitor;
pub(crate) mod work;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use library::{by_library, each_library};

use crate::cells::Task;
use crate::contender::Id;
use crate::experiment::{Failure, Limits, Mode, Records, Seat, measure};
#[cfg(any(feature = "profile", feature = "trace"))]
use crate::instrument::{Instrument, Seen};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::results::Measured;

/// A program that is made and measured when its turn comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What it is, and what its size counts.
    pub(crate) about: &'static str,
    /// Its size unless another is asked for.
    pub(crate) size: usize,
    /// Its size where it only has to be seen to work.
    pub(crate) quick: usize,
    /// The largest size that makes sense.
    pub(crate) most: usize,
    /// Who can run it, after the baseline.
    pub(crate) contenders: &'static [Id],
    /// Makes the input of a size and measures.
    make: fn(&Session<'_>, usize) -> Result<Brought, Failure>,
}

impl Program {
    /// The program in words.
    pub(crate) fn title(&self, size: usize) -> String {
        format!("{}({size})", self.name)
    }

    /// Makes the input of a size and runs the session on it.
    pub(crate) fn run(&self, session: &Session<'_>, size: usize) -> Result<Brought, Failure> {
        (self.make)(session, size)
    }

    /// Whether the contender can run it; the baseline always can.
    pub(crate) fn has(&self, id: Id) -> bool {
        id == Id::Baseline || self.contenders.contains(&id)
    }
}

/// What waits for its problem.
pub(crate) enum Session<'a> {
    /// An experiment in this process.
    Rounds(&'a Rounds<'a>),
    /// A visit to one cell.
    Visit(&'a Task),
    /// A closer look.
    #[cfg(any(feature = "profile", feature = "trace"))]
    Look(&'a Instrument),
}

/// What came of a session.
pub(crate) enum Brought {
    /// Of an experiment.
    Records(Records),
    /// Of a visit.
    Visit(Box<Measured>),
    /// Of a closer look.
    #[cfg(any(feature = "profile", feature = "trace"))]
    Seen(Box<Seen>),
}

impl Brought {
    /// The records of an experiment.
    pub(crate) fn records(self) -> Records {
        match self {
            Brought::Records(records) => records,
            _ => unreachable!("rounds bring records"),
        }
    }

    /// What a visit measured.
    pub(crate) fn visit(self) -> Measured {
        match self {
            Brought::Visit(measured) => *measured,
            _ => unreachable!("a visit brings what it measured"),
        }
    }
}

/// An experiment in this process.
pub(crate) struct Rounds<'a> {
    /// Its name.
    pub(crate) title: String,
    /// In what condition calls find the pool.
    pub(crate) mode: Mode,
    /// Who takes part.
    pub(crate) seats: &'a [Seat],
    /// For how long.
    pub(crate) limits: Limits,
    /// The bar.
    pub(crate) progress: &'a Progress,
}

impl Session<'_> {
    /// Measures with this problem.
    pub(crate) fn run<P: Problem>(&self, problem: &P) -> Result<Brought, Failure> {
        match self {
            Session::Rounds(r) => {
                let records = measure(&r.title, problem, r.seats, r.mode, r.limits, r.progress)?;
                Ok(Brought::Records(records))
            }
            Session::Visit(task) => task.on(problem).map(Box::new).map(Brought::Visit),
            #[cfg(any(feature = "profile", feature = "trace"))]
            Session::Look(instrument) => instrument.on(problem).map(Box::new).map(Brought::Seen),
        }
    }
}

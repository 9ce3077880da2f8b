//! The programs that people bring: an input made from a seed, a text, an oracle. One file each, under
//! a page. Join recursions are generic over the contender; loops are one text of rayon's interface,
//! instantiated for each library (`library.rs`), beside the plain text. `catalogue.rs` lists them all.

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

use crate::contender::Id;
use crate::experiment::{Failure, Limits, Mode, Records, Seat, measure};
use crate::problem::Problem;
use crate::progress::Progress;

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
    pub(crate) measure: fn(&Session<'_>, usize) -> Result<Records, Failure>,
}

impl Program {
    /// The program in words.
    pub(crate) fn title(&self, size: usize) -> String {
        format!("{}({size})", self.name)
    }

    /// Whether the contender can run it; the baseline always can.
    pub(crate) fn has(&self, id: Id) -> bool {
        id == Id::Baseline || self.contenders.contains(&id)
    }
}

/// An experiment that waits for its problem.
pub(crate) struct Session<'a> {
    /// Its name.
    pub(crate) title: String,
    /// Who takes part.
    pub(crate) seats: &'a [Seat],
    /// For how long.
    pub(crate) limits: Limits,
    /// The bar.
    pub(crate) progress: &'a Progress,
}

impl Session<'_> {
    /// Measures with this problem.
    pub(crate) fn run<P: Problem>(&self, problem: &P) -> Result<Records, Failure> {
        measure(
            &self.title,
            problem,
            self.seats,
            Mode::HOT,
            self.limits,
            self.progress,
        )
    }
}

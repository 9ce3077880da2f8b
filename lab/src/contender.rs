//! The narrow waist: what a runtime must offer so that every problem text runs on it unchanged.
//! A contender makes a pool, lets a caller in, and joins two closures, each of which gets the
//! context it needs to join again. Adding one is one short file here, its `mod` and its row below.

mod baseline;
mod chili;
#[cfg(feature = "forte")]
mod forte;
mod id;
mod planted;
mod rayon;
mod static_split;
mod sumac_join;
mod sumac_scope;

pub(crate) use baseline::Baseline;
pub(crate) use planted::Planted;
pub(crate) use sumac_scope::{check_tuning, complete};

use std::error::Error;
use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use sumac::Stats;

use crate::problem::Problem;
use crate::sample::{self, Plan, WrongAnswer};

id::contenders! {
    /// Plain recursion, left first
    Baseline, Baseline, "baseline";
    /// Plain recursion, right first
    RightFirst, baseline::RightFirst, "right first";
    /// The problem divided by hand over plain threads
    StaticSplit, static_split::StaticSplit, "static split";
    /// rayon::join
    Rayon, self::rayon::Rayon, "rayon";
    /// chili's Scope::join, its closures swapped
    Chili, chili::Chili, "chili";
    /// forte's Worker::join, its closures swapped
    #[cfg(feature = "forte")]
    Forte, forte::Forte, "forte";
    /// sumac, the thread-local join, and its loops
    #[value(alias = "sumac")]
    SumacJoin, sumac_join::SumacJoin, "sumac join";
    /// sumac, the Scope handed down
    SumacScope, sumac_scope::SumacScope, "sumac scope";
    /// One with a fault, which only tests of the lab ask for
    #[value(skip)]
    Planted, Planted, "planted";
}

impl Id {
    /// All that tables show.
    pub(crate) const EVERYBODY: &[Id] = ALL.split_at(ALL.len() - 1).0;
    /// Those that really join.
    pub(crate) const RUNTIMES: &[Id] = Id::EVERYBODY.split_at(3).1;

    /// Its name as on the command line.
    pub(crate) fn name(self) -> String {
        let known = self.to_possible_value();
        known.map_or(Planted::NAME.into(), |name| name.get_name().into())
    }

    /// Who is called so on the command line, or in tests.
    pub(crate) fn named(name: &str) -> Option<Id> {
        match name {
            Planted::NAME => Some(Id::Planted),
            _ => Id::from_str(name, false).ok(),
        }
    }

    /// Whether it is one of the two sequential programs, which know no threads.
    pub(crate) fn is_sequential(self) -> bool {
        matches!(self, Id::Baseline | Id::RightFirst)
    }
}

/// Something to be done with a contender that is known only by name.
pub(crate) trait Visit {
    /// What comes of it.
    type Out;

    /// Does it with the contender `C`.
    fn visit<C: Contender + 'static>(self) -> Self::Out;
}

/// Whose loops: the instances of the texts of `crate::program::library`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    /// The standard library's iterators on one thread.
    Plain,
    /// rayon's.
    Rayon,
    /// sumac's.
    Sumac,
}

/// A runtime under test; a value of the type is one pool of it.
pub(crate) trait Contender: Sized + Send + Sync {
    /// What a closure needs in order to join again.
    type Cx<'s>;

    /// Whose loops the texts of loops run here.
    const LOOPS: Loops = Loops::Plain;

    /// Makes a pool that computes on `threads` threads, set up as `tuning` says where it can be;
    /// empty is as users get it.
    fn pool(threads: usize, tuning: &str) -> Result<Self, Box<dyn Error>>;

    /// What its scheduler has counted so far, if it counts.
    fn counted(&self) -> Option<Stats> {
        None
    }

    /// Runs `inside` where it can join.
    fn enter<R, F>(&self, inside: F) -> R
    where
        F: FnOnce(&mut Self::Cx<'_>) -> R + Send,
        R: Send;

    /// Runs both closures, perhaps in parallel, and `a` first where not.
    fn join<A, B, RA, RB>(cx: &mut Self::Cx<'_>, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Self::Cx<'_>) -> RA + Send,
        B: FnOnce(&mut Self::Cx<'_>) -> RB + Send,
        RA: Send,
        RB: Send;

    /// Takes the samples that `plan` asks for. Only a contender that does not join needs its own.
    fn run<P: Problem>(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, WrongAnswer> {
        self.enter(|cx| sample::take(plan, problem, || once::<Self, P>(problem, cx)))
    }
}

/// One call of the problem, kept out of line so that every contender's hot loop looks the same.
#[inline(never)]
pub(crate) fn once<C: Contender, P: Problem>(problem: &P, cx: &mut C::Cx<'_>) -> u64 {
    std::hint::black_box(problem).solve::<C>(cx)
}

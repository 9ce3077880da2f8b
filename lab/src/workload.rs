//! Workloads: problems that are known by name, how large they may be, what they can be varied by,
//! and who can run them. A workload that has been made hides its type, and can be measured and
//! visited.

use std::ops::RangeInclusive;

#[cfg(feature = "full")]
use crate::cells::{self, Planned};
use crate::contender::Id;
use crate::experiment::{Failure, Records, Rounds, distinct};
#[cfg(feature = "full")]
use crate::names::unknown;
use crate::problem::Problem;
#[cfg(feature = "full")]
use crate::problem::catalogue::{NAMED, RAMP};
#[cfg(feature = "full")]
use crate::program::catalogue::PROGRAMS;
#[cfg(feature = "full")]
use crate::results::Measured;

/// A problem by name.
#[derive(Debug)]
pub(crate) struct Workload {
    /// Its name on the command line and in experiments.
    pub(crate) name: &'static str,
    /// Its size unless another is asked for.
    pub(crate) size: usize,
    /// Its size where it only has to be seen to work.
    pub(crate) quick: usize,
    /// The sizes that make sense.
    pub(crate) sizes: RangeInclusive<usize>,
    /// Who can run it, after the baseline.
    pub(crate) contenders: &'static [Id],
    /// Who runs it instead, where that are programs of their own.
    pub(crate) programs: fn() -> Vec<&'static str>,
    /// What it can be varied by.
    pub(crate) parameters: &'static [Parameter],
    /// Whether there is memory for a size.
    pub(crate) memory: fn(usize) -> Result<(), String>,
    /// Makes the input of a size.
    pub(crate) make: Make,
}

/// What makes a problem of a size.
pub(crate) type Make = fn(Parameters<'_>, usize) -> Box<dyn Made>;

/// What a problem is varied by in an experiment, such as `work=100,pause=1`.
#[derive(Clone, Copy)]
pub(crate) struct Parameters<'a>(pub(crate) &'a str);

impl Parameters<'_> {
    /// The value of one.
    pub(crate) fn get(self, of: &Parameter) -> u64 {
        let mut pairs = self.0.split(',').filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(name, _)| *name == of.name);
        let value = found.and_then(|(_, value)| value.parse().ok());
        value.unwrap_or(of.usual)
    }
}

/// Something that a problem can be varied by.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) range: RangeInclusive<u64>,
    /// Its value unless another is asked for.
    pub(crate) usual: u64,
}

/// Milliseconds slept before every call.
pub(crate) const PAUSE: Parameter = Parameter {
    name: "pause",
    range: 0..=10_000,
    usual: 0,
};

impl Workload {
    /// A workload without parameters of its own; the sizes are the usual one, the quick one and the
    /// largest.
    pub(crate) const fn new(
        name: &'static str,
        [size, quick, most]: [usize; 3],
        contenders: &'static [Id],
        make: Make,
    ) -> Workload {
        Workload {
            name,
            size,
            quick,
            sizes: 2..=most,
            contenders,
            programs: Vec::new,
            parameters: &[PAUSE],
            memory: |_| Ok(()),
            make,
        }
    }
}

/// Every workload. Of two of one name the first counts.
#[cfg(feature = "full")]
pub(crate) fn all() -> impl Iterator<Item = &'static Workload> + Clone {
    [NAMED, &RAMP, PROGRAMS].into_iter().flatten()
}

/// The workload of this name among these.
#[cfg(feature = "full")]
pub(crate) fn find(
    mut among: impl Iterator<Item = &'static Workload> + Clone,
    name: &str,
) -> Result<&'static Workload, String> {
    let known = distinct(among.clone().map(|workload| workload.name));
    let none = || unknown("problem", name, known);
    among
        .find(|workload| workload.name == name)
        .ok_or_else(none)
}

/// A problem whose type is forgotten.
pub(crate) trait Made {
    /// An experiment in this process.
    fn measure(&self, title: &str, rounds: &Rounds<'_>) -> Result<Records, Failure>;

    /// A visit to one cell, or to several in turns.
    #[cfg(feature = "full")]
    fn visit(&self, planned: &[Planned]) -> Result<Vec<Measured>, Failure>;
}

impl<P: Problem> Made for P {
    fn measure(&self, title: &str, rounds: &Rounds<'_>) -> Result<Records, Failure> {
        rounds.measure(title, self)
    }

    #[cfg(feature = "full")]
    fn visit(&self, planned: &[Planned]) -> Result<Vec<Measured>, Failure> {
        cells::on(planned, self)
    }
}

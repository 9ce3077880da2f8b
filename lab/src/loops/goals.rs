//! The goals of the loops, as data: sumac's figure on two cores, and its limit. Adding one is
//! adding a line to `GOALS`.

use super::heavy::longest_share;
use crate::contender::Id;
use crate::experiment::{Record, Records};
use crate::goals::Limit::{self, AtLeast, AtMost};

/// The figure that is compared with the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    /// The plain program's time over this one.
    SpeedUp,
    /// rayon's time over this one.
    AgainstRayon,
    /// The hand-written split's time over this one.
    AgainstSplit,
    /// The ideal time over this one, where one item is as long as all others.
    AgainstIdeal,
    /// Nanoseconds beyond 1.1 times the plain program's.
    NsBeyondPlain,
}

/// A goal of sumac's on two threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The loop.
    pub(crate) name: &'static str,
    /// What is compared.
    pub(crate) figure: Figure,
    /// With what.
    pub(crate) limit: Limit,
}

use Figure::{AgainstIdeal, AgainstRayon, AgainstSplit, NsBeyondPlain, SpeedUp};

/// The threads that the goals are about.
pub(crate) const THREADS: usize = 2;

/// Every goal, in the order of the table.
#[rustfmt::skip]
pub(crate) const GOALS: &[Goal] = &[
    goal("sum", AgainstRayon, AtLeast(1.0)),
    goal("sum", AgainstSplit, AtLeast(0.95)),
    goal("dot", AgainstRayon, AtLeast(1.0)),
    goal("dot", AgainstSplit, AtLeast(0.95)),
    goal("saxpy", AgainstRayon, AtLeast(1.0)),
    goal("saxpy", AgainstSplit, AtLeast(0.95)),
    goal("histogram", AgainstRayon, AtLeast(1.0)),
    goal("histogram", AgainstSplit, AtLeast(0.95)),
    goal("map-sum-10", NsBeyondPlain, AtMost(50.0)),
    goal("map-sum-100", NsBeyondPlain, AtMost(50.0)),
    goal("map-sum-1000", NsBeyondPlain, AtMost(50.0)),
    goal("nested", AgainstRayon, AtLeast(3.0)),
    goal("mandelbrot", AgainstRayon, AtLeast(1.0)),
    goal("mandelbrot", SpeedUp, AtLeast(1.85)),
    goal("uts-t1", AgainstRayon, AtLeast(1.0)),
    goal("uts-t1", SpeedUp, AtLeast(1.85)),
    goal("uts-t3", AgainstRayon, AtLeast(1.0)),
    goal("uts-t3", SpeedUp, AtLeast(1.85)),
    goal("triangular", AgainstRayon, AtLeast(1.0)),
    goal("triangular", SpeedUp, AtLeast(1.85)),
    goal("collect", AgainstRayon, AtLeast(1.0)),
    goal("sort-random", AgainstRayon, AtLeast(1.0)),
    goal("sort-sorted", AgainstRayon, AtLeast(1.0)),
    goal("sort-few", AgainstRayon, AtLeast(1.0)),
    goal("sort-strings", AgainstRayon, AtLeast(1.0)),
    goal("scan", SpeedUp, AtLeast(1.2)),
    goal("spawn", AgainstRayon, AtLeast(1.0)),
    goal("heavy-first", AgainstIdeal, AtLeast(0.95)),
    goal("heavy-middle", AgainstIdeal, AtLeast(0.95)),
    goal("heavy-last", AgainstIdeal, AtLeast(0.95)),
];

const fn goal(name: &'static str, figure: Figure, limit: Limit) -> Goal {
    Goal {
        name,
        figure,
        limit,
    }
}

impl Figure {
    /// Its unit.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            NsBeyondPlain => " ns",
            _ => "×",
        }
    }

    /// Its name.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            SpeedUp => "speed-up",
            AgainstRayon => "against rayon",
            AgainstSplit => "against the static split",
            AgainstIdeal => "against the ideal",
            NsBeyondPlain => "beyond 1.1 × plain",
        }
    }

    /// Reads it off a record of an experiment.
    pub(crate) fn read(self, record: &Record, records: &Records) -> Option<f64> {
        let plain = records.get(Id::Baseline, 1)?.median();
        match self {
            SpeedUp => record.speed_up,
            AgainstRayon => record.against_rayon,
            AgainstSplit => {
                let split = records.get(Id::StaticSplit, record.threads)?;
                Some(split.median() / record.median())
            }
            AgainstIdeal => Some(plain * longest_share(record.threads) / record.median()),
            NsBeyondPlain => Some(record.median() - 1.1 * plain),
        }
    }
}

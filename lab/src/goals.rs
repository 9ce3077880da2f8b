//! The goals, as data: what is measured, in which condition, for whom, and the limit.
//! They hold for two cores. Adding one is adding a line to `GOALS`.

use crate::contender::Id;
use crate::problem::tree::Shape;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Workload {
    /// The sum of a perfect tree of so many nodes.
    Tree(u64),
    /// The sum of a spine with trees on it.
    Spine(Shape),
    /// The 38th Fibonacci number.
    Fib,
    /// One of the eight shapes, by number.
    Shape(usize),
    /// One of the ramp's, by number.
    Ramp(usize),
    /// One of the coarse joins, by number.
    Coarse(usize),
    /// The 1,023-node sum in cargo's default build under callgrind.
    Instructions,
    /// A pool that nobody needs; with a sleeping caller inside or without.
    Idle { held: bool },
    /// Many outside threads that enter one pool.
    Enter,
}

/// In which condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    /// Inside, back to back.
    Hot,
    /// Inside, after a millisecond of sleep.
    Cold,
    /// Entering a pool that was just made.
    Fresh,
    /// Entering again and again.
    Entering,
    /// Entering after the pool has been idle for 100 ms.
    Rested,
}

/// The figure that is compared with the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    /// Time over the left-first plain program's.
    OverBaseline,
    /// The better plain program's time over this one.
    SpeedUp,
    /// Time over the static split's on as many threads.
    OverStatic,
    /// Time over an immediate division into equal shares.
    OverIdeal,
    /// Nanoseconds that a fork adds to the plain program.
    NsPerFork,
    /// Median in microseconds.
    Micros,
    /// Instructions per node.
    Instructions,
    /// CPU time in milliseconds over five seconds.
    CpuMs,
    /// Wake-ups over five seconds.
    WakeUps,
}

/// What the figure must not be beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

/// A goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// What is run.
    pub(crate) workload: Workload,
    /// In which condition.
    pub(crate) condition: Condition,
    /// For whom.
    pub(crate) who: Id,
    /// On how many threads.
    pub(crate) threads: usize,
    /// What is compared.
    pub(crate) figure: Figure,
    /// With what.
    pub(crate) limit: Limit,
}

use Condition::*;
use Figure::{
    CpuMs, Instructions, Micros, NsPerFork, OverBaseline, OverIdeal, OverStatic, SpeedUp, WakeUps,
};
use Id::{SumacJoin, SumacScope};
use Limit::*;
use Workload::{Coarse, Enter, Fib, Idle, Ramp, Shape as Leaves, Spine, Tree};

const SMALL: Workload = Tree(1023);
const LARGE: Workload = Tree(16_777_215);
const UNDER_CALLGRIND: Workload = Workload::Instructions;
const NOBODY: Workload = Idle { held: false };
const HELD: Workload = Idle { held: true };

/// Every goal, in the order of the table.
#[rustfmt::skip]
pub(crate) const GOALS: &[Goal] = &[
    goal(SMALL, Hot, SumacScope, 1, OverBaseline, AtMost(1.3)),
    goal(SMALL, Hot, SumacJoin, 1, OverBaseline, AtMost(1.7)),
    goal(UNDER_CALLGRIND, Hot, SumacScope, 1, Instructions, AtMost(36.0)),
    goal(UNDER_CALLGRIND, Hot, SumacJoin, 1, Instructions, AtMost(42.0)),
    goal(SMALL, Hot, SumacScope, 2, OverBaseline, AtMost(1.4)),
    goal(SMALL, Hot, SumacScope, 4, OverBaseline, AtMost(1.4)),
    goal(SMALL, Hot, SumacScope, 8, OverBaseline, AtMost(1.4)),
    goal(SMALL, Hot, SumacScope, 32, OverBaseline, AtMost(1.4)),
    goal(SMALL, Cold, SumacScope, 2, OverBaseline, AtMost(1.3)),
    goal(Fib, Hot, SumacScope, 1, NsPerFork, AtMost(1.4)),
    goal(Fib, Hot, SumacScope, 2, SpeedUp, AtLeast(1.0)),
    goal(LARGE, Hot, SumacScope, 1, OverBaseline, AtMost(1.1)),
    goal(LARGE, Hot, SumacScope, 2, SpeedUp, AtLeast(1.7)),
    goal(LARGE, Hot, SumacScope, 2, OverStatic, AtMost(1.0)),
    goal(Spine(Shape::SpineLeft), Hot, SumacScope, 2, SpeedUp, AtLeast(1.6)),
    goal(Spine(Shape::SpineRight), Hot, SumacScope, 2, SpeedUp, AtLeast(1.6)),
    goal(Leaves(0), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(1), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(2), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(3), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(4), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(5), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(6), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Leaves(7), Hot, SumacScope, 2, SpeedUp, AtLeast(1.9)),
    goal(Coarse(0), Fresh, SumacScope, 2, OverIdeal, AtMost(1.06)),
    goal(Coarse(0), Entering, SumacScope, 2, OverIdeal, AtMost(1.06)),
    goal(Coarse(0), Rested, SumacScope, 2, OverIdeal, AtMost(1.06)),
    goal(Coarse(1), Fresh, SumacScope, 2, OverIdeal, AtMost(1.06)),
    goal(Coarse(1), Entering, SumacScope, 2, OverIdeal, AtMost(1.06)),
    goal(Coarse(1), Rested, SumacScope, 2, OverIdeal, AtMost(1.06)),
    goal(Ramp(0), Hot, SumacScope, 2, Micros, AtMost(60.0)),
    goal(Ramp(1), Hot, SumacScope, 2, Micros, AtMost(90.0)),
    goal(Ramp(2), Hot, SumacScope, 2, Micros, AtMost(170.0)),
    goal(Ramp(2), Cold, SumacScope, 2, Micros, AtMost(210.0)),
    goal(Ramp(0), Cold, SumacScope, 2, OverBaseline, AtMost(1.05)),
    goal(Ramp(1), Cold, SumacScope, 2, OverBaseline, AtMost(1.05)),
    goal(NOBODY, Hot, SumacScope, 2, CpuMs, AtMost(1.0)),
    goal(NOBODY, Hot, SumacScope, 2, WakeUps, AtMost(0.0)),
    goal(NOBODY, Hot, SumacScope, 64, CpuMs, AtMost(1.0)),
    goal(NOBODY, Hot, SumacScope, 64, WakeUps, AtMost(0.0)),
    goal(HELD, Hot, SumacScope, 2, CpuMs, AtMost(1.0)),
    goal(HELD, Hot, SumacScope, 2, WakeUps, AtMost(0.0)),
    goal(HELD, Hot, SumacScope, 64, CpuMs, AtMost(1.0)),
    goal(HELD, Hot, SumacScope, 64, WakeUps, AtMost(0.0)),
    goal(Enter, Hot, SumacScope, 2, Micros, AtMost(0.25)),
];

const fn goal(
    workload: Workload,
    condition: Condition,
    who: Id,
    threads: usize,
    figure: Figure,
    limit: Limit,
) -> Goal {
    Goal {
        workload,
        condition,
        who,
        threads,
        figure,
        limit,
    }
}

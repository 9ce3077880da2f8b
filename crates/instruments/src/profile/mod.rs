//! Work and span of a program: how parallel it is, measured on any number of processors.
//!
//! ```
//! use sumac::{prelude::*, profile::Profiler};
//!
//! let program = || (0..100_000u64).into_par_iter().map(|i| i ^ (i >> 3)).sum::<u64>();
//! let (sum, profile) = Profiler::new().run(program);
//! assert_eq!((sum, profile.loops), (program(), 1));
//! println!("parallelism {:.1}", profile.parallelism());
//! println!("on 16 threads {} times as fast", profile.speed_up(16));
//! ```
//!
//! While a thread [profiles](profile()), its joins and loops run on it alone, one half after the
//! other, and the clock is read at the start and end of each *strand*: a part of the program
//! without a fork or a join. The **work** is the sum of all strands. The **span** is the longest
//! path through them: the time on infinitely many processors. The **burdened span** is the longest
//! path when each fork on it costs a *burden*: about the time that another thread needs to steal a
//! job.
//!
//! # What counts
//!
//! | construct | how it counts |
//! |---|---|
//! | join, also of several closures, also a scope's | the longer half; a burden |
//! | loop, iterator | the blocks that a thread runs between two polls (a microsecond or two, at least an item) are leaves of a balanced tree: the longest block; a burden for each level |
//! | task of a scope | starts where it is spawned, a burden later; the scope ends with the last of its tasks |
//! | `spawn` | the same; a join or await of the promise ends at the later of both ends |
//! | waiting | nothing: the clock stops |
//!
//! Tasks run as usual, also on other threads (since one may wait for another), and each is measured
//! on its thread, which runs its joins and loops alone. A task that is still running when the
//! profile ends is *unattributed*. The work of futures (`spawn_async`) and of batches led by other
//! threads is not measured, since it belongs to no caller.
//!
//! The sequential part of a loop over an iterator that cannot be divided (`par_bridge`) counts as
//! parallel, and a scan counts as one pass over its elements.
//!
//! # Precision
//!
//! A strand is measured to some nanoseconds, after subtracting the measured overhead. Over many
//! strands the errors cancel out in the work, while the span, a maximum, collects the larger ones.
//! So if strands last only nanoseconds, the span is accurate to a few nanoseconds per fork on the
//! longest path. Times are wall-clock times; on Linux, time in which other programs had the
//! processor is subtracted. Shared caches still make a difference: measure on a quiet machine.

// Each recorder carries the length of the longest path from the profile's start to its place
// (recorder.rs), so that promises, which form no series-parallel graph, are measured correctly: a
// wait ends at the latest of the ends it has waited for.

#[cfg(test)]
mod attacks;
mod bounds;
mod delay;
mod recorder;
mod task;
#[cfg(test)]
mod tests;

pub use self::bounds::SpeedUp;

use self::recorder::Picos;
use std::{fmt, time::Duration};

/// The default of what a join, a spawned task or a level of a loop adds to the burdened span: about
/// the time that an idle thread needs to ask for a job, get it and start it.
pub const BURDEN: Duration = Duration::from_nanos(1_500);

/// The work and span of a program; see [`profile`](profile()).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The sum of all strands: the time of the sequential program, without joins.
    pub work: Duration,
    /// The longest path through the strands: the time on infinitely many processors if joins cost
    /// nothing.
    pub span: Duration,
    /// The longest path if every fork on it costs the burden.
    pub burdened_span: Duration,
    /// The number of joins of two closures.
    pub joins: u64,
    /// The number of loops.
    pub loops: u64,
    /// The number of blocks of all loops.
    pub blocks: u64,
    /// The number of tasks spawned, and of calls to other threads.
    pub tasks: u64,
    /// The number of those that had not ended when the profile did, and are not in it.
    pub unattributed: u64,
}

impl Profile {
    /// Returns work divided by span: the greatest number of processors that the program can keep
    /// busy.
    pub fn parallelism(&self) -> f64 {
        ratio(self.work, self.span)
    }

    /// Returns work divided by burdened span: the greatest number of processors that the program
    /// can keep busy if forks cost the burden.
    pub fn burdened_parallelism(&self) -> f64 {
        ratio(self.work, self.burdened_span)
    }
}

impl fmt::Display for Profile {
    /// As a line: the times, how many processors it can use, and what was counted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "work {:.1?}, span {:.1?}, with burden {:.1?}; parallelism {:.1}, with burden {:.1}; \
             {} joins, {} loops of {} blocks, {} tasks",
            self.work,
            self.span,
            self.burdened_span,
            self.parallelism(),
            self.burdened_parallelism(),
            self.joins,
            self.loops,
            self.blocks,
            self.tasks,
        )?;
        match self.unattributed {
            0 => Ok(()),
            tasks => write!(f, ", {tasks} of them not ended"),
        }
    }
}

fn ratio(of: Duration, to: Duration) -> f64 {
    if of.is_zero() {
        1.0
    } else {
        of.as_secs_f64() / to.as_secs_f64()
    }
}

/// Calls `f` and measures its work and span.
///
/// While `f` runs, this thread's joins and loops run on it alone; other threads are not affected,
/// except in the tasks that `f` spawns. Profiles nest: the inner one is a part of the outer one.
///
/// # Examples
///
/// ```
/// use std::{thread::sleep, time::Duration};
/// use sumac::{join, profile};
///
/// let nap = || sleep(Duration::from_millis(5));
/// let ((), profile) = profile(|| {
///     nap();
///     join(|| join(nap, nap), || join(nap, nap));
/// });
/// assert_eq!(profile.joins, 3);
/// assert!(profile.work.as_millis() >= 25);
/// assert!(profile.span < profile.work / 2 + Duration::from_millis(5));
/// println!("2 processors: {}", profile.speed_up(2)); // such as 1.6 to 2.0
/// assert!(profile.to_string().contains("3 joins, 0 loops"));
/// ```
///
/// # Cost
/// About a hundred nanoseconds per join, which are subtracted from the results. The first call in a
/// process takes a millisecond to calibrate.
///
/// # Panics
/// If `f` panics. The profile is lost then, and the thread no longer profiles.
pub fn profile<R>(f: impl FnOnce() -> R) -> (R, Profile) {
    Profiler::new().run(f)
}

/// The options of a profile; [`profile`](profile()) uses the defaults.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use sumac::{join, profile::Profiler};
///
/// let profiler = Profiler::new().burden(Duration::from_micros(5));
/// let ((), profile) = profiler.run(|| {
///     join(|| (), || ());
/// });
/// assert!(profile.burdened_span >= profile.span + Duration::from_micros(5));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Profiler {
    burden: Duration,
}

impl Default for Profiler {
    fn default() -> Self {
        Profiler::new()
    }
}

impl Profiler {
    /// Creates a profiler with the default options.
    pub const fn new() -> Self {
        Profiler { burden: BURDEN }
    }

    /// Sets the time that each fork adds to the burdened span.
    #[must_use]
    pub const fn burden(mut self, burden: Duration) -> Self {
        self.burden = burden;
        self
    }

    /// Calls `f` and measures its work and span, see [`profile`](profile()).
    ///
    /// # Panics
    /// If `f` panics.
    pub fn run<R>(self, f: impl FnOnce() -> R) -> (R, Profile) {
        recorder::run(picos(self.burden), f)
    }
}

fn picos(time: Duration) -> Picos {
    Picos::try_from(time.as_nanos().saturating_mul(1000)).unwrap_or(Picos::MAX / 4)
}

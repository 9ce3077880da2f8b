//! Work and span of a program: how parallel it is, however few processors there are to try it on.
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
//! other, and the clock is read wherever a *strand* begins or ends: a stretch of the program
//! without a fork or a join. The **work** is the sum of all strands. The **span** is the longest
//! path through them: what remains of the time with processors without number. The **burdened
//! span** is the longest path when each fork on it costs a *burden*: about what it takes another
//! thread to get hold of a job.
//!
//! # What counts
//!
//! | what | how it counts |
//! |---|---|
//! | join, also of several closures, also a scope's | the longer half; a burden |
//! | loop, iterator | the blocks that a thread runs between two polls (a microsecond or two, at least an item) are leaves of a balanced tree: the longest block; a burden for each level |
//! | task of a scope | begins where it is spawned, a burden later; the scope ends with the last of its tasks |
//! | `spawn` | the same; who joins or awaits the promise goes on with the later of both ends |
//! | waiting | nothing: the clock stops |
//!
//! Tasks run where they would anyway, on other threads too (one may wait for what another does),
//! each measured on its thread, its joins and loops run by that thread alone. A task that is still
//! running when the profile ends is *unattributed*. So is, uncounted, the work of futures
//! (`spawn_async`) and of batches that another thread leads: they belong to no caller.
//!
//! What a loop over an iterator that cannot be divided does in turn (`par_bridge`) counts as if it
//! were parallel, and a scan as if it looked at each number once.
//!
//! # Precision
//!
//! Of a strand some nanoseconds, after the measured cost of measuring has been taken off; over many
//! strands the errors cancel out in the work, while the span, a maximum, takes the larger ones. So
//! do not trust the span of a program whose strands last but nanoseconds to better than a few of
//! these per fork on the longest path. The clock is that of the wall; on Linux, time in which the
//! system gave the processor to others is taken off again. Caches that others use, too, make a
//! difference all the same: let the machine be quiet.

// Each recorder carries the length of the longest path from the profile's beginning to where it is
// (recorder.rs), so that what forms no series-parallel graph (promises) is right, too: a wait ends
// at the latest of the ends it has waited for.

#[cfg(test)]
mod attacks;
mod bounds;
mod dag;
mod delay;
mod recorder;
mod task;
#[cfg(test)]
mod tests;

pub use self::{bounds::SpeedUp, dag::Dag};

use self::recorder::Picos;
use std::time::Duration;

/// What a join, a spawned task or a level of a loop adds to the burdened span unless told
/// otherwise: about what it takes an idle thread that looks for work to ask for a job, get and
/// begin it.
pub const BURDEN: Duration = Duration::from_nanos(1_500);

/// What a program's work and span came to; see [`profile`](profile()).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The time of all strands together: the sequential program's, without joins.
    pub work: Duration,
    /// The longest path through the strands: the time with processors without number and joins that
    /// cost nothing.
    pub span: Duration,
    /// The longest path if every fork on it costs the burden.
    pub burdened_span: Duration,
    /// How many joins there were, each of two closures.
    pub joins: u64,
    /// How many loops.
    pub loops: u64,
    /// How many blocks the loops had together.
    pub blocks: u64,
    /// How many tasks were spawned, and calls made to other threads.
    pub tasks: u64,
    /// How many of these had not ended when the profile did, and are not in it.
    pub unattributed: u64,
    dag: Option<Dag>,
}

impl Profile {
    /// Work over span: how many processors the program can keep busy at most.
    pub fn parallelism(&self) -> f64 {
        ratio(self.work, self.span)
    }

    /// Work over burdened span: how many it can keep busy if forking is not free.
    pub fn burdened_parallelism(&self) -> f64 {
        ratio(self.work, self.burdened_span)
    }

    /// Returns the program's strands and forks, if [recorded](Profiler::record_dag).
    pub fn dag(&self) -> Option<&Dag> {
        self.dag.as_ref()
    }

    /// As [`dag`](Self::dag), to keep.
    pub fn into_dag(self) -> Option<Dag> {
        self.dag
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
/// While `f` runs, this thread's joins and loops run on it alone; nothing changes for other
/// threads, unless for the tasks that `f` spawns. Inside of another profile of the same thread, the
/// inner one is a part of the outer one.
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
/// ```
///
/// # Cost
/// About a hundred nanoseconds for each join, of which the results are cleared. The first call in a
/// process takes a millisecond to find out how many.
///
/// # Panics
/// If `f` does. The profile is lost then, and the thread no longer profiles.
pub fn profile<R>(f: impl FnOnce() -> R) -> (R, Profile) {
    Profiler::new().run(f)
}

/// How to profile; [`profile`](profile()) does it in the usual way.
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
    grain: Option<Duration>,
}

impl Default for Profiler {
    fn default() -> Self {
        Profiler::new()
    }
}

impl Profiler {
    /// Profiles in the usual way.
    pub const fn new() -> Self {
        Profiler {
            burden: BURDEN,
            grain: None,
        }
    }

    /// Sets what each fork adds to the burdened span.
    #[must_use]
    pub const fn burden(mut self, burden: Duration) -> Self {
        self.burden = burden;
        self
    }

    /// Records what the program is made of, too. What is shorter than `grain` becomes one strand,
    /// and a half that is shorter than a 64th of it a part of its sibling: so the record has, for a
    /// program of *n* strands, at most about 64 · log *n* nodes for each `grain` of work.
    #[must_use]
    pub const fn record_dag(mut self, grain: Duration) -> Self {
        self.grain = Some(grain);
        self
    }

    /// As [`profile`](profile()).
    ///
    /// # Panics
    /// If `f` does.
    pub fn run<R>(self, f: impl FnOnce() -> R) -> (R, Profile) {
        recorder::run(picos(self.burden), self.grain.map(picos), f)
    }
}

fn picos(time: Duration) -> Picos {
    Picos::try_from(time.as_nanos().saturating_mul(1000)).unwrap_or(Picos::MAX / 4)
}

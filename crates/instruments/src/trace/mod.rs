//! A record of the threads of a pool: phases of work, search and sleep, and single events
//! (promotions, steals, wakes).
//!
//! ```
//! use sumac::trace::Happened;
//!
//! let (value, trace) = sumac::trace(|| sumac::join(|| 1, || 2));
//! assert_eq!(value, (1, 2));
//! for lane in &trace.lanes {
//!     let steals = lane.moments.iter().filter(|(_, what)| *what == Happened::Steal).count();
//!     println!("{}: {steals} steals, {} events forgotten", lane.name, lane.dropped);
//! }
//! ```
//!
//! [`Trace::write_chrome`] writes a file for `chrome://tracing` or Perfetto, [`Trace::write_svg`] a
//! picture. A pool can have several traces at a time. All times are wall-clock times since the
//! start of the trace.

// Each member has a ring of its latest events, which its thread and threads that ask it for work
// write (record.rs); without a trace that costs one load of a flag. A trace is cut out of the rings
// at its end. Times are those of the pool's clock.

mod chrome;
mod record;
mod svg;
#[cfg(test)]
mod tests;

use self::record::Tracers;
use std::{fmt, time::Duration};
use sumac_core::{
    Observed, ThreadPool,
    hooks::{Event, Phase},
};

/// The default number of events that each thread keeps.
const LIMIT: usize = 1 << 16;

/// The activity of a thread, in a [`Trace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Doing {
    /// It ran its own program, or nothing.
    Own,
    /// It ran a job or task of another thread.
    Working,
    /// It searched for a job, or waited without sleeping.
    Searching,
    /// It slept.
    Parked,
}

impl Doing {
    const ALL: [Doing; 4] = [Doing::Own, Doing::Working, Doing::Searching, Doing::Parked];

    fn name(self) -> &'static str {
        match self {
            Doing::Own => "own work",
            Doing::Working => "working",
            Doing::Searching => "searching",
            Doing::Parked => "parked",
        }
    }
}

impl From<Phase> for Doing {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Away => Doing::Own,
            Phase::Working => Doing::Working,
            Phase::Searching => Doing::Searching,
            Phase::Parked => Doing::Parked,
        }
    }
}

/// A single event, in a [`Trace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Happened {
    /// The thread turned a frame or a part of a loop into a job, and offered it.
    Promotion,
    /// The thread took a job that another offered.
    Steal,
    /// The thread took a task from a queue.
    Task,
    /// Another thread asked this one for work.
    Asked,
    /// The thread took a job of its own back.
    Reclaim,
    /// The thread woke another.
    Wake,
}

impl Happened {
    fn name(self) -> &'static str {
        match self {
            Happened::Promotion => "promotion",
            Happened::Steal => "steal",
            Happened::Task => "task",
            Happened::Asked => "asked",
            Happened::Reclaim => "reclaim",
            Happened::Wake => "wake",
        }
    }
}

impl From<Event> for Happened {
    fn from(event: Event) -> Self {
        match event {
            Event::Promotion => Happened::Promotion,
            Event::Steal => Happened::Steal,
            Event::Task => Happened::Task,
            Event::Asked => Happened::Asked,
            Event::Reclaim => Happened::Reclaim,
            Event::Wake => Happened::Wake,
        }
    }
}

/// A stretch of time in which a thread did one thing. Times are relative to the start of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stretch {
    /// The activity.
    pub doing: Doing,
    /// The start.
    pub start: Duration,
    /// The end.
    pub end: Duration,
}

/// The events of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lane {
    /// The name of the thread: `worker 0`, or `guest 0` for outside threads.
    pub name: String,
    /// Its activities, without gaps from the first event that it has kept.
    pub stretches: Vec<Stretch>,
    /// Its single events and their times.
    pub moments: Vec<(Duration, Happened)>,
    /// The number of older events that it dropped.
    pub dropped: u64,
}

impl Lane {
    /// Returns the time that the thread spent in an activity.
    pub fn spent(&self, doing: Doing) -> Duration {
        let of = self.stretches.iter().filter(|s| s.doing == doing);
        of.map(|s| s.end.saturating_sub(s.start)).sum()
    }
}

/// The record of the threads of a pool; see [`trace`](trace()).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The threads: the workers in order, then outside threads that took part.
    pub lanes: Vec<Lane>,
    /// The duration of the trace.
    pub duration: Duration,
}

impl Trace {
    /// Returns the number of events that were dropped by all threads.
    pub fn dropped(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.dropped).sum()
    }
}

/// A trace in progress; see [`trace`](trace()).
pub struct Tracing {
    pool: Observed,
    start: u64,
}

impl Tracing {
    /// Starts to trace a pool. Each thread keeps its latest `limit` events.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::{ThreadPoolBuilder, join, trace::Tracing};
    ///
    /// let pool = ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let tracing = Tracing::start(&pool, 1000);
    /// pool.install(|| join(|| 1, || 2));
    /// let trace = tracing.finish();
    /// assert!(trace.lanes.len() <= 2);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn start(pool: &ThreadPool, limit: usize) -> Self {
        Tracing::of(Observed::pool(pool), limit)
    }

    fn of(pool: Observed, limit: usize) -> Self {
        let start = pool.now();
        Tracers::of(&pool).begin(&pool, limit.max(1), start);
        Tracing { pool, start }
    }

    /// Ends the trace and returns it.
    pub fn finish(self) -> Trace {
        let end = self.pool.now();
        let mut guests = 0;
        let mut lanes: Vec<(usize, Lane)> = Vec::new();
        for seat in self.pool.seats() {
            let Some(mut lane) = record::events_of(seat).cut(self.start, end) else {
                continue;
            };
            if let Some(index) = seat.worker() {
                lane.name = format!("worker {index}");
            } else {
                lane.name = format!("guest {guests}");
                guests += 1;
            }
            lanes.push((seat.worker().unwrap_or(usize::MAX), lane));
        }
        lanes.sort_by_key(|(index, _)| *index);
        Trace {
            lanes: lanes.into_iter().map(|(_, lane)| lane).collect(),
            duration: Duration::from_nanos(end - self.start),
        }
    }
}

impl fmt::Debug for Tracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracing")
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        Tracers::of(&self.pool).end(&self.pool);
    }
}

/// Calls `f` and records what the threads of the current pool do meanwhile: the pool of the
/// innermost [`install`](ThreadPool::install), of the running job, or the global pool.
///
/// # Examples
///
/// ```
/// use sumac::{ThreadPoolBuilder, join, trace};
///
/// let pool = ThreadPoolBuilder::new().num_threads(2).build()?;
/// let (sum, trace) = pool.install(|| {
///     trace(|| {
///         let (a, b) = join(|| 1, || 2);
///         a + b
///     })
/// });
/// assert_eq!(sum, 3);
/// trace.write_chrome(std::io::sink())?;
/// trace.write_svg(std::io::sink())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cost
/// Some fifty nanoseconds per event: a job that is offered or taken, a thread that falls asleep.
/// Joins and loops cost the same as without a trace.
///
/// # Panics
/// If `f` panics; the trace is lost then.
pub fn trace<R>(f: impl FnOnce() -> R) -> (R, Trace) {
    let tracing = Tracing::of(Observed::current(), LIMIT);
    let result = f();
    (result, tracing.finish())
}

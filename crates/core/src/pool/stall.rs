//! Stalls: work waits, and no thread that may take it looks for work. What a report says; the watch
//! that makes it is in `stall/watch.rs`, and `SUMAC_STALL` in `stall/environment.rs`.

pub(crate) mod environment;
mod report;
pub(crate) mod watch;

use crate::join::member::site::{Line, WaitsFor};
use std::{fmt, panic::Location, time::Duration};

/// Work of a pool waits, and no thread that may take it has looked for work for a time: what each
/// thread does, and what waits. See
/// [`ThreadPoolBuilder::stall_handler`](crate::ThreadPoolBuilder::stall_handler).
///
/// Printed, it is several lines of plain English.
#[derive(Clone, Debug)]
pub struct Stall {
    lasts: Duration,
    num_threads: usize,
    threads: Vec<StalledThread>,
    waiting: Vec<WaitingWork>,
    jobs: usize,
}

/// A thread of a pool that [stalls](Stall).
#[derive(Clone, Debug)]
pub struct StalledThread {
    name: Option<String>,
    index: Option<usize>,
    call: Option<Line>,
    lasts: Option<Duration>,
    waits_for: WaitsFor,
}

/// Tasks or calls that wait for a thread of a pool that [stalls](Stall), from one line of the
/// program.
#[derive(Clone, Copy, Debug)]
pub struct WaitingWork {
    call: Option<Line>,
    is_call: bool,
    count: usize,
}

/// What to do about a [`Stall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnStall {
    /// Nothing. If the stall goes on, the handler is called again when it has lasted twice as long.
    Wait,
    /// Add a thread to the pool, a spare (see [`blocking`](crate::blocking)), which ends when it is
    /// no longer needed: when fewer threads stall than have been added. Does nothing if there are
    /// as many spares as the pool may have (with a `spawn_handler` none), if the stall is over, or
    /// if only calls for certain threads wait, as of a broadcast.
    AddThread,
}

impl Stall {
    /// Returns how long no thread that may take the work has looked for it.
    pub fn lasts(&self) -> Duration {
        self.lasts
    }

    /// Returns the number of threads of the pool, see
    /// [`current_num_threads`](crate::ThreadPool::current_num_threads).
    pub fn num_threads(&self) -> usize {
        self.num_threads
    }

    /// Returns the threads that are in the pool: its own, and outside threads that take part.
    pub fn threads(&self) -> &[StalledThread] {
        &self.threads
    }

    /// Returns the tasks and calls that wait, an element for each line of the program.
    pub fn waiting(&self) -> &[WaitingWork] {
        &self.waiting
    }

    /// Returns the number of tasks that wait for a thread.
    pub fn tasks(&self) -> usize {
        self.count(|work| !work.is_call)
    }

    /// Returns the number of calls that wait for a thread: `install` and others from outside, of
    /// which another thread waits for the end, and broadcasts.
    pub fn calls(&self) -> usize {
        self.count(|work| work.is_call)
    }

    /// Returns the number of halves of joins and parts of loops that are offered to other threads.
    /// The thread that offers them runs them, too, so without more they are no stall.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    fn count(&self, which: impl Fn(&WaitingWork) -> bool) -> usize {
        let waiting = self.waiting.iter().filter(|work| which(work));
        waiting.map(|work| work.count).sum()
    }
}

impl StalledThread {
    /// Returns the name of the thread, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns its index in the pool, if it is one of the pool's threads. That of a spare is the
    /// number of threads or greater.
    pub fn index(&self) -> Option<usize> {
        self.index
    }

    /// Returns the line of the program that asked for what the thread runs: of the `spawn`, the
    /// `install`, the `scope` or the like. Of a half of a join, that of what the join is inside of.
    pub fn call(&self) -> Option<&'static Location<'static>> {
        self.call
    }

    /// Returns how long it has run that.
    pub fn lasts(&self) -> Option<Duration> {
        self.lasts
    }

    /// Returns what it waits for.
    pub fn waits_for(&self) -> WaitsFor {
        self.waits_for
    }
}

impl WaitingWork {
    /// Returns the line of the program that asked for it; `None` for a step of a future.
    pub fn call(&self) -> Option<&'static Location<'static>> {
        self.call
    }

    /// Returns whether another thread has called the pool and waits for the end, or whether it is a
    /// part of a broadcast. Otherwise it is a task.
    pub fn is_call(&self) -> bool {
        self.is_call
    }

    /// Returns how many of them wait.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Returns a number of things as text.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns a duration as text. Not by way of a float, since std's code for these is large.
fn seconds(duration: Duration) -> String {
    let rounded = duration.saturating_add(Duration::from_millis(50));
    format!("{}.{} s", rounded.as_secs(), rounded.subsec_millis() / 100)
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = counted(self.num_threads, "thread");
        writeln!(
            f,
            "sumac: a stall: in a pool of {threads} work waits, and no thread that may take it has \
             looked for work for {}",
            seconds(self.lasts)
        )?;
        for work in &self.waiting {
            let what = if work.is_call { "call" } else { "task" };
            write!(f, "  waits: {}", counted(work.count, what))?;
            from(f, work.call)?;
            writeln!(f)?;
        }
        if self.jobs > 0 {
            let jobs = counted(self.jobs, "part");
            writeln!(
                f,
                "  waits: {jobs} of joins and loops, offered to other threads"
            )?;
        }
        for thread in &self.threads {
            match thread.index {
                Some(index) => write!(f, "  thread {index}")?,
                None => write!(f, "  outside thread")?,
            }
            if let Some(name) = &thread.name {
                write!(f, " {name:?}")?;
            }
            if let Some(lasts) = thread.lasts {
                write!(f, ": for {} in what is called", seconds(lasts))?;
                from(f, thread.call)?;
            }
            writeln!(f, "; {}", thread.waits_for)?;
        }
        Ok(())
    }
}

fn from(f: &mut fmt::Formatter<'_>, call: Option<Line>) -> fmt::Result {
    match call {
        Some(line) => write!(f, " at {line}"),
        None => write!(f, " at an unknown line"),
    }
}

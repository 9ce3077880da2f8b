//! What the seated thread is doing: whether it takes part in the pool's work, and, for reports of
//! stalls (pool/stall.rs), in which call of the program's it is, since when, and what it waits for.
//!
//! The latter is written only in pools that are watched, where a thread takes a task or a job,
//! enters the pool, or begins to wait: never in a join that stays on the hot path. Only the seated
//! thread writes it; for all others it is a hint.

use crate::{
    protocol::primitive::{AtomicPtr, AtomicU64, AtomicUsize, Mutex, Ordering, lock},
    unwind::Finally,
};
use std::{fmt, panic::Location, ptr, thread};

/// The line of the program that made a call.
pub(crate) type Line = &'static Location<'static>;

/// What a thread of a pool that [stalls](crate::Stall) waits for, as far as the pool knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitsFor {
    /// It is in the program's code. It computes, or waits there for a lock, a channel, a file.
    Program,
    /// For nothing: it is idle; or for a permit, in a pool with [permits](crate::Permits).
    Work,
    /// For what it said by [`blocking`](crate::blocking).
    Blocking,
    /// For a half of its join, or a part of its loop, that another thread has taken.
    Join,
    /// For a task, a call to another pool, or a promise.
    Task,
    /// For the tasks of its scope, or of its broadcast.
    Scope,
    /// For a batch of a structure.
    Batch,
}

impl WaitsFor {
    /// All of them, in their order.
    const ALL: [WaitsFor; 7] = [
        WaitsFor::Program,
        WaitsFor::Work,
        WaitsFor::Blocking,
        WaitsFor::Join,
        WaitsFor::Task,
        WaitsFor::Scope,
        WaitsFor::Batch,
    ];

    pub(crate) fn of(number: usize) -> Self {
        WaitsFor::ALL[number]
    }
}

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaitsFor::Program => "it computes there, or waits for what the pool does not know",
            WaitsFor::Work => "it is idle",
            WaitsFor::Blocking => "it waits in sumac::blocking",
            WaitsFor::Join => "it waits for a half of its join that another thread has taken",
            WaitsFor::Task => "it waits for a task or for another pool",
            WaitsFor::Scope => "it waits for the tasks of its scope",
            WaitsFor::Batch => "it waits for a batch of operations",
        })
    }
}

/// How many calls of a kind are around the seated thread, which alone writes this, and `ENTRY`
/// times how often it has entered one.
#[derive(Default)]
struct Calls(AtomicU64);

const ENTRY: u64 = 1 << 32;

impl Calls {
    /// Enters a call, which ends when the result is dropped.
    #[inline]
    fn enter(&self, counts: bool) -> Finally<impl FnMut()> {
        let entry = if counts { ENTRY } else { 0 };
        let calls = self.0.load(Ordering::Relaxed);
        self.0
            .store(calls.wrapping_add(entry + 1), Ordering::Relaxed);
        Finally(|| {
            let calls = self.0.load(Ordering::Relaxed);
            self.0.store(calls - 1, Ordering::Relaxed);
        })
    }

    fn is_around(&self) -> bool {
        self.0.load(Ordering::Relaxed) % ENTRY > 0
    }

    fn entries(&self) -> u64 {
        self.0.load(Ordering::Relaxed) / ENTRY
    }
}

pub(crate) struct Site {
    /// Those in which the thread takes part; the outermost ones count.
    inside: Calls,
    /// The tasks that it runs.
    tasks: Calls,
    /// The line of the call; null where there is none.
    pub(super) line: AtomicPtr<Location<'static>>,
    /// Since when, on the pool's clock.
    since: AtomicU64,
    /// A `WaitsFor`.
    pub(super) waits_for: AtomicUsize,
    /// The thread.
    pub(super) thread: Mutex<Option<thread::Thread>>,
}

impl Site {
    pub(crate) fn new() -> Self {
        Site {
            inside: Calls::default(),
            tasks: Calls::default(),
            line: AtomicPtr::new(ptr::null_mut()),
            since: AtomicU64::new(0),
            waits_for: AtomicUsize::new(WaitsFor::Program as usize),
            thread: Mutex::new(None),
        }
    }

    /// Makes the seated thread, which is the calling one, take part in the pool's work until the
    /// result is dropped.
    pub(crate) fn take_part(&self) -> Finally<impl FnMut()> {
        self.inside.enter(!self.is_inside())
    }

    /// Returns whether the seated thread takes part.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.is_around()
    }

    /// Returns how often a thread has begun to take part here.
    pub(crate) fn entries(&self) -> u64 {
        self.inside.entries()
    }

    /// The seated thread, which is the calling one, runs a task until the result is dropped.
    #[inline]
    pub(crate) fn in_task(&self) -> Finally<impl FnMut()> {
        self.tasks.enter(true)
    }

    /// Returns whether the seated thread runs a task.
    pub(crate) fn runs_task(&self) -> bool {
        self.tasks.is_around()
    }

    /// Calls `f`, in which tasks are not counted as started.
    pub(crate) fn uncounted(&self, f: impl FnOnce()) {
        let before = self.tasks.entries();
        f();
        let calls = self.tasks.0.load(Ordering::Relaxed);
        let started = self.tasks.entries().wrapping_sub(before);
        let uncounted = calls.wrapping_sub(started.wrapping_mul(ENTRY));
        self.tasks.0.store(uncounted, Ordering::Relaxed);
    }

    /// Returns how many tasks have been started here.
    pub(crate) fn tasks_started(&self) -> u64 {
        self.tasks.entries()
    }

    pub(crate) fn line(&self) -> Option<Line> {
        let line = self.line.load(Ordering::Relaxed);
        // SAFETY: null, or from a reference that is valid for ever.
        unsafe { line.cast_const().as_ref() }
    }

    pub(crate) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    #[inline(never)]
    pub(crate) fn waits_for(&self) -> WaitsFor {
        WaitsFor::of(self.waits_for.load(Ordering::Relaxed))
    }

    /// Records that the seated thread is in `blocking`, or no longer.
    pub(crate) fn set_blocked(&self, is: bool) {
        let waits_for = if is {
            WaitsFor::Blocking
        } else {
            WaitsFor::Program
        };
        self.waits_for.store(waits_for as usize, Ordering::Relaxed);
    }

    /// Returns the name of the thread, if it has one.
    pub(crate) fn name(&self) -> Option<String> {
        let thread = lock(&self.thread).clone();
        thread.and_then(|thread| thread.name().map(str::to_owned))
    }

    #[inline(never)]
    pub(super) fn set(&self, line: *const Location<'static>, since: u64, waits_for: WaitsFor) {
        self.line.store(line.cast_mut(), Ordering::Relaxed);
        self.since.store(since, Ordering::Relaxed);
        self.waits_for.store(waits_for as usize, Ordering::Relaxed);
    }
}

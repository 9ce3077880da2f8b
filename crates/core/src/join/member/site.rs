//! What the seated thread is doing: whether it takes part in the pool's work, and, for reports of
//! stalls (pool/stall.rs), in which call of the program's it is, since when, and what it waits for.
//!
//! The latter is written only in pools that are watched, where a thread takes a task or a job,
//! enters the pool, or begins to wait: never in a join that stays on the hot path. Only the seated
//! thread writes it; for all others it is a hint.

use super::Member;
use crate::{
    pool::stall::WaitsFor,
    protocol::primitive::{AtomicPtr, AtomicU64, AtomicUsize, Mutex, Ordering, lock},
    unwind::Finally,
};
use std::{panic::Location, ptr, thread};

/// The line of the program that made a call.
pub(crate) type Line = &'static Location<'static>;

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
    line: AtomicPtr<Location<'static>>,
    /// Since when, on the pool's clock.
    since: AtomicU64,
    /// A `WaitsFor`.
    waits_for: AtomicUsize,
    /// The thread.
    thread: Mutex<Option<thread::Thread>>,
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
    fn set(&self, line: *const Location<'static>, since: u64, waits_for: WaitsFor) {
        self.line.store(line.cast_mut(), Ordering::Relaxed);
        self.since.store(since, Ordering::Relaxed);
        self.waits_for.store(waits_for as usize, Ordering::Relaxed);
    }
}

impl Member {
    /// Records that the calling thread sits here from now on, or no thread.
    pub(crate) fn seats(&self, thread: impl FnOnce() -> Option<thread::Thread>) {
        if self.shared().stall.is_some() {
            let before = std::mem::replace(&mut *lock(&self.site.thread), thread());
            drop(before);
        }
    }

    /// Until the result is dropped, the seated thread is in what the call on this line has asked
    /// for.
    #[inline]
    pub(crate) fn runs(&self, line: Option<Line>) -> Option<Finally<impl FnMut()>> {
        let watch = self.shared().stall.as_ref();
        watch.map(|_| self.in_call(line.map_or(ptr::null(), ptr::from_ref)))
    }

    /// As [`runs`](Self::runs), unless it is in a call already.
    pub(crate) fn enters(&self, line: Line) -> Option<Finally<impl FnMut()>> {
        let watch = self.shared().stall.as_ref();
        let watch = watch.filter(|_| self.site.line().is_none());
        watch.map(|_| self.in_call(line))
    }

    #[cold]
    fn in_call(&self, line: *const Location<'static>) -> Finally<impl FnMut()> {
        let site = &self.site;
        let outer = site.line.load(Ordering::Relaxed);
        let (since, waits_for) = (site.since(), site.waits_for());
        site.set(line, self.shared().now(), WaitsFor::Program);
        Finally(move || site.set(outer, since, waits_for))
    }

    /// Until the result is dropped, the seated thread waits for this, where nothing else runs on top
    /// of the wait.
    pub(crate) fn waits(&self, what: WaitsFor) -> Option<Finally<impl FnMut()>> {
        let watch = self.shared().stall.as_ref();
        watch.map(|_| {
            let waits_for = &self.site.waits_for;
            let before = waits_for.load(Ordering::Relaxed);
            waits_for.store(what as usize, Ordering::Relaxed);
            Finally(move || waits_for.store(before, Ordering::Relaxed))
        })
    }
}

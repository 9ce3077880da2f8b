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

/// What a call adds to `Site::inside` that is in no other.
const ENTRY: u64 = 1 << 32;

pub(crate) struct Site {
    /// The number of calls around the thread in which it takes part, and `ENTRY` times that of all
    /// outermost ones so far.
    inside: AtomicU64,
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
            inside: AtomicU64::new(0),
            line: AtomicPtr::new(ptr::null_mut()),
            since: AtomicU64::new(0),
            waits_for: AtomicUsize::new(WaitsFor::Program as usize),
            thread: Mutex::new(None),
        }
    }

    /// Makes the seated thread, which is the calling one, take part in the pool's work until the
    /// result is dropped.
    pub(crate) fn take_part(&self) -> Finally<impl FnMut()> {
        let inside = self.inside.load(Ordering::Relaxed);
        let entry = if self.is_inside() { 0 } else { ENTRY };
        self.inside
            .store(inside.wrapping_add(entry + 1), Ordering::Relaxed);
        Finally(|| {
            let inside = self.inside.load(Ordering::Relaxed);
            self.inside.store(inside - 1, Ordering::Relaxed);
        })
    }

    /// Returns whether the seated thread takes part.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.load(Ordering::Relaxed) % ENTRY > 0
    }

    /// Returns how often a thread has begun to take part here.
    pub(crate) fn entries(&self) -> u64 {
        self.inside.load(Ordering::Relaxed) / ENTRY
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

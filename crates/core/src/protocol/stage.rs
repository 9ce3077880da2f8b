//! The stage of a task: bits in one word, which decide what each thread of a task does.
//!
//! ```text
//!   CLAIMED   a thread runs the task, or has dropped it unrun  set by: worker | waiter | canceller
//!   DONE      its outcome is there                             set by: the thread that claimed it
//!   AWAITED   a thread has left a waker                        set by: the promise | the caller
//!   DETACHED  the outcome is not wanted any more               set by: the promise
//!   CALLED    a caller waits for it, and there is no promise   there from the beginning
//!   POLLED    that caller does nothing else                    there from the beginning
//! ```
//!
//! The first four are set once, by `fetch_or`, so of two threads exactly one sees the other's bit:
//! * **One claim.** Of the threads that claim, one finds `CLAIMED` unset: it owns the closure.
//! * **One owner of the outcome.** `DONE` first: the promise owns it, and drops it when it
//!   detaches. `DETACHED` first: the finisher owns it.
//! * **No lost wake-up.** `DONE` first: the promise sees it when it announces that it waits, and
//!   does not sleep. `AWAITED` first: the finisher sees it, and the waker that was left before.

use super::primitive::{AtomicU32, Ordering};

const CLAIMED: u32 = 1;
const DONE: u32 = 2;
const AWAITED: u32 = 4;
const DETACHED: u32 = 8;
const CALLED: u32 = 16;
const POLLED: u32 = 32;

#[derive(Debug)]
pub(crate) struct Stage(AtomicU32);

impl Stage {
    pub(crate) fn new() -> Self {
        Stage(AtomicU32::new(0))
    }

    /// Creates the stage of a call, whose caller `polls` for its end if it does nothing else.
    pub(crate) fn of_call(polls: bool) -> Self {
        Stage(AtomicU32::new(CALLED | if polls { POLLED } else { 0 }))
    }

    /// Returns true for exactly one caller, which owns the task until it finishes it.
    pub(crate) fn claim(&self) -> bool {
        self.0.fetch_or(CLAIMED, Ordering::AcqRel) & CLAIMED == 0
    }

    /// Returns whether `claim` would fail. The task may still be running.
    pub(crate) fn is_claimed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CLAIMED != 0
    }

    /// Returns whether the promise is there, and no thread has asked without joining it.
    pub(crate) fn may_be_joined(&self) -> bool {
        self.0.load(Ordering::Relaxed) & (AWAITED | DETACHED | CALLED) == 0
    }

    /// Returns whether a caller waits for it from the beginning.
    pub(crate) fn is_call(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CALLED != 0
    }

    /// Returns whether a caller waits for it that does nothing else.
    pub(crate) fn is_polled(&self) -> bool {
        self.0.load(Ordering::Relaxed) & POLLED != 0
    }

    /// Returns whether the outcome can be read.
    pub(crate) fn is_done(&self) -> bool {
        self.0.load(Ordering::Acquire) & DONE != 0
    }

    /// Announces that the outcome has been written. Called only by the thread that claimed the
    /// task. Returns whether it owns the outcome and drops it, and whether a waker has been left.
    pub(crate) fn finish(&self) -> (bool, bool) {
        let before = self.0.fetch_or(DONE, Ordering::AcqRel);
        (before & DETACHED != 0, before & AWAITED != 0)
    }

    /// Does as `finish`, for a promise that is about to take the outcome: no other thread reads the
    /// stage any more. Returns whether a waker has been left.
    pub(crate) fn finish_for_oneself(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(CLAIMED | DONE, Ordering::Release);
        before & AWAITED != 0
    }

    /// Announces that a waker has been left, or that a thread has asked. Returns false if the task
    /// is done: then no thread may use the waker.
    pub(crate) fn announce_wait(&self) -> bool {
        self.0.fetch_or(AWAITED, Ordering::AcqRel) & DONE == 0
    }

    /// Detaches the promise. Returns true if the outcome is there, and so the promise must drop it.
    pub(crate) fn detach(&self) -> bool {
        self.0.fetch_or(DETACHED, Ordering::AcqRel) & DONE != 0
    }
}

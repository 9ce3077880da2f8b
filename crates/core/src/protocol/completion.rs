//! The end of a task: its stage, and the waker of the thread that waits for it.
//!
//! Wakers are user code: their clones, calls and destructors may do anything, with these bounds:
//! * None of it runs under the lock: it may call back, from a task or a resolver that it ends.
//! * A panic of `wake` or of a destructor is caught, since it must not end the worker that wakes.
//! * A thread that joins takes the user's waker out before it waits (task/work.rs, *alone at the
//!   end*).

use super::{
    primitive::{Mutex, lock},
    stage::Stage,
};
use crate::unwind::swallow;
use std::task::Waker;

#[derive(Debug)]
pub(crate) struct Completion {
    pub(crate) stage: Stage,
    /// Boxed, since each task has room for it, and few need it.
    waker: Mutex<Option<Box<Waker>>>,
}

impl Completion {
    pub(crate) fn new() -> Self {
        Completion {
            stage: Stage::new(),
            waker: Mutex::new(None),
        }
    }

    /// Creates that of a call, whose caller `polls` or not ([`Stage::of_call`]).
    pub(crate) fn of_call(polls: bool) -> Self {
        Completion {
            stage: Stage::of_call(polls),
            ..Completion::new()
        }
    }

    /// Leaves a waker in place of an earlier one. Returns false if the task is done: then none is
    /// left.
    ///
    /// A task that ends while the earlier waker is taken out wakes none; the announcement tells us.
    pub(crate) fn leave_waker(&self, waker: &Waker) -> bool {
        let earlier = lock(&self.waker).take();
        let waker = match earlier {
            Some(same) if same.will_wake(waker) => same,
            earlier => {
                swallow(|| drop(earlier));
                Box::new(waker.clone())
            }
        };
        *lock(&self.waker) = Some(waker);
        let waits = self.stage.announce_wait();
        if !waits {
            self.forget_waker();
        }
        waits
    }

    /// Leaves a thread's `waker`; unless the task is done, ends a nap that relies on the thread (C3
    /// and C4 of nap.rs), and lets it sleep by `park`.
    pub(crate) fn sleep(&self, waker: &Waker, end_nap: impl FnOnce(), park: impl FnOnce()) {
        if self.leave_waker(waker) {
            end_nap();
            park();
        }
    }

    /// Drops the waker, if one has been left. If the task is not done, its end finds none.
    pub(crate) fn forget_waker(&self) {
        let waker = lock(&self.waker).take();
        swallow(|| drop(waker));
    }

    /// Takes a user's waker out, for a thread that joins, before it announces that it waits.
    /// Returns false if the task is done.
    pub(crate) fn begin_wait(&self) -> bool {
        self.forget_waker();
        // The end of the task may have taken that waker first, which then runs after it.
        !self.stage.is_done()
    }

    /// Returns whether a waker has been left.
    pub(crate) fn has_waker(&self) -> bool {
        lock(&self.waker).is_some()
    }

    /// For a promise that is about to take the outcome: calls `run` if no thread has claimed the
    /// task and it `may_run`; calls `wait` if another thread has claimed it and not ended it.
    pub(crate) fn settle(
        &self,
        may_run: impl FnOnce() -> bool,
        run: impl FnOnce(),
        wait: impl FnOnce(),
    ) {
        if self.stage.is_done() {
            return;
        }
        if may_run() && self.stage.claim() {
            run();
            if self.stage.finish_for_oneself() {
                self.forget_waker();
            }
        } else if self.begin_wait() {
            wait();
        }
    }

    /// Announces that the outcome has been written, and wakes. Returns true if the caller must drop
    /// the outcome.
    pub(crate) fn finish(&self) -> bool {
        let (detached, awaited) = self.stage.finish();
        if awaited {
            let waker = lock(&self.waker).take();
            if let Some(waker) = waker {
                swallow(|| waker.wake());
            }
        }
        detached
    }
}

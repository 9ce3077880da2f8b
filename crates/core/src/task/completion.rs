//! The end of a task: its stage, and the waker of whoever waits for it.
//!
//! Wakers are the users' code. One that panics when it is woken or dropped must neither end the worker that wakes it, nor let
//! a waiter unwind that others know of (`awaited_by` in work.rs): such panics go no further.

use crate::{
    parker::Parker,
    primitive::lock,
    stage::{Finished, Stage},
    unwind::swallow,
};
use std::{
    sync::{Arc, Mutex},
    task::{Wake, Waker},
};

#[derive(Debug)]
pub(crate) struct Completion {
    pub(crate) stage: Stage,
    waker: Mutex<Option<Waker>>,
}

impl Completion {
    pub(crate) fn new() -> Self {
        Completion {
            stage: Stage::new(),
            waker: Mutex::new(None),
        }
    }

    /// Leaves a waker in the place of an earlier one. False if the task is done: then none is left.
    pub(crate) fn leave_waker(&self, waker: &Waker) -> bool {
        let earlier = {
            let mut slot = lock(&self.waker);
            match &*slot {
                Some(same) if same.will_wake(waker) => None,
                _ => slot.replace(waker.clone()),
            }
        };
        swallow(|| drop(earlier));
        let waits = self.stage.announce_wait();
        if !waits {
            self.forget_waker();
        }
        waits
    }

    /// Drops the waker, if one has been left.
    fn forget_waker(&self) {
        let waker = lock(&self.waker).take();
        swallow(|| drop(waker));
    }

    /// For a promise that has run the task itself, and is about to take the outcome.
    pub(crate) fn finish_for_oneself(&self) {
        self.stage.finish_for_oneself();
        self.forget_waker();
    }

    /// The outcome has been written: says so, and wakes. True if the outcome is the caller's to drop.
    pub(crate) fn finish(&self) -> bool {
        let Finished { detached, awaited } = self.stage.finish();
        if awaited {
            let waker = lock(&self.waker).take();
            if let Some(waker) = waker {
                swallow(|| waker.wake());
            }
        }
        detached
    }
}

/// Where a thread sleeps that waits for a task. Not a member's parker: the task may outlive the waiter's pool.
#[derive(Debug)]
pub(crate) struct Bell(pub(crate) Parker);

impl Bell {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Bell(Parker::new()))
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

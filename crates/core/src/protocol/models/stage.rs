//! Stages: a task is run once, its waiter gets the outcome and does not oversleep, and an outcome
//! that nobody wants is dropped once. A waker that a poll has left is not woken in a run that is
//! awaited.
//!
//! Mirrors `Task::settle`, `Task::wait`, `Task::run`, `Task::finish` (task/work.rs), `Completion`
//! (task/completion.rs) and `Promise::drop` (task/promise.rs).

use super::{DEADLOCK, RACE, caught, explore_all, spawn};
use crate::{
    fault::{Fault, planted},
    protocol::{
        parker::Parker,
        primitive::{AtomicBool, Mutex, Ordering, lock},
        stage::Stage,
    },
};
use loom::cell::UnsafeCell;
use std::{mem, sync::Arc};

struct Task {
    stage: Stage,
    /// How often the task was run, and its outcome was dropped.
    ran: UnsafeCell<u32>,
    dropped: UnsafeCell<u32>,
    waker: Mutex<Waker>,
    parker: Parker,
    /// Whether `awaited_by` is written.
    awaited: AtomicBool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Waker {
    #[default]
    None,
    Bell,
    Users,
}

// SAFETY: none needed: loom checks each access to the cells.
unsafe impl Sync for Task {}
// SAFETY: as for `Sync`.
unsafe impl Send for Task {}

impl Task {
    fn new() -> Arc<Self> {
        Arc::new(Task {
            stage: Stage::new(),
            ran: UnsafeCell::new(0),
            dropped: UnsafeCell::new(0),
            waker: Mutex::new(Waker::None),
            parker: Parker::new(),
            awaited: AtomicBool::new(false),
        })
    }

    fn run(&self) {
        // SAFETY: claimed; loom checks.
        self.ran.with_mut(|ran| unsafe { *ran += 1 });
    }

    fn drop_outcome(&self) {
        // SAFETY: the caller's; loom checks.
        let ran = self.ran.with(|ran| unsafe { *ran });
        assert_eq!(ran, 1, "no outcome");
        // SAFETY: as above.
        self.dropped.with_mut(|dropped| unsafe { *dropped += 1 });
    }

    fn work(&self) {
        if !self.stage.claim() {
            return;
        }
        self.run();
        let finished = self.stage.finish();
        let waker = if finished.awaited {
            mem::take(&mut *lock(&self.waker))
        } else {
            Waker::None
        };
        match waker {
            Waker::None => {}
            Waker::Bell => self.parker.unpark(),
            Waker::Users => {
                let awaited = self.awaited.load(Ordering::Acquire);
                assert!(!awaited, "woken in a run that is awaited");
            }
        }
        if finished.detached {
            self.drop_outcome();
        }
    }

    /// Leaves a waker. False if the task is done.
    fn leave_waker(&self, waker: Waker) -> bool {
        mem::take(&mut *lock(&self.waker));
        *lock(&self.waker) = waker;
        let waits = self.stage.announce_wait();
        if !waits {
            mem::take(&mut *lock(&self.waker));
        }
        waits
    }

    /// Waits, and takes the outcome.
    fn settle(&self) {
        if !self.stage.is_done() {
            if self.stage.claim() {
                self.run();
                self.stage.finish_for_oneself();
            } else {
                self.wait();
            }
        }
        self.drop_outcome();
    }

    fn wait(&self) {
        if !planted(Fault::JoinKeepsWaker) {
            mem::take(&mut *lock(&self.waker));
        }
        if !planted(Fault::JoinLooksOnce) && self.stage.is_done() {
            return;
        }
        self.awaited.store(true, Ordering::Release);
        while !self.stage.is_done() {
            if self.leave_waker(Waker::Bell) {
                self.parker.park(None);
            }
        }
    }

    fn audit(&self) {
        // SAFETY: the threads have ended; loom checks.
        let ran = self.ran.with(|ran| unsafe { *ran });
        assert_eq!(ran, 1, "not run once");
        // SAFETY: as above.
        let dropped = self.dropped.with(|dropped| unsafe { *dropped });
        assert_eq!(dropped, 1, "not dropped once");
    }
}

#[test]
fn stage_waiter() {
    explore_all(|| {
        let task = Task::new();
        let worker = spawn(&task, Task::work);
        task.settle();
        worker.join().expect("the worker ends");
        task.audit();
    });
}

#[test]
fn stage_polled_then_joined() {
    explore_all(|| {
        let task = Task::new();
        let worker = spawn(&task, Task::work);
        task.leave_waker(Waker::Users);
        task.settle();
        worker.join().expect("the worker ends");
        task.audit();
    });
}

#[test]
fn stage_two_workers() {
    explore_all(|| {
        let task = Task::new();
        let workers = [spawn(&task, Task::work), spawn(&task, Task::work)];
        for worker in workers {
            worker.join().expect("the worker ends");
        }
        task.drop_outcome();
        task.audit();
    });
}

#[test]
fn stage_detached() {
    explore_all(|| {
        let task = Task::new();
        let worker = spawn(&task, Task::work);
        if task.stage.detach() {
            task.drop_outcome();
        }
        worker.join().expect("the worker ends");
        task.audit();
    });
}

#[test]
fn a_claim_that_is_not_atomic_runs_twice() {
    caught(Fault::ClaimNotAtomic, "stage::stage_two_workers", RACE);
}

#[test]
fn an_outcome_that_is_not_released_is_a_race() {
    caught(Fault::DoneRelaxed, "stage::stage_waiter", RACE);
}

#[test]
fn a_wait_announced_after_a_look_oversleeps() {
    caught(Fault::AwaitByLooking, "stage::stage_waiter", DEADLOCK);
}

#[test]
fn a_detachment_after_a_look_drops_nothing() {
    caught(
        Fault::DetachByLooking,
        "stage::stage_detached",
        "not dropped once",
    );
}

#[test]
fn a_waker_that_a_join_leaves_there_follows_the_waiter() {
    caught(
        Fault::JoinKeepsWaker,
        "stage::stage_polled_then_joined",
        "woken in a run that is awaited",
    );
}

#[test]
fn a_waker_that_was_faster_than_a_join_follows_the_waiter() {
    caught(
        Fault::JoinLooksOnce,
        "stage::stage_polled_then_joined",
        "woken in a run that is awaited",
    );
}

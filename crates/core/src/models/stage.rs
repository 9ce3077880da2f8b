//! Stages: a task is run once, its waiter gets the outcome and does not oversleep, and an outcome that nobody wants is
//! dropped once.
//!
//! Mirrors `Task::settle`, `Task::run`, `Task::finish` (task/work.rs), `Completion` (task/completion.rs) and
//! `Promise::drop` (task/promise.rs).

use super::{DEADLOCK, RACE, caught, explore_all, spawn};
use crate::{
    fault::Fault,
    parker::Parker,
    primitive::{Mutex, lock},
    stage::Stage,
};
use loom::cell::UnsafeCell;
use std::sync::Arc;

struct Task {
    stage: Stage,
    /// How often the task was run, and its outcome was dropped.
    ran: UnsafeCell<u32>,
    dropped: UnsafeCell<u32>,
    waker: Mutex<bool>,
    parker: Parker,
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
            waker: Mutex::new(false),
            parker: Parker::new(),
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
        if finished.awaited && std::mem::take(&mut *lock(&self.waker)) {
            self.parker.unpark();
        }
        if finished.detached {
            self.drop_outcome();
        }
    }

    /// Waits, and takes the outcome.
    fn settle(&self) {
        if self.stage.claim() {
            self.run();
            self.stage.finish_for_oneself();
        } else {
            while !self.stage.is_done() {
                *lock(&self.waker) = true;
                if self.stage.announce_wait() {
                    self.parker.park(None);
                }
            }
        }
        self.drop_outcome();
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

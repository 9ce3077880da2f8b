//! Stages: a task is run once, its waiter gets the outcome and does not oversleep, and an outcome
//! that nobody wants is dropped once. A waker that a poll has left is not woken in a run that is
//! awaited.
//!
//! Mirrors `Task::settle`, `Task::wait`, `Task::run` and `Task::finish` (task/work.rs) without the
//! help of waiters, and `Promise::drop` (task/promise.rs). The completion is the real one.

use super::{DEADLOCK, RACE, caught, explore_all, spawn};
use crate::{
    fault::Fault,
    protocol::{
        completion::Completion,
        primitive::{AtomicBool, Ordering},
    },
};
use loom::cell::UnsafeCell;
use std::{
    sync::Arc,
    task::{Wake, Waker},
};

struct Task {
    completion: Completion,
    /// How often the task was run, and its outcome was dropped.
    ran: UnsafeCell<u32>,
    dropped: UnsafeCell<u32>,
    user: Arc<User>,
}

/// The user's waker.
struct User {
    /// Whether `awaited_by` is written.
    awaited: AtomicBool,
    /// Whether it was woken then.
    woken_late: AtomicBool,
}

impl Wake for User {
    fn wake(self: Arc<Self>) {
        let awaited = self.awaited.load(Ordering::Acquire);
        self.woken_late.fetch_or(awaited, Ordering::Relaxed);
    }
}

// SAFETY: none needed: loom checks each access to the cells.
unsafe impl Sync for Task {}
// SAFETY: as for `Sync`.
unsafe impl Send for Task {}

impl Task {
    fn new() -> Arc<Self> {
        Arc::new(Task {
            completion: Completion::new(),
            ran: UnsafeCell::new(0),
            dropped: UnsafeCell::new(0),
            user: Arc::new(User {
                awaited: AtomicBool::new(false),
                woken_late: AtomicBool::new(false),
            }),
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
        if !self.completion.stage.claim() {
            return;
        }
        self.run();
        if self.completion.finish() {
            self.drop_outcome();
        }
    }

    /// A poll leaves the user's waker.
    fn poll(&self) {
        let waker = Waker::from(Arc::clone(&self.user));
        self.completion.leave_waker(&waker);
    }

    /// Waits, and takes the outcome.
    fn settle(&self) {
        let stage = &self.completion.stage;
        if !stage.is_done() {
            if stage.claim() {
                self.run();
                self.completion.finish_for_oneself();
            } else {
                self.wait();
            }
        }
        self.drop_outcome();
    }

    fn wait(&self) {
        if self.completion.begin_wait() {
            self.user.awaited.store(true, Ordering::Release);
            self.completion.sleep_until_done();
        }
    }

    fn audit(&self) {
        // SAFETY: the threads have ended; loom checks.
        let ran = self.ran.with(|ran| unsafe { *ran });
        assert_eq!(ran, 1, "not run once");
        // SAFETY: as above.
        let dropped = self.dropped.with(|dropped| unsafe { *dropped });
        assert_eq!(dropped, 1, "not dropped once");
        let late = self.user.woken_late.load(Ordering::Relaxed);
        assert!(!late, "woken in a run that is awaited");
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
        task.poll();
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
        if task.completion.stage.detach() {
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

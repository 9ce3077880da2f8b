//! Stages: a task is run once, its waiter gets the outcome and does not oversleep, and an unused
//! outcome is dropped once. User code at the end of a task follows no pointer to an ended run:
//! neither the waiter's, nor those above it.
//!
//! The completion and the runs are the real ones. Mirrors `Task::{run, wait, is_part_of}`
//! (task/work.rs), without help, and `Promise::drop` (task/promise.rs): who has claimed the task
//! runs it, then ends it, and who is told so owns the outcome, as the unsafe functions there ask
//! for.

use super::{
    DEADLOCK, Fault, RACE, apart, caught, explore, explore_all, planted, relaxed, sleep_until_done,
    spawn,
};
use crate::protocol::{
    completion::Completion,
    primitive::{AtomicPtr, Mutex, Ordering, lock},
    waits,
};
use loom::cell::UnsafeCell;
use std::{
    ptr,
    sync::{Arc, Weak, atomic::AtomicBool},
    task::{Wake, Waker},
};

const FOLLOWED: &str = "a user's waker has followed the waiter";

type Lineage = u8;
type JobRun = waits::JobRun<Lineage>;

struct Task {
    completion: Completion,
    /// How often the task was run, and its outcome was dropped.
    ran: UnsafeCell<u32>,
    dropped: UnsafeCell<u32>,
    /// Whether it is queued: a thread that takes it out of there may run it.
    queued: Mutex<bool>,
    above: Arc<Above>,
}

/// What is above the task.
struct Above {
    task: Lineage,
    waiter: Lineage,
    awaited_by: AtomicPtr<JobRun>,
    /// Of the thread that waits.
    run: JobRun,
    /// Whether the user's waker has come by that. Nothing for loom to order.
    followed: AtomicBool,
}

// SAFETY: none needed: loom checks each access to the cells.
unsafe impl Sync for Task {}
// SAFETY: as for `Sync`.
unsafe impl Send for Task {}
// SAFETY: as for `Task`.
unsafe impl Sync for Above {}
// SAFETY: as for `Task`.
unsafe impl Send for Above {}

impl Above {
    fn new() -> Arc<Self> {
        Arc::new_cyclic(|above: &Weak<Self>| {
            // SAFETY: the field of memory that is there already; only its address is used.
            let waiter = unsafe { &raw const (*above.as_ptr()).waiter };
            Above {
                task: 0,
                waiter: 0,
                awaited_by: AtomicPtr::new(ptr::null_mut()),
                run: JobRun::of_job(waiter, ptr::null()),
                followed: AtomicBool::new(false),
            }
        })
    }

    /// Whether what runs in the task descends from the waiter.
    fn is_awaited(&self) -> bool {
        let run = JobRun::of_task(&self.task, &raw const self.awaited_by);
        // SAFETY: what loom is to find out.
        unsafe { JobRun::is_inside(&raw const run, &raw const self.waiter) }
    }
}

/// The user's waker, which forks: the waiter may look whether that descends from what it waits for.
impl Wake for Above {
    fn wake(self: Arc<Self>) {
        // Its panics, loom's among them, go no further.
        self.followed.store(true, Ordering::Relaxed);
        let awaited = self.is_awaited();
        self.followed.store(awaited, Ordering::Relaxed);
    }
}

impl Task {
    fn new() -> Arc<Self> {
        Arc::new(Task {
            completion: Completion::new(),
            ran: UnsafeCell::new(0),
            dropped: UnsafeCell::new(0),
            queued: Mutex::new(true),
            above: Above::new(),
        })
    }

    /// A call: its caller waits from before it is queued.
    fn called() -> Arc<Self> {
        let mut task = Task::new();
        let called = Arc::get_mut(&mut task).expect("no other thread has it");
        called.completion = Completion::of_call(false);
        let caller = ptr::from_ref(&called.above.run).cast_mut();
        called.above.awaited_by.store(caller, Ordering::Relaxed);
        task
    }

    /// Waits as its caller, takes the outcome, and ends the run.
    fn wait_for_call(&self) {
        sleep_until_done(&self.completion);
        self.drop_outcome();
        self.above.run.retire();
    }

    fn run(&self) {
        // What it forks is a part of what its waiter waits for, if there is one.
        self.is_part_of();
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

    /// A worker that finds the task in its queue.
    fn work_from_queue(&self) {
        if std::mem::take(&mut *lock(&self.queued)) {
            self.work();
        }
    }

    /// A thread that looks for a queued task to help with.
    fn look(&self) {
        let queued = lock(&self.queued);
        let is_queued = *queued;
        let _locked = (!planted(Fault::LookUnlocked)).then_some(queued);
        if is_queued {
            self.is_part_of();
        }
    }

    fn is_part_of(&self) {
        let waiter = self.above.awaited_by.load(Ordering::Acquire);
        // SAFETY: what loom is to find out.
        unsafe { JobRun::is_inside(waiter, &raw const self.above.task) };
    }

    /// A poll leaves the user's waker.
    fn poll(&self) {
        let waker = Waker::from(Arc::clone(&self.above));
        self.completion.leave_waker(&waker);
    }

    /// Joins in a run, takes the outcome, and ends the run. A caller may not run the task.
    fn settle(&self, is_caller: bool) {
        if planted(Fault::JoinKeepsWaker) || planted(Fault::JoinLooksOnce) {
            self.settle_at_once();
        } else {
            self.completion
                .settle(|| !is_caller, || self.run(), || self.wait());
        }
        self.drop_outcome();
        self.above.run.retire();
    }

    /// As `Completion::settle` of a caller, with a fault.
    fn settle_at_once(&self) {
        if self.completion.stage.is_done() {
            return;
        }
        if planted(Fault::JoinLooksOnce) {
            self.completion.forget_waker();
        }
        self.wait();
    }

    fn wait(&self) {
        let Above {
            task,
            awaited_by,
            run,
            ..
        } = &*self.above;
        // SAFETY: the run stays until the task is done; loom checks.
        assert!(unsafe { JobRun::await_task(run, task, awaited_by) });
        sleep_until_done(&self.completion);
    }

    fn audit(&self) {
        // SAFETY: the threads have ended; loom checks.
        let ran = self.ran.with(|ran| unsafe { *ran });
        assert_eq!(ran, 1, "not run once");
        // SAFETY: as above.
        let dropped = self.dropped.with(|dropped| unsafe { *dropped });
        assert_eq!(dropped, 1, "not dropped once");
        let followed = self.above.followed.load(Ordering::Relaxed);
        assert!(!followed, "{FOLLOWED}");
    }
}

#[test]
fn stage_waiter() {
    explore_all(|| {
        let task = Task::new();
        let worker = spawn(&task, Task::work);
        task.settle(false);
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
        task.settle(false);
        worker.join().expect("the worker ends");
        task.audit();
    });
}

/// A caller, which waits for a worker whatever has been claimed.
#[test]
fn stage_polled_by_a_caller() {
    explore(|| {
        let task = Task::new();
        let worker = spawn(&task, Task::work);
        task.poll();
        task.settle(true);
        worker.join().expect("the worker ends");
        task.audit();
    });
}

/// A third thread looks in the queue for parts of what it waits for, and comes by the waiter.
#[test]
fn stage_looked_at_in_the_queue() {
    explore(|| {
        let task = Task::new();
        let worker = spawn(&task, Task::work_from_queue);
        let helper = spawn(&task, Task::look);
        task.settle(true);
        for thread in [worker, helper] {
            thread.join().expect("it ends");
        }
        task.audit();
    });
}

/// The run of a caller ends as soon as the call is done, although others have looked at it.
#[test]
fn stage_called() {
    explore(|| {
        let task = Task::called();
        let worker = spawn(&task, Task::work_from_queue);
        let helper = spawn(&task, Task::look);
        task.wait_for_call();
        for thread in [worker, helper] {
            thread.join().expect("it ends");
        }
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
    caught(
        apart("protocol/stage.rs", "claim", "fetch_or("),
        "stage::stage_two_workers",
        RACE,
    );
}

#[test]
fn an_outcome_that_is_not_released_is_a_race() {
    caught(
        relaxed("protocol/stage.rs", "finish", "fetch_or("),
        "stage::stage_waiter",
        RACE,
    );
}

#[test]
fn a_caller_that_goes_before_the_end_is_a_race() {
    let fault = relaxed("protocol/stage.rs", "finish", "fetch_or(");
    caught(fault, "stage::stage_called", RACE);
    caught(Fault::LookUnlocked, "stage::stage_called", RACE);
}

#[test]
fn a_wait_announced_after_a_look_oversleeps() {
    caught(
        apart("protocol/stage.rs", "announce_wait", "fetch_or("),
        "stage::stage_waiter",
        DEADLOCK,
    );
}

#[test]
fn a_detachment_after_a_look_drops_nothing() {
    caught(
        apart("protocol/stage.rs", "detach", "fetch_or("),
        "stage::stage_detached",
        "not dropped once",
    );
}

#[test]
fn a_waker_that_a_join_leaves_there_follows_the_waiter() {
    let model = "stage::stage_polled_by_a_caller";
    caught(Fault::JoinKeepsWaker, model, RACE);
}

#[test]
fn a_waker_that_was_faster_than_a_join_follows_the_waiter() {
    let model = "stage::stage_polled_by_a_caller";
    caught(Fault::JoinLooksOnce, model, FOLLOWED);
}

#[test]
fn a_look_without_the_queues_lock_follows_the_waiter() {
    caught(
        Fault::LookUnlocked,
        "stage::stage_looked_at_in_the_queue",
        RACE,
    );
}

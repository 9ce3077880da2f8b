//! Waits of tasks for each other: of those that close a cycle, one learns it, and none waits for
//! ever.
//!
//! Runs, waits and ends are the real ones. Mirrors `Task::{run, wait}` (task/work.rs), without
//! help.

use super::{DEADLOCK, caught, explore, explore_all, left_out, sleep_until_done, spawn};
use crate::protocol::{completion::Completion, primitive::AtomicPtr, waits};
use std::{cell::Cell, ptr, sync::Arc};

type JobRun = waits::JobRun<Task>;

/// A task, or a job that was stolen. Its address is its lineage.
struct Task {
    completion: Completion,
    awaited_by: AtomicPtr<JobRun>,
}

// SAFETY: none needed: loom checks each access to a run.
unsafe impl Sync for Task {}
// SAFETY: as for `Sync`.
unsafe impl Send for Task {}

impl Task {
    fn new() -> Self {
        Task {
            completion: Completion::new(),
            awaited_by: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// `run` joins the promise of the task. True if it is told that it would wait for itself.
    fn join(&self, run: &JobRun) -> bool {
        let told = Cell::new(false);
        let wait = || {
            // SAFETY: the run is on its thread's stack, and stays until the task is done.
            let waits = unsafe { JobRun::await_task(run, self, &self.awaited_by) };
            told.set(!waits);
            if waits {
                sleep_until_done(&self.completion);
            }
        };
        self.completion.settle(|| false, || (), wait);
        told.get()
    }

    /// Runs the task, which does `f`.
    fn run<R>(&self, f: impl FnOnce(&JobRun) -> R) -> R {
        let run = JobRun::of_task(self, &raw const self.awaited_by);
        let result = f(&run);
        self.completion.finish();
        run.retire();
        result
    }
}

/// The next of so many tasks joins the promise of each, that of the first the last's.
struct Circle(Vec<Task>);

impl Circle {
    fn new(tasks: usize) -> Arc<Self> {
        Arc::new(Circle((0..tasks).map(|_| Task::new()).collect()))
    }

    /// Runs the task `me`.
    fn run(&self, me: usize) -> bool {
        let awaited = &self.0[(me + 1) % self.0.len()];
        self.0[me].run(|run| awaited.join(run))
    }
}

fn close(tasks: usize) {
    let circle = Circle::new(tasks);
    let others: Vec<_> = (1..tasks)
        .map(|me| spawn(&circle, move |circle| circle.run(me)))
        .collect();
    let mut told = usize::from(circle.run(0));
    for other in others {
        told += usize::from(other.join().expect("the task ends"));
    }
    assert_eq!(told, 1, "one closes the circle");
}

/// A task waits for a job of its own that another thread has stolen. The job joins a second task,
/// and that the first.
fn close_through_a_job() {
    let circle = Circle::new(2);
    let job = Arc::new(Task::new());
    let (thief, second) = circle.0[0].run(|run| {
        let publisher = ptr::from_ref(run).expose_provenance();
        let others = Arc::clone(&circle);
        let thief = spawn(&job, move |job| {
            let run = JobRun::of_job(job, ptr::with_exposed_provenance(publisher));
            let told = others.0[1].join(&run);
            job.completion.finish();
            told
        });
        let second = spawn(&circle, |circle| circle.run(1));
        sleep_until_done(&job.completion);
        (thief, second)
    });
    let told = [thief, second].map(|thread| thread.join().expect("it ends"));
    let told = told.iter().filter(|&&told| told).count();
    assert_eq!(told, 1, "one closes the circle");
}

#[test]
fn waits_of_two() {
    explore_all(|| close(2));
}

#[test]
fn waits_of_three() {
    explore(|| close(3));
}

#[test]
fn waits_through_a_job() {
    explore(close_through_a_job);
}

#[test]
fn two_that_look_at_once_wait_for_ever() {
    caught(
        left_out("protocol/waits.rs", "await_task", "ONE_AT_A_TIME.lock()"),
        "waits::waits_of_two",
        DEADLOCK,
    );
}

#[test]
fn two_that_look_at_once_through_a_job_wait_for_ever() {
    caught(
        left_out("protocol/waits.rs", "await_task", "ONE_AT_A_TIME.lock()"),
        "waits::waits_through_a_job",
        DEADLOCK,
    );
}

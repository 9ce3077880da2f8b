//! Waits of tasks for each other: of those that close a circle, one is told so, and none waits for
//! ever.
//!
//! Mirrors `JobRun::await_task` (run.rs) and `Task::wait` (task/work.rs). A task is a number here,
//! as is its run.

use super::{DEADLOCK, caught, explore, explore_all, spawn};
use crate::{
    fault::{Fault, planted},
    protocol::{
        parker::Parker,
        primitive::{AtomicBool, AtomicUsize, Mutex, Ordering, lock},
    },
};
use std::sync::Arc;

/// The next of so many tasks joins the promise of each, that of the first the last's.
struct Circle {
    one_at_a_time: Mutex<()>,
    tasks: Vec<Task>,
}

struct Task {
    /// The run that waits for this task, plus one.
    awaited_by: AtomicUsize,
    done: AtomicBool,
    parker: Parker,
}

impl Circle {
    fn new(tasks: usize) -> Arc<Self> {
        let task = |_| Task {
            awaited_by: AtomicUsize::new(0),
            done: AtomicBool::new(false),
            parker: Parker::new(),
        };
        Arc::new(Circle {
            one_at_a_time: Mutex::new(()),
            tasks: (0..tasks).map(task).collect(),
        })
    }

    fn is_inside(&self, mut run: usize, task: usize) -> bool {
        loop {
            if run == task {
                return true;
            }
            match self.tasks[run].awaited_by.load(Ordering::Acquire) {
                0 => return false,
                above => run = above - 1,
            }
        }
    }

    fn await_task(&self, waiter: usize, task: usize) -> bool {
        let guard = lock(&self.one_at_a_time);
        if planted(Fault::LookThenWait) {
            drop(guard);
        }
        let for_itself = self.is_inside(waiter, task);
        if !for_itself {
            self.tasks[task]
                .awaited_by
                .store(waiter + 1, Ordering::Release);
        }
        !for_itself
    }

    /// Runs the task `me`. True if it waited for the one before.
    fn run(&self, me: usize) -> bool {
        let awaited = (me + 1) % self.tasks.len();
        let waits = self.await_task(me, awaited);
        while waits && !self.tasks[awaited].done.load(Ordering::Acquire) {
            self.tasks[awaited].parker.park(None);
        }
        self.tasks[me].done.store(true, Ordering::Release);
        self.tasks[me].parker.unpark();
        waits
    }
}

fn close(tasks: usize) {
    let circle = Circle::new(tasks);
    let others: Vec<_> = (1..tasks)
        .map(|me| spawn(&circle, move |circle| circle.run(me)))
        .collect();
    let mut told = usize::from(!circle.run(0));
    for other in others {
        told += usize::from(!other.join().expect("the task ends"));
    }
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
fn two_that_look_at_once_wait_for_ever() {
    caught(Fault::LookThenWait, "waits::waits_of_two", DEADLOCK);
}

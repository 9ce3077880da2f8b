//! The tasks of a scope: while there are some the scope is queued, once, and its owner is awake.
//!
//! The lists are the real ones. Mirrors `ScopeTasks::{add, work, remove_from}` and
//! `AwaitedScope::sleep` (task/scope_tasks.rs), and of a queue how many entries of the scope it has.

use super::{DEADLOCK, Fault, apart, caught, explore, explore_all, left_out, spawn};
use crate::protocol::{
    parker::Parker,
    task_lists::{Order, TaskLists},
};
use loom::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

const FILE: &str = "protocol/task_lists.rs";
const FORGOTTEN: &str = "a task is forgotten";
const TWICE: &str = "it is queued twice";

/// A scope of worker 0.
struct Scope {
    lists: TaskLists<u8>,
    entries: AtomicUsize,
    owner: Parker,
}

impl Scope {
    /// With a task of its owner.
    fn new() -> Arc<Self> {
        let scope = Scope {
            lists: TaskLists::new(Order::Any, 0),
            entries: AtomicUsize::new(0),
            owner: Parker::new(),
        };
        // So all lists are there before the threads are: that they are made once is std's work.
        scope.add(1);
        assert!(scope.lists.take(1).is_some());
        scope.add(0);
        Arc::new(scope)
    }

    fn add(&self, worker: usize) {
        let added = self.lists.push(worker, || 2, 0).expect("not cancelled");
        if added.queue {
            self.queue();
        }
        if added.wake {
            self.owner.unpark();
        }
    }

    fn queue(&self) {
        assert_eq!(self.entries.fetch_add(1, Ordering::AcqRel), 0, "{TWICE}");
    }

    fn take_entry(&self) -> bool {
        let taken = self
            .entries
            .compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire);
        taken.is_ok()
    }

    /// A worker that takes the scope out of the queue, and runs one task.
    fn work(&self, worker: usize) {
        if self.take_entry() && self.lists.unqueue() && self.lists.take(worker).is_some() {
            if !self.lists.is_queued() && self.lists.requeues() {
                self.queue();
            }
        }
    }

    /// One that removes the scope, which seems to have no tasks.
    fn remove(&self) {
        let seems_over = self.lists.is_queued() && self.lists.is_empty();
        if seems_over && self.take_entry() && self.lists.unqueue() && self.lists.requeues() {
            self.queue();
        }
    }

    fn keeps_all(&self) {
        let is_queued = self.entries.load(Ordering::Relaxed) == 1;
        assert!(self.lists.is_empty() || is_queued, "{FORGOTTEN}");
        assert_eq!(self.lists.is_queued(), is_queued);
    }
}

/// Two threads add to one list, while a worker takes one task.
#[test]
fn a_scope_with_tasks_is_queued() {
    explore(|| {
        let scope = Scope::new();
        let others = [0; 2].map(|_| spawn(&scope, |scope| scope.add(1)));
        scope.work(0);
        others.into_iter().for_each(|other| other.join().unwrap());
        scope.keeps_all();
    });
}

/// A thread adds a task, while the owner takes the last one and removes the scope, and a worker
/// comes for it.
#[test]
fn a_scope_that_seems_empty_is_queued_again() {
    explore(|| {
        let scope = Scope::new();
        let adder = spawn(&scope, |scope| scope.add(1));
        let worker = spawn(&scope, |scope| scope.work(1));
        scope.lists.take(0);
        scope.remove();
        adder.join().unwrap();
        worker.join().unwrap();
        scope.keeps_all();
    });
}

/// The owner sleeps until another thread adds a task.
#[test]
fn the_owner_is_woken() {
    explore_all(|| {
        let scope = Scope::new();
        scope.lists.take(0);
        let adder = spawn(&scope, |scope| scope.add(1));
        while scope.lists.take(0).is_none() {
            let park = || scope.owner.park(None);
            scope.lists.sleep(|| !scope.lists.is_empty(), park);
        }
        adder.join().unwrap();
    });
}

fn is_forgotten(fault: Fault) {
    caught(fault, "task_lists::a_scope_with_tasks_is_queued", FORGOTTEN);
}

#[test]
fn adding_without_a_fence_is_caught() {
    is_forgotten(left_out(FILE, "push", "fence("));
}

#[test]
fn taking_the_scope_without_a_fence_is_caught() {
    let model = "task_lists::a_scope_that_seems_empty_is_queued_again";
    caught(left_out(FILE, "unqueue", "fence("), model, FORGOTTEN);
}

#[test]
fn two_that_queue_the_scope_are_caught() {
    let fault = apart(FILE, "must_queue", "compare_exchange(");
    caught(fault, "task_lists::a_scope_with_tasks_is_queued", TWICE);
}

#[test]
fn sleeping_without_a_fence_is_caught() {
    let fault = left_out(FILE, "sleep", "fence(");
    caught(fault, "task_lists::the_owner_is_woken", DEADLOCK);
}

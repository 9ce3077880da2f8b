//! The tasks of a scope: while there are some the scope is queued, once, and its owner is awake.
//!
//! The lists are the real ones. Mirrors `ScopeTasks::{add, take, work, leave}` and
//! `AwaitedScope::sleep` (task/scope_tasks.rs), and of a queue how many entries it has.

use super::{DEADLOCK, Fault, RACE, apart, caught, explore, explore_all, left_out, planted, spawn};
use crate::protocol::{
    parker::Parker,
    primitive::{Mutex, UnsafeCell, lock},
    task_lists::{Added, Order, TaskLists},
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
    /// The number of workers that are active.
    active: Mutex<usize>,
    owner: Parker,
    /// Used by those that work for the owner, and freed when it leaves.
    run: UnsafeCell<()>,
}

// SAFETY: the models look whether threads use the run at once.
unsafe impl Sync for Scope {}

impl Scope {
    /// With a task of its owner.
    fn new() -> Arc<Self> {
        let scope = Scope {
            lists: TaskLists::new(Order::Any, 0),
            entries: AtomicUsize::new(0),
            active: Mutex::new(0),
            owner: Parker::new(),
            run: UnsafeCell::new(()),
        };
        // So all lists are there before the threads are: that they are made once is std's work.
        scope.add(1);
        assert!(scope.take(1));
        scope.add(0);
        Arc::new(scope)
    }

    fn add(&self, worker: usize) {
        self.announce(self.lists.push(worker, || 2, 0).expect("not cancelled"));
    }

    fn announce(&self, added: Added) {
        if added.queue {
            self.queue();
        }
        if added.wake {
            self.owner.unpark();
        }
    }

    fn take(&self, worker: usize) -> bool {
        let taken = self.lists.take(worker, || 2);
        let added = taken.and_then(|(_, added)| added);
        added.into_iter().for_each(|added| self.announce(added));
        taken.is_some()
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
        let runs = self.take_entry() && self.lists.unqueue() && self.take(worker);
        if runs && self.lists.requeues() {
            self.queue();
        }
    }

    /// One that removes the scope, which seems to have no tasks.
    fn remove(&self) {
        let seems_over = self.lists.is_queued() && self.lists.is_empty();
        if seems_over && self.take_entry() && self.lists.unqueue() && self.lists.requeues() {
            self.queue();
        }
    }

    fn use_run(&self) {
        self.run.with(|_| ());
    }

    /// A worker that takes the scope out of the queue, and runs a task, which adds one, and
    /// that one.
    fn work_as_active(&self, worker: usize) {
        if !(self.take_entry() && self.lists.unqueue()) {
            return;
        }
        let mut active = lock(&self.active);
        if self.lists.is_empty() && !planted(Fault::EnterUnlooked) {
            return;
        }
        *active += 1;
        drop(active);
        self.use_run();
        if self.take(worker) {
            self.add(worker);
            self.take(worker);
        }
        *lock(&self.active) -= 1;
        self.owner.unpark();
    }

    /// The owner, until the scope is over.
    fn finish(&self) {
        loop {
            if self.take(0) {
                continue;
            }
            let active = lock(&self.active);
            if *active == 0 && self.lists.is_empty() {
                break;
            }
            drop(active);
            let park = || self.owner.park(None);
            self.lists.sleep(|| !self.lists.is_empty(), park);
        }
        self.run.with_mut(|_| ());
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
        scope.take(0);
        scope.remove();
        adder.join().unwrap();
        worker.join().unwrap();
        scope.keeps_all();
    });
}

/// A worker moves a task to its own list, while another one comes for the scope, and the owner
/// takes what is left of its list and removes the scope.
#[test]
fn a_scope_whose_tasks_are_moved_is_queued() {
    explore(|| {
        let scope = Scope::new();
        scope.add(0);
        scope.add(0);
        let taker = spawn(&scope, |scope| scope.take(1));
        let worker = spawn(&scope, |scope| scope.work(0));
        scope.take(0);
        scope.remove();
        taker.join().unwrap();
        worker.join().unwrap();
        scope.keeps_all();
    });
}

/// The owner sleeps until a worker moves a task, or adds one.
#[test]
fn the_owner_is_woken_for_a_moved_task() {
    explore(|| {
        let scope = Scope::new();
        scope.add(0);
        scope.add(0);
        let worker = spawn(&scope, |scope| scope.take(1));
        let mut left = 2;
        while left > 0 {
            if scope.take(0) {
                left -= 1;
                continue;
            }
            let park = || scope.owner.park(None);
            scope.lists.sleep(|| !scope.lists.is_empty(), park);
        }
        worker.join().unwrap();
    });
}

/// The owner sleeps until another thread adds a task.
#[test]
fn the_owner_is_woken() {
    explore_all(|| {
        let scope = Scope::new();
        scope.take(0);
        let adder = spawn(&scope, |scope| scope.add(1));
        while !scope.take(0) {
            let park = || scope.owner.park(None);
            scope.lists.sleep(|| !scope.lists.is_empty(), park);
        }
        adder.join().unwrap();
    });
}

/// The owner leaves, while a worker may come, and another thread looks for whom the owner works.
#[test]
fn the_owner_stays() {
    explore(|| {
        let scope = Scope::new();
        let worker = spawn(&scope, |scope| scope.work_as_active(1));
        let other = spawn(&scope, |scope| scope.lists.while_some(|| scope.use_run()));
        scope.finish();
        worker.join().unwrap();
        other.join().unwrap();
    });
}

#[test]
fn a_worker_that_enters_without_a_look_is_caught() {
    caught(Fault::EnterUnlooked, "task_lists::the_owner_stays", RACE);
}

fn is_forgotten(fault: Fault) {
    caught(fault, "task_lists::a_scope_with_tasks_is_queued", FORGOTTEN);
}

#[test]
fn adding_without_a_fence_is_caught() {
    is_forgotten(left_out(FILE, "added", "fence("));
}

#[test]
fn moving_without_a_fence_is_caught() {
    let model = "task_lists::the_owner_is_woken_for_a_moved_task";
    caught(left_out(FILE, "added", "fence("), model, DEADLOCK);
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

//! The terms of threads on a seat: none is missed that is to come, and two never sit there.
//!
//! The states, and the number of idle workers, are the real ones; the model has the pool's lock
//! around them (`Shared::{call_workers, leaves_asleep, leaves_as_off, worker_is_gone}`), and of
//! `turn_off` and `refuse` what they count. A thread that starts is the one that starts it, or the
//! one that it waits for.

use super::{caught, explore_all, left_out, spawn};
use crate::protocol::{
    idle::Idle,
    primitive::{Mutex, lock},
    terms::Term,
};
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

const FILE: &str = "protocol/terms.rs";

struct Pool {
    term: Term,
    lock: Mutex<()>,
    /// Whether there is something to do on this seat, and a thread has done it.
    wanted: AtomicBool,
    done: AtomicBool,
    /// The number of threads that sit there.
    sitting: AtomicUsize,
    /// Counts the worker.
    idle: Idle,
}

impl Pool {
    /// With a thread on the seat.
    fn new() -> Arc<Self> {
        Arc::new(Pool {
            term: Term::new(true, true),
            lock: Mutex::new(()),
            wanted: AtomicBool::new(false),
            done: AtomicBool::new(false),
            sitting: AtomicUsize::new(1),
            idle: Idle::new(1, 0),
        })
    }

    /// The thread that sits there looks, ends if there is nothing to do, and gives the seat up.
    fn live(&self, is_asleep: bool) {
        let nothing_wanted = || !self.wanted.load(Ordering::Relaxed);
        loop {
            let guard = lock(&self.lock);
            let ends = match is_asleep {
                true => self.term.leave_asleep(nothing_wanted),
                false => self.term.leave_as_off(&self.idle, nothing_wanted),
            };
            drop(guard);
            if !ends {
                self.done.store(true, Ordering::Relaxed);
                return;
            }
            let sat = self.sitting.fetch_sub(1, Ordering::Relaxed);
            assert_eq!(sat, 1, "two sit there");
            let _guard = lock(&self.lock);
            if !self.term.free() {
                return;
            }
            assert!(!self.term.is_taken());
            self.sitting.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Wakes the worker, and starts a thread if there is none.
    fn wake(&self, is_asleep: bool) {
        self.wanted.store(true, Ordering::Relaxed);
        if self.term.has_thread() {
            return;
        }
        let guard = lock(&self.lock);
        let mut sits = false;
        let start = || {
            sits = !self.term.is_taken();
            Ok::<_, ()>(true)
        };
        self.term.call(&self.idle, start).expect("one starts");
        drop(guard);
        if sits {
            let sat = self.sitting.fetch_add(1, Ordering::Relaxed);
            assert_eq!(sat, 0, "two sit there");
            self.live(is_asleep);
        }
    }

    /// The worker is off: uncounts it if it has no thread.
    fn turn_off(&self) {
        let _guard = lock(&self.lock);
        self.lose();
    }

    fn lose(&self) {
        self.idle.lose(usize::from(self.term.lose()));
    }

    /// Wakes the worker, whose thread the system refuses if it needs one.
    fn wake_in_vain(&self) {
        if self.term.has_thread() {
            return;
        }
        let _guard = lock(&self.lock);
        if self.term.call(&self.idle, || Err(())).is_err() {
            self.lose();
        }
    }

    /// The worker has been counted if, and only if, its state says so.
    fn audit_count(&self) {
        let counts = usize::from(self.term.counts());
        assert_eq!(self.idle.count(), counts, "it is miscounted");
    }

    /// After all: the worker counts, and a thread has seen to it.
    fn audit(&self) {
        assert!(self.done.load(Ordering::Relaxed), "a wake-up is lost");
        assert_eq!(self.idle.count(), 1);
        assert_eq!(self.sitting.load(Ordering::Relaxed), 1);
    }
}

fn woken_as_it_ends(is_asleep: bool) {
    explore_all(move || {
        let pool = Pool::new();
        let worker = spawn(&pool, move |pool| pool.live(is_asleep));
        pool.wake(is_asleep);
        worker.join().unwrap();
        pool.audit();
    });
}

#[test]
fn a_worker_that_is_asleep_is_woken_as_it_ends() {
    woken_as_it_ends(true);
}

#[test]
fn a_worker_that_is_off_is_called_as_it_ends() {
    woken_as_it_ends(false);
}

#[test]
fn two_wake_a_worker_as_it_ends() {
    explore_all(|| {
        let pool = Pool::new();
        let worker = spawn(&pool, |pool| pool.live(false));
        let other = spawn(&pool, |pool| pool.wake(false));
        pool.wake(false);
        worker.join().unwrap();
        other.join().unwrap();
        pool.audit();
    });
}

/// While it ends, and a thread comes for it.
fn turned_off(is_asleep: bool) {
    explore_all(move || {
        let pool = Pool::new();
        let worker = spawn(&pool, move |pool| pool.live(is_asleep));
        let other = spawn(&pool, |pool| pool.turn_off());
        pool.wake(is_asleep);
        worker.join().unwrap();
        other.join().unwrap();
        assert!(pool.done.load(Ordering::Relaxed), "a wake-up is lost");
        pool.audit_count();
    });
}

#[test]
fn a_worker_that_is_asleep_is_turned_off_and_woken() {
    turned_off(true);
}

#[test]
fn a_worker_that_is_off_is_turned_off_again_and_called() {
    turned_off(false);
}

#[test]
fn a_thread_is_refused_while_the_worker_is_turned_off() {
    explore_all(|| {
        let pool = Pool::new();
        let worker = spawn(&pool, |pool| pool.live(true));
        let other = spawn(&pool, |pool| pool.turn_off());
        pool.wake_in_vain();
        worker.join().unwrap();
        other.join().unwrap();
        pool.audit_count();
    });
}

#[test]
fn a_worker_ends_without_a_fence() {
    let model = "terms::a_worker_that_is_asleep_is_woken_as_it_ends";
    caught(
        left_out(FILE, "leave", "fence("),
        model,
        "a wake-up is lost",
    );
}

#[test]
fn a_worker_is_woken_without_a_fence() {
    let model = "terms::a_worker_that_is_asleep_is_woken_as_it_ends";
    caught(
        left_out(FILE, "has_thread", "fence("),
        model,
        "a wake-up is lost",
    );
}

//! The terms of threads on a seat: none is missed that is to come, and two never sit there.
//!
//! The states are the real ones. Mirrors `Shared::start` and `call_worker`, `leaves_asleep` and
//! `leaves_as_off`, `worker_is_gone` and `await_seat`; of `turn_off` and `refuse`, what they count.
//! A thread that starts is the one that starts it, or the one that it waits for.

use super::{caught, explore_all, left_out, spawn, steps};
use crate::protocol::{
    primitive::{Mutex, lock},
    terms::{Found, Term},
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
    /// The number of times that the worker has been counted, less those that it has not.
    counted: AtomicUsize,
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
            counted: AtomicUsize::new(1),
        })
    }

    /// The thread that sits there looks, ends if there is nothing to do, and gives the seat up.
    fn live(&self, is_asleep: bool) {
        let nothing_wanted = || !self.wanted.load(Ordering::Relaxed);
        loop {
            let guard = lock(&self.lock);
            let counts = usize::from(!is_asleep);
            self.counted.fetch_sub(counts, Ordering::Relaxed);
            let ends = self.term.leave(is_asleep, nothing_wanted);
            if !ends {
                self.counted.fetch_add(counts, Ordering::Relaxed);
            }
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
        let (found, counts_now) = self.term.call();
        self.counted
            .fetch_add(usize::from(counts_now), Ordering::Relaxed);
        let is_empty = !self.term.is_taken();
        if found == Found::Nothing {
            self.term.start();
        }
        drop(guard);
        if found == Found::Nothing && is_empty {
            let sat = self.sitting.fetch_add(1, Ordering::Relaxed);
            assert_eq!(sat, 0, "two sit there");
            self.live(is_asleep);
        }
    }

    /// The worker is off: uncounts it if it has no thread.
    fn turn_off(&self) {
        let _guard = lock(&self.lock);
        let lost = usize::from(self.term.lose());
        self.counted.fetch_sub(lost, Ordering::Relaxed);
    }

    /// Wakes the worker, whose thread the system refuses if it needs one.
    fn wake_in_vain(&self) {
        if self.term.has_thread() {
            return;
        }
        let _guard = lock(&self.lock);
        let (found, counts_now) = self.term.call();
        self.counted
            .fetch_add(usize::from(counts_now), Ordering::Relaxed);
        if found == Found::Nothing {
            let lost = usize::from(self.term.lose());
            self.counted.fetch_sub(lost, Ordering::Relaxed);
        }
    }

    /// The worker has been counted if, and only if, its state says so.
    fn audit_count(&self) {
        let counts = usize::from(self.term.counts());
        assert_eq!(
            self.counted.load(Ordering::Relaxed),
            counts,
            "it is miscounted"
        );
    }

    /// After all: the worker counts, and a thread has seen to it.
    fn audit(&self) {
        assert!(self.done.load(Ordering::Relaxed), "a wake-up is lost");
        assert_eq!(self.counted.load(Ordering::Relaxed), 1);
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

#[test]
fn the_scheduler_takes_these_steps() {
    let source = include_str!("../../pool/starting.rs");
    steps(source, "start", &["has_thread()", "lock(", "call_workers("]);
    steps(
        source,
        "call_worker",
        &[".call()", "end_job()", ".spawn(", ".start()"],
    );
    steps(
        source,
        "await_seat",
        &["is_taken()", "is_taken()", "lock(", "is_taken()"],
    );
    steps(source, "worker_is_gone", &["lock(", ".free()"]);
    let source = include_str!("../../pool/resizing.rs");
    steps(
        source,
        "leaves_as_off",
        &["lock(", "begin_job()", ".leave("],
    );
    steps(source, "leaves_asleep", &["lock(", ".leave("]);
}

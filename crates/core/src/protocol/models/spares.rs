//! Spares: none is missed when a thread blocks.
//!
//! The counts, the lists and the terms are the real ones. Mirrors `Shared::{call_spare,
//! leaves_asleep, worker_is_gone}`, and of a worker the order in which it counts itself as idle and
//! looks. A thread that starts is the one that starts it.

use super::{DEADLOCK, caught, explore_all, left_out, spawn};
use crate::protocol::{
    idle::Idle,
    parker::Parker,
    primitive::{Mutex, lock},
    spares::Spares,
    terms::Term,
};
use loom::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::Arc;

const FILE: &str = "protocol/spares.rs";

struct Pool {
    spares: Spares,
    terms: [Term; 2],
    /// The pool's.
    lock: Mutex<()>,
    idle: AtomicUsize,
    /// Of the first spare.
    parker: Parker,
}

impl Pool {
    /// With a spare that is on, and idle, or with an idle worker.
    fn new(spare: bool) -> Arc<Self> {
        Arc::new(Pool::with(2, spare))
    }

    /// With at most so many spares.
    fn with(max: usize, spare: bool) -> Self {
        let pool = Pool {
            spares: Spares::new(max),
            terms: [spare, false].map(|sits| Term::new(sits, true)),
            lock: Mutex::new(()),
            idle: AtomicUsize::new(1),
            parker: Parker::new(),
        };
        if spare {
            pool.spares.block(false);
            assert!(pool.spares.call(|_| &pool.terms[0]).is_some());
            pool.spares.unblock(false);
        }
        pool
    }

    /// E3 and E4.
    fn call(&self) {
        if self.spares.is_one_missing() && self.idle.load(Ordering::Relaxed) == 0 {
            match self.spares.call(|spare| &self.terms[spare]) {
                Some((spare, false)) => self.start(spare),
                Some(_) => self.parker.unpark(),
                None => {}
            }
        }
    }

    fn start(&self, spare: usize) {
        let _guard = lock(&self.lock);
        // The term of a spare counts nothing.
        let idle = Idle::new(0, 1);
        let is_called = self.terms[spare].call(&idle, || Ok::<_, ()>(true));
        assert_eq!((is_called, idle.count()), (Ok(true), 0));
        assert!(!self.terms[spare].is_taken(), "it waits for the seat");
    }

    fn block(&self) {
        self.spares.block(false);
        self.call();
    }

    fn become_busy(&self) {
        self.idle.fetch_sub(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.call();
    }

    /// As the only worker, which is turned off.
    fn end(&self) {
        self.spares.set_workers(false);
        self.become_busy();
    }

    /// As the first spare, which stood in for a caller.
    fn block_as_spare(&self) {
        self.spares.block(true);
        self.call();
    }

    /// A spare that is not needed rests, until it is called.
    fn rest(&self) {
        self.idle.fetch_sub(1, Ordering::Relaxed);
        if self.spares.rest(0) {
            while !self.spares.is_on(0) {
                self.parker.park(None);
            }
        }
        self.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// The thread of the first spare, which rests, ends if it is not called.
    fn end_as_spare(&self) {
        let guard = lock(&self.lock);
        let ends = self.terms[0].leave_asleep(|| !self.spares.is_on(0));
        drop(guard);
        if ends {
            let guard = lock(&self.lock);
            self.terms[0].free();
            drop(guard);
            self.call();
        }
    }
}

#[test]
fn a_spare_ends_while_a_thread_blocks() {
    explore_all(|| {
        let pool = Pool::with(1, true);
        assert!(pool.spares.rest(0));
        pool.idle.store(0, Ordering::Relaxed);
        let pool = Arc::new(pool);
        let spare = spawn(&pool, Pool::end_as_spare);
        pool.block();
        spare.join().unwrap();
        assert_eq!(pool.spares.on_and_blocked(), (1, 1), "no spare comes");
        assert_eq!(pool.terms[0].sits(), Some(true), "no thread comes");
    });
}

#[test]
fn the_last_idle_worker_goes_while_a_thread_blocks() {
    explore_all(|| {
        let pool = Pool::new(false);
        let worker = spawn(&pool, Pool::become_busy);
        pool.block();
        worker.join().unwrap();
        assert_eq!(pool.spares.on_and_blocked(), (1, 1), "no spare comes");
    });
}

#[test]
fn a_spare_rests_while_a_thread_blocks() {
    explore_all(|| {
        let pool = Pool::new(true);
        let spare = spawn(&pool, Pool::rest);
        pool.block();
        spare.join().unwrap();
        assert_eq!(pool.spares.on_and_blocked(), (1, 1));
        assert!(pool.spares.is_on(0));
    });
}

#[test]
fn the_only_worker_ends_while_a_spare_blocks() {
    explore_all(|| {
        let pool = Pool::new(true);
        let worker = spawn(&pool, Pool::end);
        pool.block_as_spare();
        worker.join().unwrap();
        assert_eq!(pool.spares.on_and_blocked(), (2, 2), "no other spare comes");
    });
}

#[test]
fn a_worker_that_ends_is_none_for_spares() {
    let model = "spares::the_only_worker_ends_while_a_spare_blocks";
    caught(
        left_out(FILE, "set_workers", "store("),
        model,
        "no other spare comes",
    );
}

#[test]
fn a_thread_blocks_without_a_fence() {
    let model = "spares::the_last_idle_worker_goes_while_a_thread_blocks";
    caught(left_out(FILE, "block", "fence("), model, "no spare comes");
}

#[test]
fn a_spare_rests_without_a_fence() {
    let model = "spares::a_spare_rests_while_a_thread_blocks";
    caught(left_out(FILE, "rest", "fence("), model, DEADLOCK);
}

#[test]
fn a_seat_is_given_up_without_a_fence() {
    let model = "spares::a_spare_ends_while_a_thread_blocks";
    let fault = left_out("protocol/terms.rs", "free", "fence(");
    caught(fault, model, "no spare comes");
}

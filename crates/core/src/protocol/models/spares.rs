//! Spares: none is missed when a thread blocks.
//!
//! The counts and the lists are the real ones. Mirrors `Shared::call_spare`, and of a worker the
//! order in which it counts itself as idle and looks.

use super::{DEADLOCK, caught, explore_all, left_out, spawn};
use crate::protocol::{parker::Parker, spares::Spares};
use loom::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::Arc;

const FILE: &str = "protocol/spares.rs";

struct Pool {
    spares: Spares,
    idle: AtomicUsize,
    /// Of the first spare.
    parker: Parker,
}

impl Pool {
    /// With a spare that is on, and idle, or with an idle worker.
    fn new(spare: bool) -> Arc<Self> {
        let pool = Pool {
            spares: Spares::new(2),
            idle: AtomicUsize::new(1),
            parker: Parker::new(),
        };
        if spare {
            pool.spares.block(false);
            assert_eq!(pool.spares.call(), Some((0, false)));
            pool.spares.unblock(false);
        }
        Arc::new(pool)
    }

    /// E3 and E4.
    fn call(&self) {
        if self.spares.is_one_missing() && self.idle.load(Ordering::Relaxed) == 0 {
            if let Some((_, true)) = self.spares.call() {
                self.parker.unpark();
            }
        }
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
            while self.spares.rests(0) {
                self.parker.park(None);
            }
        }
        self.idle.fetch_add(1, Ordering::Relaxed);
    }
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

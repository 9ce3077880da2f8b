//! The watch: while threads wait, one of them is on watch, and its turn ends.
//!
//! Mirrors `wait::until` with its `Waits`: a waiter looks whether it is first before each sleep. A
//! nap, which ends by itself, is only a chance for others to run.

use super::{DEADLOCK, caught, explore, spawn};
use crate::{
    fault::Fault,
    protocol::{parker::Parker, watch::Watch},
};
use loom::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use std::sync::Arc;

struct Pool {
    watch: Watch<usize>,
    parkers: Vec<Parker>,
    /// Whether what each waits for is done.
    done: Vec<AtomicBool>,
}

impl Pool {
    fn new(waiters: usize) -> Arc<Self> {
        Arc::new(Pool {
            watch: Watch::new(),
            parkers: (0..waiters).map(|_| Parker::new()).collect(),
            done: (0..waiters).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    fn unpark(&self, waiter: Option<usize>) {
        if let Some(waiter) = waiter {
            self.parkers[waiter].unpark();
        }
    }

    fn finish(&self, waiter: usize) {
        self.done[waiter].store(true, Ordering::Release);
        self.unpark(Some(waiter));
    }

    /// Waits in the queue until the own work is done, or for a turn. Whether it was the latter.
    fn wait(&self, me: usize) -> bool {
        let turn = loop {
            if self.done[me].load(Ordering::Acquire) {
                break false;
            }
            if self.watch.is_first(me) {
                break true;
            }
            self.parkers[me].park(None);
        };
        if turn {
            thread::yield_now();
            let next = self.watch.pass(me);
            self.unpark(next);
        }
        let next = self.watch.leave(me);
        self.unpark(next);
        turn
    }
}

/// No waiter's work is ever done: each gets a turn, in which it finds something to do.
#[test]
fn everybody_has_a_turn() {
    explore(|| {
        let pool = Pool::new(3);
        for waiter in 0..3 {
            pool.watch.join(waiter);
        }
        let others = [1, 2].map(|me| spawn(&pool, move |pool| assert!(pool.wait(me))));
        assert!(pool.wait(0));
        others.into_iter().for_each(|o| o.join().unwrap());
    });
}

/// The first is told that its work is done just when its turn begins or ends; the other joins
/// meanwhile.
#[test]
fn who_leaves_early_wakes_the_next() {
    explore(|| {
        let pool = Pool::new(2);
        pool.watch.join(0);
        let first = spawn(&pool, |pool| pool.wait(0));
        let second = spawn(&pool, |pool| {
            pool.watch.join(1);
            assert!(pool.wait(1));
        });
        pool.finish(0);
        first.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn leaving_without_a_word_is_caught() {
    let model = "watch::who_leaves_early_wakes_the_next";
    caught(Fault::LeaveWatchAlone, model, DEADLOCK);
}

//! The watch: while threads wait, one of them is on watch, and its turn ends.
//!
//! The watch, and what waiters do there, are the real ones. Each nap is the longest one, and ends
//! by itself: it is only a chance for others to run.

use super::{DEADLOCK, Fault, caught, explore, planted, spawn};
use crate::protocol::{
    parker::Parker,
    watch::{Waits, Watch},
};
use loom::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use std::{sync::Arc, task::Wake};

const NAP: u64 = 1;

struct Pool {
    watch: Watch<Waiter>,
    waiters: Vec<Arc<Waiter>>,
}

struct Waiter {
    parker: Parker,
    /// Whether what it waits for is done.
    is_done: AtomicBool,
}

impl Wake for Waiter {
    fn wake(self: Arc<Self>) {
        if !planted(Fault::LeaveNextAsleep) {
            self.parker.unpark();
        }
    }
}

impl Pool {
    fn new(waiters: usize) -> Arc<Self> {
        let waiter = |_| {
            Arc::new(Waiter {
                parker: Parker::new(),
                is_done: AtomicBool::new(false),
            })
        };
        Arc::new(Pool {
            watch: Watch::new(),
            waiters: (0..waiters).map(waiter).collect(),
        })
    }

    fn finish(&self, waiter: usize) {
        self.waiters[waiter].is_done.store(true, Ordering::Release);
        self.waiters[waiter].parker.unpark();
    }

    /// Waits until the own work is done, or for a turn. Whether it was the latter.
    fn wait(&self, me: usize) -> bool {
        let me = &self.waiters[me];
        let mut waits = Waits::new(&self.watch, me, NAP);
        while !me.is_done.load(Ordering::Acquire) {
            let park = |nap| match nap {
                Some(_) => thread::yield_now(),
                None => me.parker.park(None),
            };
            if waits.sleep(Some(NAP), park) {
                return true;
            }
        }
        false
    }
}

/// No waiter's work is ever done: each gets a turn, in which it finds something to do.
#[test]
fn everybody_has_a_turn() {
    explore(|| {
        let pool = Pool::new(3);
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
        let first = spawn(&pool, |pool| pool.wait(0));
        let second = spawn(&pool, |pool| assert!(pool.wait(1)));
        pool.finish(0);
        first.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn a_turn_that_begins_in_silence_is_caught() {
    let fault = Fault::LeaveNextAsleep;
    caught(fault, "watch::everybody_has_a_turn", DEADLOCK);
    caught(fault, "watch::who_leaves_early_wakes_the_next", DEADLOCK);
}

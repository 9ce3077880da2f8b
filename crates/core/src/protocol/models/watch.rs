//! The watch: while threads wait, one of them is on watch, and its turn ends.
//!
//! The watch, and what waiters do there, are the real ones. Each nap is the longest one, and ends
//! by itself: it is only a chance for others to run.

use super::{DEADLOCK, Fault, caught, explore, planted, spawn};
use crate::protocol::{
    parker::Parker,
    watch::{Unpark, Waits, Watch},
};
use loom::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use std::sync::Arc;

const NAP: u64 = 1;

struct Pool {
    watch: Watch<Waiter>,
    parkers: Vec<Parker>,
    /// Whether what each waits for is done.
    done: Vec<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq)]
struct Waiter(*const Parker);

// SAFETY: parkers are `Sync`, and stay as long as their pool.
unsafe impl Send for Waiter {}

impl Unpark for Waiter {
    fn unpark(self, _: Self) {
        if !planted(Fault::LeaveNextAsleep) {
            // SAFETY: it stays as long as the pool, whose watch has named it.
            unsafe { &*self.0 }.unpark();
        }
    }
}

impl Pool {
    fn new(waiters: usize) -> Arc<Self> {
        Arc::new(Pool {
            watch: Watch::new(),
            parkers: (0..waiters).map(|_| Parker::new()).collect(),
            done: (0..waiters).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    fn finish(&self, waiter: usize) {
        self.done[waiter].store(true, Ordering::Release);
        self.parkers[waiter].unpark();
    }

    /// Waits until the own work is done, or for a turn. Whether it was the latter.
    fn wait(&self, me: usize) -> bool {
        let parker = &self.parkers[me];
        let mut waits = Waits::new(&self.watch, Waiter(parker), NAP);
        while !self.done[me].load(Ordering::Acquire) {
            let park = |nap| match nap {
                Some(_) => thread::yield_now(),
                None => parker.park(None),
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

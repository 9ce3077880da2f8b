//! Turns on the last seat: one thread sits there at a time, and what the stand-in is needed for is
//! done.
//!
//! Mirrors `Turn` and `live` (task/stand_in.rs), and the thread that queues: `Shared::queue_at`. A
//! task is a number here.

use super::{DEADLOCK, RACE, caught, explore, spawn};
use crate::{
    fault::{Fault, planted},
    protocol::{
        primitive::{AtomicBool, AtomicUsize, Ordering, fence},
        turns::{Need, Turns},
    },
};
use loom::cell::UnsafeCell;
use std::{sync::Arc, time::Duration};

const NAP: Duration = Duration::from_secs(1);

struct Pool {
    turns: Turns,
    /// What only the thread that sits there may touch.
    member: UnsafeCell<usize>,
    queued: AtomicUsize,
    /// A worker runs tasks.
    has_tasks: AtomicBool,
}

// SAFETY: the turns keep the threads of a model apart; loom sees where they do not.
unsafe impl Sync for Pool {}

impl Pool {
    fn new() -> Arc<Self> {
        Arc::new(Pool {
            turns: Turns::new(),
            member: UnsafeCell::new(0),
            queued: AtomicUsize::new(0),
            has_tasks: AtomicBool::new(false),
        })
    }

    fn need(&self) -> Need {
        if self.queued.load(Ordering::Relaxed) > 0 {
            Need::Now
        } else if self.has_tasks.load(Ordering::Relaxed) {
            Need::Thief
        } else {
            Need::Nothing
        }
    }

    fn call(&self) {
        assert!(self.turns.call(|| self.need(), || true), "it is there");
    }

    fn sit(&self) {
        // SAFETY: the calling thread has its turn, and gives no reference away.
        self.member.with_mut(|turns| unsafe { *turns += 1 });
    }

    /// A call from outside, if it can be had.
    fn visit(&self) {
        if !self.turns.take() {
            return;
        }
        self.sit();
        self.turns.free();
        if !planted(Fault::TurnEndsBlindly) {
            self.call();
        }
    }

    fn queue(&self) {
        self.queued.fetch_add(1, Ordering::Relaxed);
        if !planted(Fault::NeedWithoutFence) {
            fence(Ordering::SeqCst);
        }
        self.call();
    }

    /// The stand-in, which ends when it has run so many tasks.
    fn stand_in(&self, tasks: usize) {
        let mut ran = 0;
        loop {
            self.turns.wait(|| self.need(), NAP);
            self.sit();
            ran += self.queued.swap(0, Ordering::Relaxed);
            if ran == tasks {
                return;
            }
            self.turns.free();
        }
    }
}

#[test]
fn a_task_that_comes_beside_a_caller_is_run() {
    explore(|| {
        let pool = Pool::new();
        let caller = spawn(&pool, Pool::visit);
        let stand_in = spawn(&pool, |pool| pool.stand_in(1));
        pool.queue();
        caller.join().expect("the caller ends");
        stand_in.join().expect("the stand-in ends");
    });
}

#[test]
fn a_task_that_comes_while_the_stand_in_gets_off_is_run() {
    explore(|| {
        let pool = Pool::new();
        let stand_in = spawn(&pool, |pool| pool.stand_in(2));
        pool.queue();
        pool.queue();
        stand_in.join().expect("the stand-in ends");
    });
}

#[test]
fn two_callers_sit_one_after_the_other() {
    explore(|| {
        let pool = Pool::new();
        let other = spawn(&pool, Pool::visit);
        pool.visit();
        other.join().expect("the caller ends");
        pool.visit();
    });
}

/// The stand-in naps, and its nap ends while a caller sits there: then the caller wakes it.
#[test]
fn a_nap_that_ends_beside_a_caller() {
    explore(|| {
        let pool = Pool::new();
        pool.has_tasks.store(true, Ordering::Relaxed);
        assert!(pool.turns.take());
        pool.sit();
        let stand_in = spawn(&pool, |pool| {
            pool.turns.wait(|| pool.need(), NAP);
            pool.sit();
        });
        // The time is up.
        pool.turns.unpark();
        pool.turns.free();
        pool.call();
        stand_in.join().expect("the stand-in ends");
    });
}

#[test]
fn a_seat_taken_by_looking_is_caught() {
    caught(
        Fault::TurnByLooking,
        "turns::two_callers_sit_one_after_the_other",
        RACE,
    );
}

#[test]
fn a_turn_that_is_not_released_is_caught() {
    caught(
        Fault::TurnEndsRelaxed,
        "turns::two_callers_sit_one_after_the_other",
        RACE,
    );
}

const BESIDE: &str = "turns::a_task_that_comes_beside_a_caller_is_run";

#[test]
fn a_stand_in_wanted_by_a_store_is_caught() {
    caught(Fault::WantByStoring, BESIDE, RACE);
}

#[test]
fn a_turn_that_ends_without_a_fence_is_caught() {
    caught(Fault::TurnEndsWithoutFence, BESIDE, DEADLOCK);
}

#[test]
fn a_turn_that_ends_without_a_look_is_caught() {
    caught(Fault::TurnEndsBlindly, BESIDE, DEADLOCK);
}

#[test]
fn a_look_for_the_need_without_a_fence_is_caught() {
    caught(Fault::NeedWithoutFence, BESIDE, DEADLOCK);
}

#[test]
fn a_stand_in_that_does_not_look_is_caught() {
    let model = "turns::a_task_that_comes_while_the_stand_in_gets_off_is_run";
    caught(Fault::StandInSleepsBlindly, model, DEADLOCK);
}

#[test]
fn a_nap_that_ends_without_a_fence_is_caught() {
    caught(
        Fault::NapEndsWithoutFence,
        "turns::a_nap_that_ends_beside_a_caller",
        DEADLOCK,
    );
}

//! Records and their latches: the owner of a job gets the result, sleeps no longer than the job
//! takes, and then owns its record alone.
//!
//! Records, offers (in a ring of one slot) and parkers are the real ones. Mirrors the owner in
//! `promote::offer`, `settle::settle` and the loop of `wait::until`, without helping, and the taker
//! in `run::execute`: in the order that the unsafe functions of records ask for. What a taker
//! leaves is an answer in the place of a panic.

use super::{
    DEADLOCK, Fault, RACE, apart, caught, explore, explore_all, left_out, planted, relaxed, spawn,
};
use crate::protocol::{
    offers::Offers,
    parker::Parker,
    record::{Ended, Record},
    slot::Slot,
};
use loom::thread::JoinHandle;
use std::{ptr, sync::Arc, time::Duration};

/// An owner, with its only record. The work is a question.
struct Owner {
    offers: Offers<Job, 1>,
    parker: Parker,
    job: Job,
}

type Job = Record<u32, u32>;

// SAFETY: none needed: loom checks each access to the record.
unsafe impl Sync for Owner {}
// SAFETY: as for `Sync`.
unsafe impl Send for Owner {}

impl Owner {
    fn new() -> Arc<Self> {
        Arc::new(Owner {
            offers: Offers::new(1),
            parker: Parker::new(),
            job: Job::new(0),
        })
    }

    fn record(&self) -> *mut Job {
        ptr::from_ref(&self.job).cast_mut()
    }

    fn fork(&self, question: u32) {
        // SAFETY: the record is free; loom checks.
        unsafe { self.job.fill(question) };
        self.offers.publish(0, self.record(), 0);
    }

    /// Looks at the answer; `naps` sleeps end by themselves at once.
    fn settle(&self, question: u32, naps: usize) {
        if self.offers.reclaim(0, self.record()) || self.wait(naps) == Ended::Declined {
            return;
        }
        // SAFETY: the latch is set; loom checks that the taker is done.
        let answer = unsafe { self.job.take_panic() };
        assert_eq!(answer, Some(question + 100));
    }

    fn wait(&self, mut naps: usize) -> Ended {
        loop {
            if let Some(state) = self.job.outcome() {
                return state;
            }
            let mut sleep = || {
                if naps == 0 {
                    self.parker.park(Some(Duration::MAX));
                } else {
                    naps -= 1;
                }
            };
            match planted(Fault::SleepUnannounced) {
                true => sleep(),
                false => self.job.sleep(sleep),
            }
        }
    }

    /// A thief's attempt to take the job and to run it, or to decline it.
    fn steal(&self, state: Ended) {
        let Some(job) = self.offers.by_age().find_map(Slot::take) else {
            return;
        };
        // SAFETY: the record is a field of `self`.
        let job = unsafe { job.as_ref() };
        if state == Ended::Done {
            // SAFETY: just taken; loom checks that no thread writes them.
            let question = unsafe { job.fields() };
            // SAFETY: just taken; loom checks that no other thread touches it.
            unsafe { job.set_panic(Some(question + 100)) };
        }
        job.finish(state, &self.parker);
        if planted(Fault::TouchAfterFinish) {
            // SAFETY: wrong, which loom finds out.
            unsafe { job.fields() };
        }
    }

    fn thief(self: &Arc<Self>, attempts: &'static [Ended]) -> JoinHandle<()> {
        spawn(self, move |owner| {
            for &state in attempts {
                owner.steal(state);
            }
        })
    }
}

#[test]
fn the_result_arrives() {
    explore_all(|| {
        let owner = Owner::new();
        let thief = owner.thief(&[Ended::Done]);
        owner.fork(1);
        owner.settle(1, 0);
        thief.join().unwrap();
    });
}

#[test]
fn a_nap_may_end_by_itself() {
    explore_all(|| {
        let owner = Owner::new();
        let thief = owner.thief(&[Ended::Done]);
        owner.fork(1);
        owner.settle(1, 2);
        thief.join().unwrap();
    });
}

#[test]
fn the_record_is_used_again() {
    explore_all(|| {
        let owner = Owner::new();
        let thief = owner.thief(&[Ended::Declined, Ended::Done]);
        owner.fork(1);
        owner.settle(1, 0);
        owner.fork(2);
        owner.settle(2, 0);
        thief.join().unwrap();
    });
}

#[test]
fn two_thieves_and_one_record() {
    explore(|| {
        let owner = Owner::new();
        let thieves = [owner.thief(&[Ended::Done]), owner.thief(&[Ended::Done])];
        owner.fork(1);
        owner.settle(1, 0);
        owner.fork(2);
        owner.settle(2, 1);
        thieves.into_iter().for_each(|t| t.join().unwrap());
    });
}

#[test]
fn setting_without_release_is_caught() {
    caught(
        relaxed("protocol/record.rs", "finish", "self.latch.swap("),
        "latch::the_result_arrives",
        RACE,
    );
}

#[test]
fn setting_by_look_and_store_is_caught() {
    caught(
        apart("protocol/record.rs", "finish", "self.latch.swap("),
        "latch::the_result_arrives",
        DEADLOCK,
    );
}

#[test]
fn cancelling_by_a_store_is_caught() {
    caught(
        apart("protocol/record.rs", "exchange", ".compare_exchange("),
        "latch::a_nap_may_end_by_itself",
        DEADLOCK,
    );
}

#[test]
fn sleeping_unannounced_is_caught() {
    caught(
        Fault::SleepUnannounced,
        "latch::the_result_arrives",
        DEADLOCK,
    );
}

#[test]
fn using_a_record_again_with_its_latch_set_is_caught() {
    caught(
        left_out("protocol/record.rs", "fill", "self.latch.store("),
        "latch::two_thieves_and_one_record",
        RACE,
    );
}

#[test]
fn touching_the_job_after_setting_is_caught() {
    caught(
        Fault::TouchAfterFinish,
        "latch::the_record_is_used_again",
        RACE,
    );
}

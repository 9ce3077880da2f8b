//! Latches: the owner of a job gets the result, sleeps no longer than that takes, and then has its
//! record to itself.
//!
//! Mirrors the owner: `Job::fill` and the publication in `promote::give`, `settle::settle`, and the
//! loop of `wait::until` without helping; the taker: `run::execute` and `Job::finish`.

use super::{DEADLOCK, RACE, caught, explore, explore_all, spawn, steps};
use crate::{
    fault::{Fault, planted},
    protocol::{
        latch::{Latch, LatchState},
        parker::Parker,
        slot::Slot,
    },
};
use loom::{cell::UnsafeCell, thread::JoinHandle};
use std::{ptr, sync::Arc, time::Duration};

/// An owner, with its only record.
struct Owner {
    slot: Slot<Job>,
    parker: Parker,
    job: Job,
}

struct Job {
    latch: Latch,
    fields: UnsafeCell<u32>,
    result: UnsafeCell<u32>,
}

// SAFETY: none needed: loom checks each access to the cells.
unsafe impl Sync for Owner {}
// SAFETY: as for `Sync`.
unsafe impl Send for Owner {}

impl Owner {
    fn new() -> Arc<Self> {
        Arc::new(Owner {
            slot: Slot::new(),
            parker: Parker::new(),
            job: Job {
                latch: Latch::new(),
                fields: UnsafeCell::new(0),
                result: UnsafeCell::new(0),
            },
        })
    }

    fn record(&self) -> *mut Job {
        ptr::from_ref(&self.job).cast_mut()
    }

    fn fork(&self, question: u32) {
        self.job.latch.reset();
        // SAFETY: the record is free; loom checks.
        self.job.fields.with_mut(|f| unsafe { *f = question });
        self.slot.publish(self.record(), 0);
    }

    /// The answer; `naps` sleeps end by themselves at once.
    fn settle(&self, question: u32, naps: usize) {
        let state = if self.slot.reclaim(self.record()) {
            LatchState::Declined
        } else {
            self.wait(naps)
        };
        if state == LatchState::Done {
            // SAFETY: the taker is done with it; loom checks.
            let answer = self.job.result.with(|r| unsafe { *r });
            assert_eq!(answer, question + 100);
        }
    }

    fn wait(&self, mut naps: usize) -> LatchState {
        loop {
            let state = self.job.latch.state();
            if state.is_set() {
                return state;
            }
            if planted(Fault::SleepUnannounced) {
                self.parker.park(None);
            } else if self.job.latch.announce_wait() {
                if naps == 0 {
                    self.parker.park(Some(Duration::MAX));
                } else {
                    naps -= 1;
                }
                self.job.latch.cancel_wait();
            }
        }
    }

    /// A thief's attempt to take the job and to run it, or to decline it.
    fn steal(&self, state: LatchState) {
        let Some(job) = self.slot.take() else { return };
        // SAFETY: the record is a field of `self`.
        let job = unsafe { job.as_ref() };
        // SAFETY: between the publication and the latch no thread writes them; loom checks.
        let question = job.fields.with(|f| unsafe { *f });
        if state == LatchState::Done {
            // SAFETY: the taker's until the latch is set; loom checks.
            job.result.with_mut(|r| unsafe { *r = question + 100 });
        }
        if job.latch.set(state) {
            self.parker.unpark();
        }
        if planted(Fault::TouchAfterFinish) {
            // SAFETY: wrong, which loom finds out.
            job.fields.with(|f| unsafe { *f });
        }
    }

    fn thief(self: &Arc<Self>, attempts: &'static [LatchState]) -> JoinHandle<()> {
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
        let thief = owner.thief(&[LatchState::Done]);
        owner.fork(1);
        owner.settle(1, 0);
        thief.join().unwrap();
    });
}

#[test]
fn a_nap_may_end_by_itself() {
    explore_all(|| {
        let owner = Owner::new();
        let thief = owner.thief(&[LatchState::Done]);
        owner.fork(1);
        owner.settle(1, 2);
        thief.join().unwrap();
    });
}

#[test]
fn the_record_is_used_again() {
    explore_all(|| {
        let owner = Owner::new();
        let thief = owner.thief(&[LatchState::Declined, LatchState::Done]);
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
        let thieves = [
            owner.thief(&[LatchState::Done]),
            owner.thief(&[LatchState::Done]),
        ];
        owner.fork(1);
        owner.settle(1, 0);
        owner.fork(2);
        owner.settle(2, 1);
        thieves.into_iter().for_each(|t| t.join().unwrap());
    });
}

#[test]
fn setting_without_release_is_caught() {
    caught(Fault::LatchRelaxed, "latch::the_result_arrives", RACE);
}

#[test]
fn setting_by_look_and_store_is_caught() {
    caught(Fault::LatchStoreOnly, "latch::the_result_arrives", DEADLOCK);
}

#[test]
fn cancelling_by_a_store_is_caught() {
    caught(
        Fault::CancelByStore,
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
fn touching_the_job_after_setting_is_caught() {
    caught(
        Fault::TouchAfterFinish,
        "latch::the_record_is_used_again",
        RACE,
    );
}

#[test]
fn the_scheduler_takes_these_steps() {
    let source = include_str!("../../join/job.rs");
    steps(source, "fill", &["latch.reset()", "self.fields.get()"]);
    steps(source, "finish", &["self.latch.set(", "parker.unpark()"]);
    let source = include_str!("../../join/promote.rs");
    steps(source, "offer", &["job.fill(", "offers.publish("]);
    let source = include_str!("../../join/settle.rs");
    steps(
        source,
        "settle",
        &[
            "chain::leave(",
            "reclaim(member",
            "wait_for(",
            "records.free(",
        ],
    );
    steps(source, "wait_for", &["wait::until(", "take_panic()"]);
    let source = include_str!("../../join/wait.rs");
    steps(
        source,
        "help_until",
        &[
            "awaited.outcome()",
            "awaited.announce(",
            "me.park(",
            "awaited.retract()",
        ],
    );
    let source = include_str!("../../join/run.rs");
    steps(
        source,
        "execute",
        &[
            "job.execute(",
            "drop(leave)",
            "job.set_panic(",
            "job.finish(",
        ],
    );
}

//! What the idle ask a member for, and how its thread meets that.
//!
//! Invariant *asked, then raised*: an asker writes the demand before it raises the flag, and the
//! seated thread lowers its attention before it takes the demand. So none is forgotten
//! (`models/attention.rs`).

use super::{
    attention::Flag,
    primitive::{AtomicU32, AtomicU64, Ordering},
};
use crate::fault::{Fault, planted};

pub(crate) struct Demand {
    /// How many jobs the idle ask for. Set by askers, taken by the owner in a tick.
    asked: AtomicU32,
    /// How many offers that were not taken the owner may still renew. Set by thieves; a hint.
    credit: AtomicU32,
    /// When a thread last asked, in nanoseconds of the pool's clock.
    asked_at: AtomicU64,
    /// The seated thread's attention.
    pub(crate) flag: Flag,
}

/// What came of an attempt to offer a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gift {
    Given,
    /// There is a job to give, but no empty slot.
    Full,
    /// There is none.
    Nothing,
}

impl Demand {
    /// A first thread's first join offers itself.
    pub(crate) fn new() -> Self {
        Demand {
            asked: AtomicU32::new(1),
            credit: AtomicU32::new(0),
            asked_at: AtomicU64::new(0),
            flag: Flag::new(),
        }
    }

    /// Asks the seated thread for `count` jobs at its next join.
    pub(crate) fn ask(&self, count: u32, now: u64) {
        self.asked_at.store(now, Ordering::Relaxed);
        self.leave(count);
        self.flag.raise();
    }

    pub(crate) fn asked_at(&self) -> u64 {
        self.asked_at.load(Ordering::Relaxed)
    }

    /// How many jobs are asked for and not yet given.
    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Takes the demand, to be met now.
    pub(crate) fn take(&self) -> u32 {
        self.asked.swap(0, Ordering::Relaxed)
    }

    /// Meets a demand that was taken as far as it goes: offers jobs by `give`. What cannot be met
    /// now stays asked for; then calls `raise`, to raise the own attention if the next join could
    /// meet it. True if a dormant leader is to be woken.
    pub(crate) fn meet(
        &self,
        asked: u32,
        mut give: impl FnMut() -> Gift,
        raise: impl FnOnce(),
    ) -> bool {
        let mut given = 0;
        let mut full = false;
        while given < asked {
            match give() {
                Gift::Given => given += 1,
                Gift::Full => {
                    full = true;
                    break;
                }
                Gift::Nothing => break,
            }
        }
        if given < asked && !full && !planted(Fault::ForgetDemand) {
            self.leave(asked - given);
            raise();
        }
        // A tick that found all slots full has lowered the attention as well: a leader must not
        // sleep on that.
        given > 0 || full && !planted(Fault::FullWakesNobody)
    }

    /// Demand to be met at the next tick: new, or what could not be met in the last.
    pub(crate) fn leave(&self, count: u32) {
        self.asked.fetch_max(count, Ordering::Relaxed);
    }

    /// Allows the owner to renew so many offers that are not taken, or more if it may already.
    pub(crate) fn give_credit(&self, credit: u32) {
        if credit > self.credit.load(Ordering::Relaxed) {
            self.credit.store(credit, Ordering::Relaxed);
        }
    }

    /// No thread took an offer before its owner needed it: whether to make another for the same
    /// demand.
    pub(crate) fn renew(&self) -> bool {
        let credit = self.credit.load(Ordering::Relaxed);
        if credit == 0 {
            return false;
        }
        self.credit.store(credit - 1, Ordering::Relaxed);
        self.leave(1);
        true
    }
}

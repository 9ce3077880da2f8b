//! The demand of idle workers for a member's jobs, and how its thread meets it.
//!
//! Invariant *asked, then raised*: an asker writes the demand before it raises the flag, and the
//! seated thread lowers its attention before it takes the demand. So no demand is forgotten
//! (`models/attention.rs`).

use super::{
    attention::Flag,
    primitive::{AtomicU32, AtomicU64, Ordering},
};

/// Askers read and write it often. So it has cache lines of its own.
#[repr(align(64))]
pub(crate) struct Demand {
    /// The number of jobs that idle workers ask for. Set by askers, taken by the owner in a tick.
    asked: AtomicU32,
    /// The number of untaken offers that the owner may still renew. Set by thieves; a hint.
    credit: AtomicU32,
    /// When a thread asked, in nanoseconds of the pool's clock: the first since the last answer.
    asked_at: AtomicU64,
    /// When it had asked at the time that another thread, in place of the owner, found no frame
    /// (remote.rs).
    vain_at: AtomicU64,
    /// The interval between demands, in nanoseconds: what idle workers have learnt. Any thread may
    /// write it, in any order, and only the time of demands depends on it.
    interval: AtomicU64,
    /// Counts the ends of computations, as far as they were promoted. A hint.
    epoch: AtomicU32,
    /// The seated thread's attention.
    pub(crate) flag: Flag,
}

/// The result of an attempt to offer a job.
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
    pub(crate) fn new(interval: u64) -> Self {
        Demand {
            asked: AtomicU32::new(1),
            credit: AtomicU32::new(0),
            asked_at: AtomicU64::new(0),
            vain_at: AtomicU64::new(u64::MAX),
            interval: AtomicU64::new(interval),
            epoch: AtomicU32::new(0),
            flag: Flag::new(),
        }
    }

    /// Asks the seated thread to offer `count` jobs at its next join.
    pub(crate) fn ask(&self, count: u32, now: u64) {
        if self.asked() == 0 {
            self.asked_at.store(now, Ordering::Relaxed);
        }
        self.leave(count);
        self.flag.raise();
    }

    pub(crate) fn asked_at(&self) -> u64 {
        self.asked_at.load(Ordering::Relaxed)
    }

    /// Returns whether another thread has looked in vain for a frame to promote, after the present
    /// demand.
    pub(crate) fn is_vain(&self) -> bool {
        self.vain_at.load(Ordering::Relaxed) == self.asked_at()
    }

    /// Notes that, before the look, for the demand of this time.
    pub(crate) fn set_vain_at(&self, asked_at: u64) {
        self.vain_at.store(asked_at, Ordering::Relaxed);
    }

    /// The look was not in vain, or there is a new frame.
    pub(crate) fn end_vain(&self) {
        self.set_vain_at(u64::MAX);
    }

    pub(crate) fn interval(&self) -> u64 {
        self.interval.load(Ordering::Relaxed)
    }

    pub(crate) fn set_interval(&self, interval: u64) {
        self.interval.store(interval, Ordering::Relaxed);
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// Records that the outermost join of a computation is ending. Only the seated thread calls
    /// this.
    pub(crate) fn count_computation(&self) {
        self.epoch
            .store(self.epoch().wrapping_add(1), Ordering::Relaxed);
    }

    /// Returns how many jobs are asked for and not yet given.
    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Takes the demand.
    pub(crate) fn take(&self) -> u32 {
        self.asked.swap(0, Ordering::Relaxed)
    }

    /// Takes the demand, and meets it as far as possible: offers jobs by `give`. The rest stays
    /// asked for; then calls `raise`, to raise the thread's own attention if its next join could
    /// meet it. Returns whether the caller must wake a dormant leader; `None` if nothing is asked
    /// for.
    pub(crate) fn meet(
        &self,
        mut give: impl FnMut() -> Gift,
        raise: impl FnOnce(),
    ) -> Option<bool> {
        let asked = self.take();
        if asked == 0 {
            return None;
        }
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
        if given < asked && !full {
            self.leave(asked - given);
            raise();
        }
        // A tick that found all slots full has lowered the attention as well: a leader must not
        // sleep then.
        Some(given > 0 || full)
    }

    /// Adds demand for the next tick: new demand, or the rest of the last tick's.
    pub(crate) fn leave(&self, count: u32) {
        self.asked.fetch_max(count, Ordering::Relaxed);
    }

    /// Takes back what is beyond so many.
    pub(crate) fn leave_at_most(&self, count: u32) {
        self.asked.fetch_min(count, Ordering::Relaxed);
    }

    /// Allows the owner to renew so many untaken offers, or more if it already may.
    pub(crate) fn give_credit(&self, credit: u32) {
        if credit > self.credit.load(Ordering::Relaxed) {
            self.credit.store(credit, Ordering::Relaxed);
        }
    }

    /// Called when an owner took an offer back: returns whether to make another for the same
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

//! What the idle have learnt of a member: how long to leave it alone between two demands.
//!
//! All of it is advice. Any thread may write it, in any order, and no more depends on it than how
//! soon a job is asked for.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub(crate) struct Pace {
    /// How long askers leave this member alone, in nanoseconds.
    interval: AtomicU64,
    /// Until when the idle take nothing here, on the pool's clock.
    rest_until: AtomicU64,
    /// Counts the ends of computations, as far as they were promoted.
    epoch: AtomicU32,
}

impl Pace {
    pub(crate) fn new(interval: u64) -> Self {
        Pace {
            interval: AtomicU64::new(interval),
            rest_until: AtomicU64::new(0),
            epoch: AtomicU32::new(0),
        }
    }

    pub(crate) fn interval(&self) -> u64 {
        self.interval.load(Ordering::Relaxed)
    }

    pub(crate) fn set_interval(&self, interval: u64) {
        self.interval.store(interval, Ordering::Relaxed);
    }

    /// Leaves this member alone until `time`.
    pub(crate) fn rest_until(&self, time: u64) {
        self.rest_until.store(time, Ordering::Relaxed);
    }

    pub(crate) fn is_resting(&self, now: u64) -> bool {
        now < self.rest_until.load(Ordering::Relaxed)
    }

    /// From here on the interval is this, and there is no rest.
    pub(crate) fn restart(&self, interval: u64) {
        self.set_interval(interval);
        self.rest_until(0);
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// The outermost join of a computation is ending. Only the seated thread calls this.
    pub(crate) fn count_computation(&self) {
        self.epoch
            .store(self.epoch().wrapping_add(1), Ordering::Relaxed);
    }
}

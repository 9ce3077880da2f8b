//! What idle workers have learnt about a member: the interval between two demands.
//!
//! All of it is advice. Any thread may write it, in any order, and only the time of demands depends
//! on it.

use crate::protocol::primitive::{AtomicU32, AtomicU64, Ordering};

pub(crate) struct Pace {
    /// The interval between demands on this member, in nanoseconds.
    interval: AtomicU64,
    /// Counts the ends of computations, as far as they were promoted.
    epoch: AtomicU32,
}

impl Pace {
    pub(crate) fn new(interval: u64) -> Self {
        Pace {
            interval: AtomicU64::new(interval),
            epoch: AtomicU32::new(0),
        }
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
}

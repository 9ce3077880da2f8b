//! The counters of a member, on the cold path.
//!
//! Invariant *one writer*: only the seated thread counts, so that no count is lost without a
//! read-modify-write.

use crate::protocol::primitive::{AtomicU64, Ordering};

/// The counters of a member. Each has one writer, the seated thread. They have a cache line of
/// their own, apart from what other threads read and write.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Counters {
    pub(crate) ticks: Counter,
    pub(crate) promotions: Counter,
    pub(crate) steals: Counter,
    pub(crate) reclaims: Counter,
    pub(crate) declines: Counter,
    pub(crate) parks: Counter,
    pub(crate) wakes: Counter,
    /// Looks for work, and other signs that the thread does not stall (pool/stall/watch.rs).
    pub(crate) looks: Counter,
}

/// A counter with one writer.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add_one(&self) {
        self.0
            .store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

//! How many threads a pool has, which of them run, and their indices.

use super::Shared;
use crate::pool::member::{GUEST, Member};
use std::sync::atomic::Ordering;

impl Shared {
    /// How many threads the pool has, counting one that uses it and takes part.
    #[inline]
    pub(crate) fn num_threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Counts them, whenever that may have changed: they are asked for at the beginning of every
    /// loop.
    pub(super) fn count_threads(&self) {
        let one_calls = self.own == 0 && !self.hands_over();
        let threads = self.running_workers().1 + usize::from(one_calls);
        self.threads.store(threads, Ordering::Relaxed);
    }

    /// Says that the workers from `first` on were not started.
    pub(crate) fn lose_workers(&self, first: usize) {
        let lost = self.worker_count() - first;
        self.lost.store(lost, Ordering::Relaxed);
        self.idle.lose(lost);
        self.count_threads();
    }

    /// The indices of the workers that have been started: from, to.
    pub(crate) fn running_workers(&self) -> (usize, usize) {
        let end = self.worker_count() - self.lost.load(Ordering::Relaxed);
        (self.own, end)
    }

    /// Whether any worker has been started, or is being.
    pub(crate) fn has_workers(&self) -> bool {
        self.worker_count() > self.own + self.lost.load(Ordering::Relaxed)
    }

    /// The index of `member` in `0..num_threads`.
    pub(crate) fn index_of(&self, member: &Member) -> usize {
        match member.index {
            GUEST => self.guests_index(),
            index => index,
        }
    }

    /// The index of guests: that of the thread which is no worker, in whose place they take part.
    pub(crate) fn guests_index(&self) -> usize {
        if self.own > 0 {
            0
        } else {
            self.num_threads() - 1
        }
    }
}

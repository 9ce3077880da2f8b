//! How many threads a pool has, which of them run, and their indices.
//!
//! Invariant *counted*: `count` is what the rest comes to, whenever that has changed: it is asked
//! for at the beginning of every loop.

use super::callers::Callers;
use crate::{
    join::member::GUEST,
    protocol::primitive::{AtomicUsize, Ordering},
};

pub(crate) struct Threads {
    /// How many seats of workers there are.
    pub(crate) workers: usize,
    /// How many of them are those of threads that use the pool.
    own: usize,
    /// What threads from outside do. If they wait, the pool has a worker for each of its threads.
    callers: Callers,
    /// How many workers the system refused to start.
    lost: AtomicUsize,
    /// How many threads the pool has.
    count: AtomicUsize,
}

impl Threads {
    /// So many workers, the first `own` of which are threads that exist.
    pub(crate) fn new(workers: usize, own: usize, callers: Callers) -> Self {
        Threads {
            workers,
            own,
            callers,
            lost: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
        }
    }

    /// How many threads the pool has, counting one that uses it and takes part.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts them again: callers hand over what they do, or take part.
    pub(super) fn recount(&self, hands_over: bool) {
        let one_calls = self.own == 0 && !hands_over;
        let count = self.running_workers().1 + usize::from(one_calls);
        self.count.store(count, Ordering::Relaxed);
    }

    /// Says that the workers from `first` on were not started; how many these are.
    pub(super) fn lose(&self, first: usize) -> usize {
        let lost = self.workers - first;
        self.lost.store(lost, Ordering::Relaxed);
        lost
    }

    /// The indices of the workers that have been started: from, to.
    pub(crate) fn running_workers(&self) -> (usize, usize) {
        (self.own, self.workers - self.lost.load(Ordering::Relaxed))
    }

    /// Whether any worker has been started, or is being.
    pub(crate) fn has_workers(&self) -> bool {
        let (first, end) = self.running_workers();
        end > first
    }

    /// Whether the pool was asked for certain threads: callers wait.
    pub(crate) fn only_workers(&self) -> bool {
        self.callers == Callers::Wait
    }

    /// The index, in `0..count`, of the member with this one.
    pub(crate) fn index_of(&self, member: usize) -> usize {
        match member {
            GUEST => self.guests_index(),
            index => index,
        }
    }

    /// The index of guests: that of the thread which is no worker, in whose place they take part.
    pub(crate) fn guests_index(&self) -> usize {
        if self.own > 0 { 0 } else { self.count() - 1 }
    }
}

//! The number of threads of a pool, which of them run, and their indices.
//!
//! Invariant *counted*: `count` follows from the other fields, and is updated whenever they change,
//! since every loop reads it at its start.

use super::callers::Callers;
use crate::{
    os::{self, CALLING, Processors},
    protocol::primitive::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

/// The index of members that are not workers.
pub(crate) const GUEST: usize = usize::MAX;
/// That of a thread that runs a scope's tasks and is neither a worker nor the scope's owner.
pub(crate) const STRANGER: usize = GUEST - 1;

pub(crate) struct Threads {
    /// The number of seats of workers, the greatest number of those.
    pub(crate) workers: usize,
    /// How many of them belong to threads that use the pool.
    own: usize,
    /// Whether outside threads take part. If they wait, the pool has a worker for each of its
    /// threads.
    callers: Callers,
    /// The workers from this index on are off: the pool is smaller, or the system has refused them.
    end: AtomicUsize,
    /// The number of threads of the pool.
    count: AtomicUsize,
    /// The number of processors.
    pub(super) cpus: AtomicUsize,
    /// Whether the number of threads is that of processors, since none has been asked for.
    pub(super) follows: AtomicBool,
    /// When the pool last looked for these.
    pub(super) looked_at: AtomicU64,
    /// The processors that the thread might use that has built the pool. (If those change, the pool
    /// does not follow.)
    pub(super) processors: Option<Processors>,
}

impl Threads {
    /// Creates the counts for a pool of `threads` threads, which may become `most`. The first `own`
    /// of them are existing threads. It follows the number of processors, now `cpus`, or not.
    pub(crate) fn new(
        (threads, most): (usize, usize),
        own: usize,
        callers: Callers,
        (follows, cpus): (bool, usize),
    ) -> Self {
        let mut counts = Threads {
            workers: 0,
            own,
            callers,
            end: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            cpus: AtomicUsize::new(cpus),
            follows: AtomicBool::new(follows),
            looked_at: AtomicU64::new(0),
            processors: os::processors(CALLING),
        };
        counts.workers = counts.workers_of(most);
        counts.end = AtomicUsize::new(counts.workers_of(threads));
        counts
    }

    /// Returns the number of threads of the pool, including a caller that takes part.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Updates the count: callers hand their work over, or take part.
    pub(super) fn recount(&self, hands_over: bool) {
        let one_calls = self.may_lack() && !hands_over;
        let count = self.running_workers().1 + usize::from(one_calls);
        self.count.store(count, Ordering::Relaxed);
    }

    /// Turns the workers below `end` on, all of which have members, and the others off.
    pub(super) fn set_end(&self, end: usize) {
        self.end.store(end, Ordering::Release);
    }

    /// Returns the range of indices of the workers that are on.
    pub(crate) fn running_workers(&self) -> (usize, usize) {
        (self.own, self.end.load(Ordering::Acquire))
    }

    /// Returns whether this member is that of a worker which is off.
    pub(crate) fn is_off(&self, member: usize) -> bool {
        self.is_worker(member) && member >= self.running_workers().1
    }

    /// Returns the greatest number of threads that the pool can have.
    pub(super) fn most(&self) -> usize {
        self.workers + self.callers()
    }

    /// Returns how many workers a pool of so many threads has.
    pub(super) fn workers_of(&self, threads: usize) -> usize {
        threads - self.callers()
    }

    /// Returns the number of callers among the threads of the pool.
    fn callers(&self) -> usize {
        usize::from(self.may_lack() && !self.only_workers())
    }

    /// Returns whether any worker is on.
    pub(crate) fn has_workers(&self) -> bool {
        let (first, end) = self.running_workers();
        end > first
    }

    /// Returns whether the pool may have no thread at all, since it does not consist of threads that
    /// exist anyway.
    pub(crate) fn may_lack(&self) -> bool {
        self.own == 0
    }

    /// Returns whether the pool's callers wait.
    pub(crate) fn only_workers(&self) -> bool {
        self.callers == Callers::Wait
    }

    /// Returns the index of a member: in `0..count`, but of a spare above all that threads may
    /// have.
    pub(crate) fn index_of(&self, member: usize) -> usize {
        match (member, self.spare(member)) {
            (GUEST, _) => self.guests_index(),
            (_, Some(spare)) => self.most() + spare,
            (index, None) => index,
        }
    }

    /// Returns whether this member is that of a worker which is no spare.
    pub(crate) fn is_worker(&self, member: usize) -> bool {
        member < self.workers
    }

    /// Returns whether this member is that of a spare.
    pub(crate) fn is_spare(&self, member: usize) -> bool {
        self.spare(member).is_some()
    }

    /// Returns the number of the spare with this member.
    pub(crate) fn spare(&self, member: usize) -> Option<usize> {
        member.checked_sub(self.workers).filter(|_| member != GUEST)
    }

    /// Returns the index of guests, in place of the thread that is no worker.
    pub(crate) fn guests_index(&self) -> usize {
        if self.own > 0 { 0 } else { self.count() - 1 }
    }
}

//! A slot: one word in which the owner of a job offers it, and from which exactly one thread takes
//! it.
//!
//! ```text
//!   empty ──publish (owner)──► job ──take (any thief) | reclaim (owner)──► empty
//! ```
//!
//! Only the owner fills a slot, so a slot it saw empty stays empty until it publishes. A job record
//! is offered in at most one slot at a time and stays allocated as long as its pool, so comparing
//! pointers is exact: the thread that exchanges the pointer for null has the job that is offered
//! *now*, even if it is another offer of the same record than the one it read.

use super::primitive::{AtomicPtr, AtomicU32, Ordering};
use std::ptr;

#[derive(Debug)]
pub(crate) struct Slot<J> {
    job: AtomicPtr<J>,
    /// The number of stolen jobs that its owner was inside when it offered the job: a hint for
    /// waiters.
    level: AtomicU32,
}

impl<J> Slot<J> {
    pub(crate) fn new() -> Self {
        Slot {
            job: AtomicPtr::new(ptr::null_mut()),
            level: AtomicU32::new(0),
        }
    }

    /// Returns whether the slot is empty. Exact for the owner, a hint for others. If it is not, the
    /// owner's writes before the offer are visible, including its earlier offers.
    pub(crate) fn is_empty(&self) -> bool {
        self.job.load(Ordering::Acquire).is_null()
    }

    /// Returns whether `job` is offered here. A hint: it may be taken at any time.
    pub(crate) fn holds(&self, job: *const J) -> bool {
        ptr::eq(self.job.load(Ordering::Relaxed), job)
    }

    /// Returns the level of the job last offered here. A hint.
    pub(crate) fn level(&self) -> u32 {
        self.level.load(Ordering::Relaxed)
    }

    /// Offers `job`; the owner's earlier writes are visible to the taker.
    pub(crate) fn publish(&self, job: *const J, level: u32) {
        debug_assert!(self.is_empty());
        self.level.store(level, Ordering::Relaxed);
        self.job.store(job.cast_mut(), Ordering::Release);
    }

    /// Takes the job that is offered, if any.
    pub(crate) fn take(&self) -> Option<ptr::NonNull<J>> {
        let job = self.job.load(Ordering::Relaxed);
        if job.is_null() {
            return None;
        }
        self.job
            .compare_exchange(job, ptr::null_mut(), Ordering::Acquire, Ordering::Relaxed)
            .ok()
            .and_then(ptr::NonNull::new)
    }

    /// Takes back the owner's own `job`. Returns false if another thread has it.
    pub(crate) fn reclaim(&self, job: *const J) -> bool {
        self.job
            .compare_exchange(
                job.cast_mut(),
                ptr::null_mut(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .is_ok()
    }
}

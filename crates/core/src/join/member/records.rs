//! The job records of a member.
//!
//! Invariant *seated*: only the thread that sits on the member accesses the lists, or one that
//! stands in for it (protocol/remote.rs). They pass to the next thread with the seat, through the
//! pool's lock. A record is freed with its member, so with
//! the pool.

use super::Member;
use crate::join::job::Job;
use std::cell::RefCell;

/// The free ones, and all.
#[derive(Default)]
pub(crate) struct Records(RefCell<(Vec<*const Job>, Vec<*mut Job>)>);

impl Records {
    /// Returns a free record of `owner`, whose records these are.
    ///
    /// # Safety
    /// The caller is the seated thread.
    pub(crate) unsafe fn alloc(&self, owner: *const Member) -> &Job {
        let (free, all) = &mut *self.0.borrow_mut();
        let job = free.pop().unwrap_or_else(|| {
            // SAFETY: they are freed with their member.
            let job = Box::into_raw(Box::new(unsafe { Job::new(owner) }));
            all.push(job);
            job
        });
        // SAFETY: freed with its member.
        unsafe { &*job }
    }

    /// Returns a record to the list.
    ///
    /// # Safety
    /// The caller is the seated thread; the job is one of its own, and was not offered or has been
    /// reclaimed or finished.
    pub(crate) unsafe fn free(&self, job: &Job) {
        self.0.borrow_mut().0.push(job);
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        for &job in &self.0.get_mut().1 {
            // SAFETY: boxed by `alloc`; the member is being dropped, so no thread uses the pool
            // any more.
            drop(unsafe { Box::from_raw(job) });
        }
    }
}

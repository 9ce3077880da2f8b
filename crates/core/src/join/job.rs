//! Job records: a promoted frame, or a part of a loop, as thieves see it.
//!
//! Records belong to a member, are reused, and are freed only with the pool; so a late thief, or a
//! waiter that checks the origin of a job, never accesses freed memory.
//!
//! The life of a record is in protocol/record.rs; its owner is the thread of the frame. In step 2
//! the owner fills in `carried` and the fields `work`, `execute` and `run`; in step 3 the taker
//! takes `carried` and names itself in `lineage`, before it runs the work; in step 4 the owner
//! takes the rest of `carried`.
//!
//! The fields do not change between 2 and 4. If a thread holds an unfinished job, all jobs above it
//! are unfinished too: the run that published it cannot end before it (invariant **frozen**), nor
//! can the job of that run, and so on up to the root.

use super::{frame::Execute, lineage::Lineage, member::Member, run::JobRun};
use crate::{
    carry::Carried,
    protocol::record::{Ended, Record},
};
use std::{any::Any, cell::Cell, ptr};

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

#[cfg_attr(explore, repr(align(128)))] // simulate.rs, *apart*
pub(crate) struct Job {
    /// The member whose thread owns the work. Never changes.
    owner: *const Member,
    /// The lineage of its descendants, and the member that took it.
    pub(crate) lineage: Lineage,
    pub(crate) record: Record<Fields, Payload>,
    /// The context carried with the work: the taker's in step 3, else the owner's.
    carried: Cell<Carried>,
    /// The slot of its owner in which the job was offered. Owner only.
    pub(crate) slot: Cell<usize>,
    /// When it was offered, on the pool's clock, if the leader napped; else 0. Owner only.
    pub(crate) offered_at: Cell<u64>,
}

#[derive(Clone, Copy)]
pub(crate) struct Fields {
    work: *mut (),
    execute: Execute,
    run: *const JobRun,
}

// SAFETY: who may touch what when is the life of a record (protocol/record.rs); each step hands
// over through an atomic.
unsafe impl Sync for Job {}
// SAFETY: as for `Sync`.
unsafe impl Send for Job {}

/// # Safety
/// None: it only panics.
unsafe fn no_work(_: *mut (), _: &mut crate::Scope<'_>) {
    unreachable!("a job record was run before it was filled in");
}

impl Job {
    /// # Safety
    /// The record is not used after the end of its owner.
    pub(crate) unsafe fn new(owner: *const Member) -> Self {
        let fields = Fields {
            work: ptr::null_mut(),
            execute: no_work,
            run: ptr::null(),
        };
        Job {
            owner,
            lineage: Lineage::new(),
            record: Record::new(fields),
            carried: Cell::new(Carried::NOTHING),
            slot: Cell::new(usize::MAX),
            offered_at: Cell::new(0),
        }
    }

    pub(crate) fn owner(&self) -> &Member {
        // SAFETY: the record is freed with its member (records.rs).
        unsafe { &*self.owner }
    }

    /// Step 2, before the publication.
    ///
    /// # Safety
    /// The caller is the owner and the record is free.
    pub(crate) unsafe fn fill(
        &self,
        work: *mut (),
        execute: Execute,
        run: *const JobRun,
        carried: Carried,
    ) {
        self.lineage.taker.clear();
        let fields = Fields { work, execute, run };
        // SAFETY: by the caller's contract.
        unsafe { self.record.fill(fields) };
        // What was there is nothing (step 4), so no user code runs.
        self.carried.set(carried);
    }

    fn fields(&self) -> Fields {
        // SAFETY: callers hold the job or something below it (*frozen*).
        unsafe { self.record.fields() }
    }

    /// Returns the run whose work this is; null if no stolen job is above it.
    ///
    /// # Safety
    /// The caller has taken this job or an unfinished descendant of it.
    pub(crate) unsafe fn run(&self) -> *const JobRun {
        self.fields().run
    }

    /// Returns whether the job descends from `ancestor`.
    ///
    /// # Safety
    /// The caller has taken this job and not finished it (so that all above it is *frozen*).
    pub(crate) unsafe fn descends_from(&self, ancestor: *const Lineage) -> bool {
        // SAFETY: the run that published the job cannot have ended (*frozen*).
        unsafe { JobRun::is_inside(self.fields().run, ancestor) }
    }

    /// Step 3: runs the work.
    ///
    /// # Safety
    /// The caller took the job from its slot and calls this once.
    pub(crate) unsafe fn execute(&self, scope: &mut crate::Scope<'_>) {
        let Fields { work, execute, .. } = self.fields();
        // SAFETY: the work lives until the latch is set (*outlives*), `execute` was made for it
        // (`fill`), and the thread that takes the job has it (*one half*).
        unsafe { execute(work, scope) };
    }

    /// Steps 3 and 4: takes the context carried with the work.
    ///
    /// # Safety
    /// The caller has taken the job and not finished it, or is the owner and has reclaimed it.
    pub(crate) unsafe fn take_carried(&self) -> Carried {
        self.carried.replace(Carried::NOTHING)
    }

    /// Sets the latch and wakes the owner if it sleeps. The caller must not touch the job
    /// afterwards.
    pub(crate) fn finish(&self, how: Ended) {
        self.record.finish(how, &self.owner().parker);
    }
}

//! Job records: a promoted frame, or a part of a loop, as thieves see it.
//!
//! Records belong to a member, are reused, and are freed only with the pool; so a late thief, or a
//! waiter that looks at where a job comes from, never touches memory that has gone.
//!
//! Life of a record (owner = the thread of the frame, taker = the thread that got it out of the
//! slot):
//! 1. *free*: only the owner touches it;
//! 2. the owner fills in `work`, `execute`, `run`, `level` and `carried` and publishes it in a slot
//!    (release);
//! 3. the taker (acquire) reads those, takes `carried`, says in `lineage` who it is, runs the work,
//!    writes `panic`, sets the latch (release); its last access is the latch;
//! 4. the owner, having reclaimed the slot or seen the latch set (acquire), reads `panic`, takes
//!    what is left of `carried` and frees the record.
//!
//! `work`, `execute`, `run` and `level` do not change between 2 and 4. A thread that holds a job
//! that has not been finished knows that everything above it is in that state too: the run that
//! published it cannot end before it (invariant **frozen**), nor can the job of that run, and so on
//! up to the root.

use super::{frame::Execute, lineage::Lineage, member::Member, run::JobRun};
use crate::{
    carry::Carried,
    protocol::latch::{Latch, LatchState},
};
use std::{
    any::Any,
    cell::{Cell, UnsafeCell},
    mem, ptr,
};

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

pub(crate) struct Job {
    /// The member whose thread owns the work. Never changes.
    pub(crate) owner: *const Member,
    pub(crate) latch: Latch,
    /// What descends from the job, and which member took it.
    pub(crate) lineage: Lineage,
    fields: UnsafeCell<Fields>,
    panic: UnsafeCell<Option<Payload>>,
    /// What goes with the work: the taker's in step 3, else the owner's.
    carried: UnsafeCell<Carried>,
    /// Which slot of its owner the job was offered in. Owner only.
    pub(crate) slot: Cell<usize>,
    /// When it was offered, on the pool's clock, if the leader napped; else 0. Owner only.
    pub(crate) offered_at: Cell<u64>,
}

#[derive(Clone, Copy)]
struct Fields {
    work: *mut (),
    execute: Execute,
    run: *const JobRun,
    level: u32,
}

// SAFETY: who may touch what when is the life of a record, above; each step hands over through an
// atomic.
unsafe impl Sync for Job {}
// SAFETY: as for `Sync`.
unsafe impl Send for Job {}

/// # Safety
/// None: it only panics.
unsafe fn no_work(_: *mut (), _: &mut crate::Scope<'_>) {
    unreachable!("a job record was run before it was filled in");
}

impl Job {
    pub(crate) fn new(owner: *const Member) -> Self {
        let fields = Fields {
            work: ptr::null_mut(),
            execute: no_work,
            run: ptr::null(),
            level: 0,
        };
        Job {
            owner,
            latch: Latch::new(),
            lineage: Lineage::new(),
            fields: UnsafeCell::new(fields),
            panic: UnsafeCell::new(None),
            carried: UnsafeCell::new(Carried::NOTHING),
            slot: Cell::new(usize::MAX),
            offered_at: Cell::new(0),
        }
    }

    /// Step 2, before the publication.
    ///
    /// # Safety
    /// The caller is the owner and the record is free.
    pub(crate) unsafe fn fill(
        &self,
        work: *mut (),
        execute: Execute,
        (run, level): (*const JobRun, u32),
        carried: Carried,
    ) {
        self.latch.reset();
        self.lineage.taker.clear();
        let fields = Fields {
            work,
            execute,
            run,
            level,
        };
        // SAFETY: the record is free, no other thread touches it (step 1).
        unsafe { *self.fields.get() = fields };
        // SAFETY: as above. What was there is nothing (step 4), so no user code runs.
        unsafe { *self.carried.get() = carried };
    }

    fn fields(&self) -> Fields {
        // SAFETY: between steps 2 and 4 no thread writes them; callers hold the job or something
        // below it (*frozen*).
        unsafe { *self.fields.get() }
    }

    /// The run whose work this is; null if no stolen job is above it.
    ///
    /// # Safety
    /// The caller has taken this job or an unfinished descendant of it.
    pub(crate) unsafe fn run(&self) -> *const JobRun {
        self.fields().run
    }

    /// Whether the job descends from `ancestor`.
    ///
    /// # Safety
    /// The caller has taken this job and not finished it (so that all above it is *frozen*).
    pub(crate) unsafe fn descends_from(&self, ancestor: *const Lineage) -> bool {
        // SAFETY: the run that published the job cannot have ended (*frozen*).
        unsafe { JobRun::is_inside(self.fields().run, ancestor) }
    }

    /// How many stolen jobs deep its owner was when it offered the job.
    ///
    /// # Safety
    /// The caller has taken this job.
    pub(crate) unsafe fn level(&self) -> u32 {
        self.fields().level
    }

    /// Step 3: runs the work.
    ///
    /// # Safety
    /// The caller took the job out of its slot and calls this once.
    pub(crate) unsafe fn execute(&self, scope: &mut crate::Scope<'_>) {
        let Fields { work, execute, .. } = self.fields();
        // SAFETY: the work lives until the latch is set (*outlives*), `execute` was made for it
        // (`fill`), and the thread that takes the job has it (*one half*).
        unsafe { execute(work, scope) };
    }

    /// Steps 3 and 4: takes what goes with the work.
    ///
    /// # Safety
    /// The caller has taken the job and not finished it, or is the owner and has got it back.
    pub(crate) unsafe fn take_carried(&self) -> Carried {
        // SAFETY: no other thread touches it in that step.
        let carried = unsafe { &mut *self.carried.get() };
        mem::replace(carried, Carried::NOTHING)
    }

    /// Step 3: keeps the panic for the owner.
    ///
    /// # Safety
    /// The caller took the job and has not set the latch.
    pub(crate) unsafe fn set_panic(&self, payload: Option<Payload>) {
        // SAFETY: only the taker touches it in step 3.
        unsafe { *self.panic.get() = payload };
    }

    /// Step 4: the panic of the job, if it had one.
    ///
    /// # Safety
    /// The caller is the owner and has seen the latch set.
    pub(crate) unsafe fn take_panic(&self) -> Option<Payload> {
        debug_assert!(self.latch.state().is_set());
        // SAFETY: the taker is done with the record (step 4).
        unsafe { (*self.panic.get()).take() }
    }

    /// Sets the latch and wakes the owner if it sleeps. The caller must not touch the job
    /// afterwards.
    pub(crate) fn finish(&self, state: LatchState) {
        // SAFETY: members are freed with their pool only, and all that take jobs are its
        // members.
        let owner = unsafe { &*self.owner };
        if self.latch.set(state) {
            owner.parker.unpark();
        }
    }
}

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
//! The fields do not change between 2 and 4, also where a declined job is offered again. If a
//! thread holds an unfinished job, all jobs above it are unfinished too: the run that published it
//! cannot end before it (invariant **frozen**), nor can the job of that run, and so on up to the
//! root.

use super::{frame::Execute, member::Member, run::JobRun, scope::Scope};
use crate::{
    carry::Carried,
    protocol::{
        hint::Hint,
        record::{Ended, Record},
        slot::Slot,
    },
};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    ops::Deref,
    ptr,
};

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// The origin of jobs (a job, a task, a scope of tasks, the work of a helper group's leader): the
/// member that runs it, and how many stolen jobs deep, for waiters that help. It does not move
/// until nothing descends from it any more, so its address identifies it (invariant *one address*,
/// `JobRun::is_inside`).
pub(crate) type Lineage = Hint<Member>;

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
unsafe fn no_work(_: *mut (), _: &mut Scope<'_>) {
    unreachable!("a job record was run before it was filled in");
}

impl Job {
    /// # Safety
    /// The record is not used after the end of its owner.
    unsafe fn new(owner: *const Member) -> Self {
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
        // SAFETY: the record is freed with its member (*seated*).
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
        self.lineage.clear();
        let fields = Fields { work, execute, run };
        // SAFETY: by the caller's contract.
        unsafe { self.record.fill(fields) };
        // What was there is nothing (step 4), so no user code runs.
        self.carried.set(carried);
    }

    /// Returns whether a thread has taken the job and given it back.
    pub(crate) fn is_declined(&self) -> bool {
        self.record.outcome() == Some(Ended::Declined)
    }

    /// Step 2 again, before another publication of the same work.
    ///
    /// # Safety
    /// The job is declined, and the caller is the owner, or stands in for it.
    pub(crate) unsafe fn reopen(&self) {
        self.lineage.clear();
        // SAFETY: the caller's.
        unsafe { self.record.reopen() };
    }

    /// Step 4: takes the context carried with the work.
    ///
    /// # Safety
    /// The caller is the owner, and has reclaimed the job, or seen its latch.
    pub(crate) unsafe fn take_carried(&self) -> Carried {
        self.carried.replace(Carried::NOTHING)
    }
}

/// The records of a member: the free ones, and all.
///
/// Invariant *seated*: only the thread that sits on the member accesses the lists, or one that
/// stands in for it (protocol/remote.rs). They pass to the next thread with the seat, through the
/// pool's lock. A record is freed with its member, so with the pool.
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

/// A job that the calling thread has taken out of its slot, and neither run nor declined.
///
/// The only one, so nothing else gets at the job's work, its panic and its latch until this is used
/// up, and all jobs above it are *frozen*.
#[must_use]
pub(crate) struct Taken<'p>(&'p Job);

impl Deref for Taken<'_> {
    type Target = Job;

    fn deref(&self) -> &Job {
        self.0
    }
}

impl<'p> Taken<'p> {
    /// Takes the job that is offered in this slot, if any.
    pub(crate) fn from(slot: &'p Slot<Job>) -> Option<Self> {
        let job = slot.take()?;
        // SAFETY: records live as long as the pool, and so does the member whose slot it is.
        Some(Taken(unsafe { job.as_ref() }))
    }

    fn fields(&self) -> Fields {
        // SAFETY: published, and not finished.
        unsafe { self.record.fields() }
    }

    /// Returns the run whose work this is; null if no stolen job is above it.
    pub(crate) fn run(&self) -> *const JobRun {
        self.fields().run
    }

    /// Returns whether the job descends from `ancestor`.
    pub(crate) fn descends_from(&self, ancestor: *const Lineage) -> bool {
        // SAFETY: the run that published the job cannot have ended (*frozen*).
        unsafe { JobRun::is_inside(self.run(), ancestor) }
    }

    /// Step 3: takes the context carried with the work.
    pub(crate) fn carried(&self) -> Carried {
        self.carried.replace(Carried::NOTHING)
    }

    /// Runs the work.
    ///
    /// # Safety
    /// The caller does so once.
    pub(crate) unsafe fn execute(&self, scope: &mut Scope<'_>) {
        let Fields { work, execute, .. } = self.fields();
        // SAFETY: the work lives until the latch is set (*outlives*), `execute` was made for it
        // (`fill`), and the thread that takes the job has it (*one half*).
        unsafe { execute(work, scope) };
    }

    /// Returns the result to the owner, or the panic.
    ///
    /// # Safety
    /// The work has run, or has panicked with this.
    pub(crate) unsafe fn finish(self, panic: Option<Payload>) {
        // SAFETY: taken, and the latch is not set yet.
        unsafe { self.record.set_panic(panic) };
        self.end(Ended::Done);
    }

    /// Returns the work to the owner, which runs it.
    pub(crate) fn decline(self) {
        self.end(Ended::Declined);
    }

    /// Sets the latch and wakes the owner if it sleeps. The job is not touched afterwards.
    fn end(self, how: Ended) {
        self.record.finish(how, &self.owner().parker);
    }
}

//! Runs, and which of them waits for which.
//!
//! A *run* is the execution of a stolen job, or of a task. That of a job lies inside the run that
//! published the job; that of a task inside the run that waits for the task, if one does. So what
//! is above a run is written before the run begins, but for one word of a task: it is written when
//! a thread begins to wait. Three things are decided on the way up:
//!
//! * **Descent.** A waiter runs only what descends from what it waits for (join/wait.rs).
//! * **Frozen.** A run does not end before the jobs that it published, nor before the task that it
//!   waits for. So the way up from an unfinished job is there while a thread goes it.
//! * **No circle.** A thread that is about to wait for a task looks whether the task waits for it,
//!   and says that it waits, in one critical section of the whole process. Of those that would
//!   close a circle, the last finds it. So each way up ends.

use super::primitive::{AtomicPtr, Ordering, ProcessLock};
use crate::fault::{Fault, planted};
use std::ptr;

/// The execution of a stolen job, or of a task, of the lineage `L`.
pub(crate) struct Run<L> {
    lineage: *const L,
    above: Above<L>,
    #[cfg(loom)]
    alive: loom::cell::UnsafeCell<()>,
}

/// What a run descends from.
enum Above<L> {
    /// Of a job: the run that published it; null if that lay outside of all.
    Publisher(*const Run<L>),
    /// Of a task: where it is said which run waits for it.
    Waiter(*const AtomicPtr<Run<L>>),
}

impl<L> Run<L> {
    /// That of a job, which `publisher` published; null if it lay outside of all.
    pub(crate) fn of_job(lineage: *const L, publisher: *const Run<L>) -> Self {
        Run::new(lineage, Above::Publisher(publisher))
    }

    /// That of a task. It is said in `awaited_by` which run waits for it.
    pub(crate) fn of_task(lineage: *const L, awaited_by: *const AtomicPtr<Run<L>>) -> Self {
        Run::new(lineage, Above::Waiter(awaited_by))
    }

    fn new(lineage: *const L, above: Above<L>) -> Self {
        Run {
            lineage,
            above,
            #[cfg(loom)]
            alive: loom::cell::UnsafeCell::new(()),
        }
    }

    /// Ends a run whose memory the model keeps: loom notices a thread that comes too late.
    #[cfg(loom)]
    pub(crate) fn retire(&self) {
        self.alive.with_mut(|_| ());
    }

    /// Says in `awaited_by` that `waiter` waits for the task of the lineage `task`. False if
    /// `waiter` is that of the task or lies inside it: then nothing is said.
    ///
    /// All do this one after the other (*no circle*).
    ///
    /// # Safety
    /// `waiter` is null or cannot end before this returns, nor, if it is to wait, before the task
    /// is done. `awaited_by` is that of the runs of `task`.
    pub(crate) unsafe fn await_task(
        waiter: *const Self,
        task: *const L,
        awaited_by: &AtomicPtr<Self>,
    ) -> bool {
        static ONE_AT_A_TIME: ProcessLock = ProcessLock::new(());
        let _guard = (!planted(Fault::LookThenWait)).then(|| ONE_AT_A_TIME.lock());
        // SAFETY: the caller's. No user code runs here.
        let for_itself = unsafe { Run::is_inside(waiter, task) };
        if !for_itself {
            awaited_by.store(waiter.cast_mut(), Ordering::Release);
        }
        !for_itself
    }

    /// Whether `run` is that of `ancestor`, or lies inside it.
    ///
    /// # Safety
    /// `run` is null or cannot end before this returns.
    pub(crate) unsafe fn is_inside(mut run: *const Self, ancestor: *const L) -> bool {
        while !run.is_null() {
            // SAFETY: the run, or one above it, cannot have ended (*frozen*).
            let here = unsafe { &*run };
            #[cfg(loom)]
            here.alive.with(|_| ());
            if ptr::eq(here.lineage, ancestor) {
                return true;
            }
            run = match here.above {
                // It cannot end before the job that it published (*frozen*).
                Above::Publisher(run) => run,
                // Nor the run that waits for a task before that. SAFETY: part of a task that cannot
                // have ended.
                Above::Waiter(awaited_by) => unsafe { &*awaited_by }.load(Ordering::Acquire),
            };
        }
        false
    }
}

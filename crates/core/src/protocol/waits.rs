//! Runs, and which run waits for which.
//!
//! A *run* is the execution of a stolen job, or of a task. The run of a job is inside the run that
//! published the job; the run of a task is inside the run that waits for the task, if there is one.
//! So the path up from a run is written before the run starts, except one word of a task, which is
//! written when a thread starts to wait. Three decisions follow the path up:
//!
//! * **Descent.** A waiter runs only work that descends from the run it waits for (join/wait.rs).
//! * **Frozen.** A run does not end before the jobs that it published, nor before the task that it
//!   waits for. So the path up from an unfinished job is valid while a thread follows it.
//! * **No circle.** A thread that is about to wait for a task checks whether the task waits for it,
//!   and announces that it waits, in one critical section of the whole process. Of the threads that
//!   would close a cycle, the last finds it. So each path up ends.

use super::primitive::{AtomicPtr, Ordering, ProcessLock, UnsafeCell};
use std::ptr;

/// The execution of a stolen job, or of a task, of the lineage `L`.
pub(crate) struct JobRun<L> {
    lineage: *const L,
    above: Above<L>,
    /// Loom detects a thread that comes too late.
    alive: UnsafeCell<()>,
}

/// The origin of a run.
enum Above<L> {
    /// Of a job: the run that published it; null if it was published outside of all runs.
    Publisher(*const JobRun<L>),
    /// Of a task: the word that names the run that waits for it.
    Waiter(*const AtomicPtr<JobRun<L>>),
}

impl<L> JobRun<L> {
    /// Creates the run of a job that `publisher` published; null if outside of all runs.
    pub(crate) fn of_job(lineage: *const L, publisher: *const JobRun<L>) -> Self {
        JobRun::new(lineage, Above::Publisher(publisher))
    }

    /// Creates the run of a task. `awaited_by` names the run that waits for it.
    pub(crate) fn of_task(lineage: *const L, awaited_by: *const AtomicPtr<JobRun<L>>) -> Self {
        JobRun::new(lineage, Above::Waiter(awaited_by))
    }

    fn new(lineage: *const L, above: Above<L>) -> Self {
        JobRun {
            lineage,
            above,
            alive: UnsafeCell::new(()),
        }
    }

    /// Ends a run whose memory the model keeps.
    #[cfg(loom)]
    pub(crate) fn retire(&self) {
        self.alive.with_mut(|_| ());
    }

    /// Records in `awaited_by` that `waiter` waits for the task of the lineage `task`. Returns
    /// false, and records nothing, if `waiter` is the task's run or inside it.
    ///
    /// Threads do this one after the other (*no circle*).
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
        let _guard = ONE_AT_A_TIME.lock();
        // SAFETY: the caller's. No user code runs here.
        let for_itself = unsafe { JobRun::is_inside(waiter, task) };
        if !for_itself {
            awaited_by.store(waiter.cast_mut(), Ordering::Release);
        }
        !for_itself
    }

    /// Returns whether `run` is that of `ancestor`, or is inside it.
    ///
    /// # Safety
    /// `run` is null or cannot end before this returns.
    pub(crate) unsafe fn is_inside(mut run: *const Self, ancestor: *const L) -> bool {
        while !run.is_null() {
            // SAFETY: the run, or one above it, cannot have ended (*frozen*).
            let here = unsafe { &*run };
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

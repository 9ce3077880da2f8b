//! A task: a closure to be run by an idle worker, or by whoever waits for it, and then its outcome. One allocation, shared
//! by the queue and the promise.
//!
//! `body` belongs to whoever claimed the task, from then until it says that the task is done; before that to nobody, after
//! that to the promise, or to the finisher if the promise has gone (stage.rs, *one claim*, *one owner of the outcome*).
//!
//! A waiter that finds the task unclaimed runs it as a plain call in its own frames. Else it helps with jobs that
//! descend from the task's `job`, which nobody offers: it only names the task. `awaited_by` is the run that waits;
//! through it the task's jobs descend from whatever waits for the task, too. It is read by those who hold an unfinished
//! descendant of the task, so not after the waiter has left.

use super::{
    completion::{Bell, Completion},
    outcome::{JoinError, Outcome, Source, dispose},
    queue::Queued,
    seat::{self, Home},
};
use crate::{
    job::Job,
    member::Member,
    run::{self, Outside, Run},
    thread::{self, Thread},
    unwind::swallow,
    wait::{self, Awaited},
};
use std::{
    cell::{OnceCell, UnsafeCell},
    mem,
    panic::{self, AssertUnwindSafe},
    ptr::{self, NonNull},
    sync::{
        Arc,
        atomic::{AtomicPtr, Ordering},
    },
    task::Waker,
    time::Duration,
};

pub(crate) struct Task<F, T> {
    completion: Completion,
    job: Job,
    awaited_by: AtomicPtr<Run>,
    pool: Home,
    body: UnsafeCell<Body<F, T>>,
}

enum Body<F, T> {
    Closure(F),
    Outcome(Outcome<T>),
    Nothing,
}

// SAFETY: `body` has one owner at a time (above), so it only moves between threads; all else is shared safely.
unsafe impl<F: Send, T: Send> Sync for Task<F, T> {}
// SAFETY: as for `Sync`; `awaited_by` is only an address here.
unsafe impl<F: Send, T: Send> Send for Task<F, T> {}

impl<F, T> Task<F, T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    pub(crate) fn new(pool: Home, closure: F) -> Arc<Self> {
        Arc::new(Task {
            completion: Completion::new(),
            job: Job::new(ptr::null()),
            awaited_by: AtomicPtr::new(ptr::null_mut()),
            pool,
            body: UnsafeCell::new(Body::Closure(closure)),
        })
    }

    /// # Safety
    /// The body is the caller's.
    unsafe fn replace_body(&self, body: Body<F, T>) -> Body<F, T> {
        // SAFETY: the caller's, so nobody else touches it.
        mem::replace(unsafe { &mut *self.body.get() }, body)
    }

    /// Runs the closure; the task has to be finished then.
    ///
    /// # Safety
    /// The caller has claimed the task, and calls nothing of the kind a second time.
    unsafe fn run_claimed(&self) {
        // SAFETY: claimed.
        let Body::Closure(closure) = (unsafe { self.replace_body(Body::Nothing) }) else {
            unreachable!("a task is claimed once");
        };
        let result = panic::catch_unwind(AssertUnwindSafe(closure));
        let outcome = Body::Outcome(result.map_err(JoinError::panicked));
        // SAFETY: claimed, not yet done.
        unsafe { self.replace_body(outcome) };
    }

    fn finish(&self) {
        if self.completion.finish() {
            // SAFETY: detached before it was done: the outcome is ours.
            if let Some(outcome) = unsafe { self.take() } {
                self.dispose(outcome);
            }
        }
    }

    /// Drops the closure if nobody has claimed it.
    fn drop_unrun(&self) -> bool {
        if !self.completion.stage.claim() {
            return false;
        }
        // SAFETY: claimed.
        let closure = unsafe { self.replace_body(Body::Outcome(Err(JoinError::cancelled()))) };
        swallow(|| drop(closure));
        self.finish();
        true
    }

    /// Waits for the thread that has claimed the task.
    ///
    /// # Panics
    /// If that one waits for the calling thread: the task, or what it waits for, joins the task's own promise.
    fn wait(&self) {
        let run = thread::with(|thread| thread.run().0).unwrap_or(ptr::null());
        // SAFETY: the innermost run does not end while it calls us.
        let for_itself = unsafe { Run::is_inside(run, &raw const self.job) };
        assert!(!for_itself, "a task waits for itself");
        let waiting = Waiting {
            completion: &self.completion,
            job: &self.job,
            bell: OnceCell::new(),
        };
        let helped = seat::at(&self.pool, |thread, me, _| {
            self.awaited_by
                .store(thread.run().0.cast_mut(), Ordering::Release);
            wait::until(thread, me, &waiting, !std::thread::panicking());
        });
        if helped.is_none() {
            waiting.sleep_until_done();
        }
    }
}

impl<F, T> Queued for Task<F, T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    fn run(self: Arc<Self>, thread: &Thread, me: &Member) {
        if !self.completion.stage.claim() {
            return;
        }
        let run = |level| {
            self.job.set_taker(me, level);
            // SAFETY: just claimed.
            unsafe { self.run_claimed() };
            // Inside the run, so that a value which is dropped here may own the pool.
            self.finish();
        };
        // SAFETY: the task stays, since we hold it; whoever waits for it does so until it is done, and if somebody has, then
        // nothing is forked any more: there is no value to be dropped, and the waker is a bell.
        unsafe {
            run::task(
                thread,
                me,
                &self.job,
                &self.awaited_by,
                Outside::Promoted,
                run,
            )
        };
    }

    fn cancel(&self) {
        self.drop_unrun();
    }
}

impl<F, T> Source<T> for Task<F, T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    fn completion(&self) -> &Completion {
        &self.completion
    }

    fn settle(&self) {
        let stage = &self.completion.stage;
        if stage.is_done() {
            return;
        }
        if stage.claim() {
            seat::inside(&self.pool, |me| {
                if let Some(me) = me {
                    me.tasks.remove(ptr::from_ref(self).cast());
                }
                // SAFETY: just claimed.
                unsafe { self.run_claimed() };
            });
            self.completion.finish_for_oneself();
        } else {
            self.wait();
        }
    }

    fn cancel(&self) -> bool {
        self.drop_unrun()
    }

    unsafe fn take(&self) -> Option<Outcome<T>> {
        // SAFETY: the caller's.
        match unsafe { self.replace_body(Body::Nothing) } {
            Body::Outcome(outcome) => Some(outcome),
            _ => None,
        }
    }

    fn dispose(&self, outcome: Outcome<T>) {
        dispose(&self.pool, outcome);
    }
}

/// A thread that waits for a task.
struct Waiting<'t> {
    completion: &'t Completion,
    job: &'t Job,
    bell: OnceCell<Arc<Bell>>,
}

impl Waiting<'_> {
    fn sleep(&self, nap: Option<Duration>) {
        let bell = self.bell.get_or_init(Bell::new);
        if self.completion.leave_waker(&Waker::from(Arc::clone(bell))) {
            bell.0.park(nap);
        }
    }

    fn sleep_until_done(&self) {
        while !self.completion.stage.is_done() {
            self.sleep(None);
        }
    }
}

impl Awaited for Waiting<'_> {
    type Outcome = ();

    /// A task is waited for in the middle of a join's half.
    const ALL_PROMOTED: bool = false;

    fn job(&self) -> &Job {
        self.job
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        self.job.taker().filter(|_| nth == 0)
    }

    fn outcome(&self) -> Option<()> {
        self.completion.stage.is_done().then_some(())
    }

    fn sleep(&self, me: &Member, nap: Duration) {
        me.counters.parks.add_one();
        Waiting::sleep(self, Some(nap));
    }
}

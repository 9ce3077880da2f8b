//! A task: a closure that an idle worker or the thread that waits for it runs, and then its
//! outcome. One allocation, shared by the queue and the promise.
//!
//! Some tasks have no closure: their resolver (resolver.rs) has claimed them from the beginning,
//! and writes the outcome. Of these, an activity runs in steps, which waiting threads take, too.
//!
//! Closure and outcome belong to the thread that claimed the task, from then until it sets the task
//! to done; before that to no thread, after that to the promise, or to the finisher if the promise
//! was dropped (stage.rs, *one claim*, *one owner of the outcome*). The outcome of a call (call.rs)
//! belongs to its caller then.
//!
//! A waiter that finds the task unclaimed runs it as a plain call in its own frames. Otherwise it
//! helps with jobs that descend from the task, by its `lineage`. `awaited_by` is the run that
//! waits; through it the task's jobs also descend from the run that waits for the task.
//!
//! * **A caller or joiner outside of the pool** waits for a thread of the pool to claim the task.
//!   If the pool has no threads any more, since it is smaller or the system refuses them, it is
//!   woken (pool/resizing.rs) and runs the task, like a thread of the pool: it takes it out of the
//!   queue first. So what other threads see there stays valid (`is_part_of`).
//! * **A waiter stays** from when it writes `awaited_by` until the task is done: `Task::wait` does
//!   not unwind. Threads that read `awaited_by` are inside the task, or hold an unfinished
//!   descendant of it.
//! * **Alone at the end.** A task is done before its run ends, and user code may run in between: a
//!   waker that a poll has left, or the destructor of a value whose promise was dropped. That code
//!   may follow `awaited_by`, so it stays null in such a run. Only `join` writes it, which consumes
//!   the promise, and only after it has taken out the waker that a poll may have left, and then
//!   found the task not done. If the end of the task took that waker first, the task was done
//!   before, and `join`, which finds the lock free afterwards, sees that. So in a run that is
//!   awaited only an unpark follows the end, and none of the waiter's jobs is a part of a waker's
//!   work.
//! * **A call** has no promise: its caller waits from the beginning, so `awaited_by` is written
//!   before it is queued. No user's waker is ever left, and it is never detached: no user code
//!   follows its end. The caller's run may end then, before the run of the call; no thread follows
//!   `awaited_by` any more, since all that the closure waited for or published has ended.
//! * **No circle** of waits: `JobRun::await_task` finds a cycle before it is closed.

use super::{
    Activity,
    awaited::AwaitedTask,
    find::{self, run_if_refused},
    outcome::{Cause, JoinError, Outcome, report},
};
use crate::{
    carry::Snapshot,
    hooks,
    join::{
        lineage::Lineage,
        member::{Member, site::Line},
        run::{self, JobRun, Outside},
        thread::Thread,
    },
    pool::{queue::Queued, queues::WeakPool, seat, shared::Shared},
    protocol::{
        completion::Completion,
        primitive::{AtomicPtr, Ordering, yield_now},
    },
    unwind::{abort_on_panic, discard, swallow},
};
use std::{
    cell::UnsafeCell,
    mem,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::Arc,
};

pub(crate) struct Task<T, W: ?Sized = dyn Work<T>> {
    pub(super) head: Header,
    outcome: Owned<Outcome<T>>,
    work: W,
}

/// What does not depend on the types of closure and value.
pub(super) struct Header {
    pub(super) completion: Completion,
    pub(super) lineage: Lineage,
    awaited_by: AtomicPtr<JobRun>,
    /// None if a resolver that belongs to no pool resolves it.
    pub(super) pool: Option<WeakPool>,
    /// The line of the program that has made it, if it is known.
    line: Option<Line>,
    /// What runs in steps, in place of a closure.
    pub(super) activity: Option<Arc<dyn Activity>>,
    /// The end of the task, for a thread that profiles.
    pub(super) ends: Option<hooks::Ends>,
}

/// A value that has one owner at a time (above).
pub(super) struct Owned<V>(UnsafeCell<Option<V>>);

// SAFETY: only its owner uses it, so it only moves between threads.
unsafe impl<V: Send> Sync for Owned<V> {}

impl<V> Owned<V> {
    pub(super) const fn new(value: Option<V>) -> Self {
        Owned(UnsafeCell::new(value))
    }

    /// # Safety
    /// It is the caller's.
    unsafe fn replace(&self, value: Option<V>) -> Option<V> {
        // SAFETY: the caller's, so no other thread touches it.
        mem::replace(unsafe { &mut *self.0.get() }, value)
    }
}

/// A task's closure, if it has one.
pub(crate) trait Work<T>: Send + Sync {
    /// Calls the closure.
    ///
    /// # Safety
    /// The caller has claimed the task, and calls this or `forget` once.
    unsafe fn call(&self) -> T;

    /// Drops the closure.
    ///
    /// # Safety
    /// As [`call`](Self::call).
    unsafe fn forget(&self);
}

impl<T, F: FnOnce() -> T + Send> Work<T> for Owned<F> {
    unsafe fn call(&self) -> T {
        // SAFETY: claimed.
        let closure = unsafe { self.replace(None) };
        closure.expect("a task is claimed once")()
    }

    unsafe fn forget(&self) {
        // SAFETY: claimed.
        drop(unsafe { self.replace(None) });
    }
}

impl Header {
    pub(super) fn new(pool: Option<WeakPool>, line: Option<Line>) -> Self {
        Header {
            completion: Completion::new(),
            lineage: Lineage::new(),
            awaited_by: AtomicPtr::new(ptr::null_mut()),
            pool,
            line,
            activity: None,
            ends: None,
        }
    }

    /// That of a call: with the run of its caller, which `polls` for the end or not.
    pub(super) fn of_call(
        pool: WeakPool,
        line: Option<Line>,
        by: *const JobRun,
        polls: bool,
    ) -> Self {
        Header {
            completion: Completion::of_call(polls),
            awaited_by: AtomicPtr::new(by.cast_mut()),
            ..Header::new(Some(pool), line)
        }
    }

    /// Returns the pool if the calling thread is outside of it.
    fn outside(&self) -> Option<Arc<Shared>> {
        seat::outside_of(self.pool.as_ref()?)
    }

    /// Records that the innermost run of the calling thread waits for the task.
    ///
    /// # Panics
    /// If the task waits for that run.
    fn announce_wait(&self) {
        // A caller has done so.
        let Some(thread) = Thread::current().filter(|_| !self.completion.stage.is_call()) else {
            return;
        };
        // SAFETY: the innermost run does not end while it calls us. If it is to wait, it does so
        // until the task is done, and runs no user code from here to there but what cannot make it
        // unwind (*a waiter stays*).
        let waits = unsafe {
            JobRun::await_task(thread.run().0, &raw const self.lineage, &self.awaited_by)
        };
        assert!(waits, "a task waits for itself");
    }

    /// Where no thread will join the task: if the system refuses the pool all of its threads, runs
    /// the queued tasks that no other thread will run.
    pub(super) fn run_if_refused(&self) {
        self.pool.iter().for_each(|pool| run_if_refused(pool));
    }
}

impl<T, W: Work<T>> Task<T, W> {
    pub(super) fn new(head: Header, work: W) -> Arc<Self> {
        Arc::new(Task {
            head,
            outcome: Owned::new(None),
            work,
        })
    }
}

impl<T, W: Work<T> + ?Sized> Task<T, W> {
    /// Runs the closure; the caller must finish the task afterwards.
    ///
    /// # Safety
    /// The caller has claimed the task, and runs the closure only once.
    unsafe fn run_claimed(&self) {
        // SAFETY: claimed.
        let result = panic::catch_unwind(AssertUnwindSafe(|| unsafe { self.work.call() }));
        // SAFETY: claimed, not yet done.
        unsafe {
            self.outcome
                .replace(Some(result.map_err(JoinError::panicked)))
        };
    }

    /// Runs the closure for the waiter, which has just claimed the task and must finish it
    /// afterwards.
    fn run_for_waiter(&self) {
        // SAFETY: claimed by our caller, which calls this once.
        let run = || unsafe { self.run_claimed() };
        let Some(pool) = &self.head.pool else {
            return run();
        };
        let is_current = seat::at(pool, (), |(), _, me, is_current| {
            me.queues.tasks.remove(ptr::from_ref(self).cast());
            is_current
        });
        // If there is nothing to enter, the task runs with as little stack below it as possible.
        if is_current == Ok(false) {
            seat::inside(pool, |_| run());
        } else {
            run();
        }
    }

    /// For a thread that owns the outcome: announces that it is there.
    fn finish(&self) {
        if self.head.completion.finish() {
            // SAFETY: detached before it was done: the outcome is ours.
            unsafe { self.dispose() };
        }
    }

    /// For the resolver: ends the task.
    ///
    /// # Safety
    /// The caller has claimed the task, and calls this once.
    pub(super) unsafe fn resolve(&self, outcome: Outcome<T>) {
        // SAFETY: the caller's.
        unsafe { self.outcome.replace(Some(outcome)) };
        self.finish();
    }

    /// Takes the outcome, if it has not been taken.
    ///
    /// # Safety
    /// It is there and the caller's.
    pub(super) unsafe fn take(&self) -> Option<Outcome<T>> {
        // SAFETY: the caller's.
        unsafe { self.outcome.replace(None) }
    }

    /// Drops the outcome, if it has not been taken. A panic goes to the handler of the task's pool,
    /// except while the thread is panicking itself and so has reported one.
    ///
    /// # Safety
    /// As [`take`](Self::take).
    pub(super) unsafe fn dispose(&self) {
        // SAFETY: the caller's.
        let Some(outcome) = (unsafe { self.take() }) else {
            return;
        };
        let value = outcome.map_err(JoinError::into_panic);
        let payload = match (value, &self.head.pool) {
            // It belongs to no pool: a panic in the value's destructor is the caller's own.
            (Ok(value), None) => return drop(value),
            (Ok(value), _) => panic::catch_unwind(AssertUnwindSafe(|| drop(value))).err(),
            (Err(error), _) => error.ok(),
        };
        match (payload, &self.head.pool) {
            (Some(payload), Some(pool)) if !std::thread::panicking() => report(pool, payload),
            (payload, _) => payload.into_iter().for_each(discard),
        }
    }

    /// Returns true if the task will have no value: drops its closure if no thread has claimed it.
    pub(super) fn cancel(&self) -> bool {
        match &self.head.activity {
            Some(activity) => activity.cancel(),
            None => self.drop_unrun(JoinError(Cause::Cancelled)),
        }
    }

    fn drop_unrun(&self, why: JoinError) -> bool {
        let claims = self.head.completion.stage.claim();
        if claims {
            Snapshot::NONE.around(|| {
                // SAFETY: just claimed.
                swallow(|| unsafe { self.work.forget() });
                // SAFETY: as above.
                unsafe { self.resolve(Err(why)) };
            });
        }
        claims
    }

    /// Returns when the outcome is there, and runs the task if no other thread does. Only the
    /// promise, or the caller, calls this, and then takes the outcome.
    pub(super) fn settle(&self) {
        let Header { completion, .. } = &self.head;
        // A caller that hands its work over waits for a worker.
        let may_run = || !completion.stage.is_call() && self.head.outside().is_none();
        completion.settle(may_run, || self.run_for_waiter(), || self.wait());
    }

    /// Waits for the thread that has claimed the task, or, outside of the pool, until one has. No
    /// user's waker is left.
    ///
    /// # Panics
    /// If that thread waits for the calling thread: the task, or a task that it waits for, joins
    /// the task's own promise.
    fn wait(&self) {
        let head = &self.head;
        let entry = match &head.activity {
            Some(activity) => Arc::as_ptr(activity).addr(),
            None => {
                head.announce_wait();
                ptr::from_ref(self).addr()
            }
        };
        abort_on_panic(|| {
            while !head.completion.stage.is_done() {
                let outside = head.outside();
                if outside.is_none() && !head.completion.stage.is_claimed() {
                    self.run_if_left();
                } else {
                    let outside = outside.as_deref().map(|pool| (pool, entry));
                    AwaitedTask::wait(head, outside);
                }
            }
        });
    }

    /// Runs the task for the waiter if its pool has no threads any more that would: as they do, it
    /// takes the task out of the queue first, since others may be looking at it there.
    fn run_if_left(&self) {
        let is_it = |task: &dyn Queued| ptr::addr_eq(task, self);
        let at = |pool: &WeakPool| {
            seat::at(pool, (), |(), thread, me, _| match find::take(me, is_it) {
                Some(task) => task.run(thread, me, Outside::MayGive),
                // The thread that has it is about to claim it.
                None => yield_now(),
            })
        };
        let is_there = self.head.pool.as_ref().is_some_and(|pool| at(pool).is_ok());
        // Then no run waits for it, or the queue is gone.
        if !is_there && self.head.completion.stage.claim() {
            self.run_for_waiter();
            self.finish();
        }
    }
}

impl<T: Send, F: FnOnce() -> T + Send> Queued for Task<T, Owned<F>> {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        let Header {
            completion,
            lineage,
            awaited_by,
            ..
        } = &self.head;
        if !completion.stage.claim() {
            return;
        }
        let _at = me.runs(self.head.line);
        let run = |level| {
            lineage.taker.set(me, level);
            Snapshot::NONE.around(|| {
                // SAFETY: just claimed.
                unsafe { self.run_claimed() };
                // Inside the run, since a waker or a value that is dropped here may own the pool.
                self.finish();
            });
        };
        // SAFETY: the task stays, since we hold it. Its waiter stays until it is done; after that,
        // user code runs in `finish` only where `awaited_by` is null (*alone at the end*, *a call*).
        unsafe { run::task(thread, me, lineage, awaited_by, outside, run) };
    }

    fn cancel(&self) {
        self.drop_unrun(JoinError(Cause::PoolEnded));
    }

    fn is_spent(&self) -> bool {
        self.head.completion.stage.is_claimed()
    }

    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        if !self.is_spent() {
            each(self.head.line, self.head.completion.stage.is_call());
        }
    }

    fn has_owner(&self) -> bool {
        self.head.completion.stage.may_be_joined()
    }

    fn caller_looks(&self) -> bool {
        self.head.completion.stage.is_polled() && !self.head.completion.has_waker()
    }

    fn is_part_of(&self, lineage: &Lineage) -> bool {
        let waiter = self.head.awaited_by.load(Ordering::Acquire);
        // SAFETY: null, or the run of a waiter, which stays until the task is done. That is not yet
        // claimed: a waiter has used the promise up, or is a caller, so only a thread that has
        // taken the entry out of the queue claims the task, and none does while the caller holds
        // the queue's lock.
        unsafe { JobRun::is_inside(waiter, lineage) }
    }
}

//! A task: a closure that an idle worker or the thread that waits for it runs, and then its
//! outcome. One allocation, shared by the queue and the promise.
//!
//! Its *body* is the closure and what is carried with it, then the outcome. It belongs to the
//! thread that claimed the task, from then until it sets the task to done; before that to no
//! thread, after that to the promise, or to the finisher if the promise was dropped (stage.rs, *one
//! claim*, *one owner of the outcome*). The body of a call (call.rs) belongs to its caller then.
//! Only [`Body`] knows the types. All else is the same code for all tasks (`Task<dyn Work>`), so
//! that a spawn compiles to little.
//!
//! A waiter that finds the task unclaimed runs it as a plain call in its own frames. Otherwise it
//! helps with jobs that descend from the task, by its `lineage`. `awaited_by` is the run that
//! waits; through it the task's jobs also descend from the run that waits for the task.
//!
//! * **A caller or joiner outside of the pool** waits for a thread of the pool to claim the task.
//!   If the pool has no threads any more, since it is smaller or the system refuses them, it is
//!   woken (pool/resizing.rs) and runs the task, like a thread of the pool: it takes it out of the
//!   queue first. So what other threads see there stays valid (`is_part_of`).
//! * **A waiter stays** from when it writes `awaited_by` until the task is done: `wait::until` does
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
    awaited::AwaitedCompletion,
    outcome::{JoinError, Outcome, Source, dispose},
};
use crate::{
    carry::{Carried, Snapshot},
    join::{
        job::Lineage,
        member::{Member, site::Line},
        run::{self, Context, JobRun, Outside},
        thread::Thread,
        wait,
    },
    pool::{find, queue::Queued, queues::WeakPool, seat, shared::Shared},
    protocol::{
        completion::Completion,
        primitive::{AtomicPtr, Ordering, yield_now},
    },
    unwind::swallow,
};
use std::{
    cell::UnsafeCell,
    mem,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::{Arc, Weak},
};

pub(crate) struct Task<W: ?Sized> {
    completion: Completion,
    lineage: Lineage,
    awaited_by: AtomicPtr<JobRun>,
    pool: WeakPool,
    /// The line of the program that has made it, if it is known.
    line: Option<Line>,
    work: W,
}

/// The closure of a task and what is carried with it, then its outcome. (What is carried lies where
/// the outcome will, since longer tasks take longer to free: for more than 120 bytes glibc's
/// allocator takes a lock.)
pub(crate) struct Body<F, T>(UnsafeCell<State<F, T>>);

enum State<F, T> {
    Closure(F, Carried),
    Outcome(Outcome<T>),
    Nothing,
}

/// What of a task depends on the types of its closure and its outcome.
pub(crate) trait Work {
    /// Takes what is carried with the closure.
    ///
    /// # Safety
    /// The body is the caller's.
    unsafe fn take_carried(&self) -> Carried;

    /// Runs the closure, and leaves its outcome in its place.
    ///
    /// # Safety
    /// The body is the caller's, which has claimed the task and calls this once.
    unsafe fn run(&self);

    /// Drops the closure and what is carried, and leaves an error in their place.
    ///
    /// # Safety
    /// The body is the caller's.
    unsafe fn fail(&self, why: JoinError);

    /// Drops the outcome, if it has not been taken, of a task of this pool.
    ///
    /// # Safety
    /// The body is the caller's.
    unsafe fn dispose(&self, pool: &Weak<Shared>);
}

// SAFETY: the body has one owner at a time (above), so it only moves between threads; all else is
// shared safely.
unsafe impl<W: Send> Sync for Task<W> {}
// SAFETY: as for `Sync`; `awaited_by` is only an address here.
unsafe impl<W: Send> Send for Task<W> {}

impl<F, T> Body<F, T> {
    /// # Safety
    /// The body is the caller's.
    unsafe fn replace(&self, state: State<F, T>) -> State<F, T> {
        // SAFETY: the caller's, so no other thread touches it.
        mem::replace(unsafe { &mut *self.0.get() }, state)
    }

    /// # Safety
    /// The body is the caller's.
    unsafe fn take_outcome(&self) -> Option<Outcome<T>> {
        // SAFETY: the caller's.
        match unsafe { self.replace(State::Nothing) } {
            State::Outcome(outcome) => Some(outcome),
            _ => None,
        }
    }
}

impl<F: FnOnce() -> T, T> Work for Body<F, T> {
    unsafe fn take_carried(&self) -> Carried {
        // SAFETY: the caller's.
        match unsafe { &mut *self.0.get() } {
            State::Closure(_, carried) => mem::replace(carried, Carried::NOTHING),
            _ => Carried::NOTHING,
        }
    }

    unsafe fn run(&self) {
        // SAFETY: the caller's.
        let State::Closure(closure, _) = (unsafe { self.replace(State::Nothing) }) else {
            unreachable!("a task is claimed once");
        };
        let result = panic::catch_unwind(AssertUnwindSafe(closure));
        let outcome = State::Outcome(result.map_err(JoinError::panicked));
        // SAFETY: the caller's still, since the task is not yet done.
        unsafe { self.replace(outcome) };
    }

    unsafe fn fail(&self, why: JoinError) {
        // SAFETY: the caller's.
        let closure = unsafe { self.replace(State::Outcome(Err(why))) };
        swallow(|| drop(closure));
    }

    unsafe fn dispose(&self, pool: &Weak<Shared>) {
        // SAFETY: the caller's.
        if let Some(outcome) = unsafe { self.take_outcome() } {
            dispose(Some(pool), outcome);
        }
    }
}

impl<F, T> Task<Body<F, T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    /// Creates a task of a pool, which counts it if this is the reference of the member where the
    /// calling thread sits; that of a call with the run of its caller, others with null.
    pub(super) fn new(
        pool: &WeakPool,
        closure: F,
        carried: Carried,
        completion: Completion,
        caller: *const JobRun,
        line: Option<Line>,
    ) -> Arc<Self> {
        pool.begin_task();
        Arc::new(Task {
            completion,
            lineage: Lineage::new(),
            awaited_by: AtomicPtr::new(caller.cast_mut()),
            pool: Arc::clone(pool),
            line,
            work: Body(UnsafeCell::new(State::Closure(closure, carried))),
        })
    }

    /// Waits as the caller of a call to `pool`, which stays until this returns.
    pub(super) fn wait_for_call(&self, pool: &Shared) -> Outcome<T> {
        while !self.completion.stage.is_done() {
            AwaitedCompletion::new(&self.completion, &self.lineage)
                .of_pool(Some(pool), ptr::from_ref(self))
                .wait_here();
            self.erased().run_if_left();
        }
        // SAFETY: done, and there is no promise.
        let outcome = unsafe { self.work.take_outcome() };
        outcome.expect("only the caller takes it")
    }

    /// What all tasks do is compiled once.
    fn erased(&self) -> &Task<dyn Work> {
        self
    }
}

impl Task<dyn Work> {
    /// Runs the closure; the caller must finish the task afterwards.
    ///
    /// # Safety
    /// The caller has claimed the task, and runs the closure only once.
    unsafe fn run_claimed(&self) {
        // SAFETY: claimed.
        let carried = unsafe { self.work.take_carried() };
        // SAFETY: claimed, and run once (contract).
        carried.around(|| unsafe { self.work.run() });
    }

    /// Runs the closure for the waiter, which has just claimed the task and must finish it
    /// afterwards.
    fn run_for_waiter(&self) {
        // If there is nothing to enter, the task runs with as little stack below it as possible.
        if self.remove_from_queue() == Ok(false) {
            // SAFETY: claimed by our caller, which calls this once.
            seat::inside(&self.pool, |_| unsafe { self.run_claimed() });
        } else {
            // SAFETY: as above.
            unsafe { self.run_claimed() };
        }
    }

    /// Returns whether the current context is one of the pool; fails if the pool has ended.
    // Its locals are not on the stack of the task.
    #[inline(never)]
    fn remove_from_queue(&self) -> Result<bool, ()> {
        seat::at(&self.pool, (), |(), _, me, is_current| {
            me.queues.tasks.remove(ptr::from_ref(self).cast());
            is_current
        })
    }

    /// Ends the task, which the calling thread has claimed.
    fn finish(&self) {
        if self.completion.finish() {
            // SAFETY: detached before it was done: the outcome is ours.
            unsafe { self.work.dispose(&self.pool) };
        }
        self.pool.end_task();
    }

    /// Drops the closure if no thread has claimed it.
    fn drop_unrun(&self, why: JoinError) -> bool {
        if !self.completion.stage.claim() {
            return false;
        }
        Snapshot::NONE.around(|| {
            // SAFETY: claimed.
            unsafe { self.work.fail(why) };
            self.finish();
        });
        true
    }

    /// Runs the task for the waiter if its pool has no threads any more that would: as they do, it
    /// takes the task out of the queue first, since others may be looking at it there.
    fn run_if_left(&self) {
        if self.completion.stage.is_claimed() {
            return;
        }
        let is_it = |task: &dyn Queued| ptr::addr_eq(task, self);
        let is_there = seat::at(&self.pool, (), |(), thread, me, _| {
            match find::take(me, usize::MAX, &is_it) {
                Some(task) => task.run(thread, me, Outside::MayGive),
                // The thread that has it is about to claim it.
                None => yield_now(),
            }
        });
        // Then no run waits for it, or the queue is gone.
        if is_there.is_err() && self.completion.stage.claim() {
            self.run_for_waiter();
            self.finish();
        }
    }

    /// Waits for the thread that has claimed the task, or, outside of the pool, until one has. No
    /// user's waker is left.
    ///
    /// # Panics
    /// If that thread waits for the calling thread: the task, or a task that it waits for, joins
    /// the task's own promise.
    // Its locals are not on the stack of a thread that runs the task.
    #[inline(never)]
    fn wait(&self) {
        while !self.completion.stage.is_done() {
            let pool = seat::outside_of(&self.pool);
            if pool.is_none() && !self.completion.stage.is_claimed() {
                self.run_if_left();
                continue;
            }
            let waiting = AwaitedCompletion::new(&self.completion, &self.lineage)
                .of_pool(pool.as_deref(), ptr::from_ref(self));
            let help = !std::thread::panicking() && pool.is_none();
            let helped = seat::at(&self.pool, (), |(), thread, me, _| {
                // SAFETY: the innermost run does not end while it calls us. If it is to wait, it
                // does so until the task is done, and runs no user code from here to there but what
                // cannot make it unwind (*a waiter stays*).
                let waits = unsafe {
                    JobRun::await_task(thread.run().0, &raw const self.lineage, &self.awaited_by)
                };
                assert!(waits, "a task waits for itself");
                wait::until(thread, me, &waiting, help);
            });
            if helped.is_err() {
                // The pool of those that ran parts of it may be freed.
                AwaitedCompletion::new(&self.completion, &Lineage::new())
                    .of_pool(pool.as_deref(), ptr::from_ref(self))
                    .wait_here();
            }
        }
    }

    /// As [`Source::settle`].
    fn settle(&self) {
        // A caller that hands its work over waits for a worker.
        let may_run = || seat::outside_of(&self.pool).is_none();
        let run = || {
            self.run_for_waiter();
            self.pool.end_task();
        };
        self.completion.settle(may_run, run, || self.wait());
    }

    /// As [`Queued::run`].
    fn start(&self, thread: &Thread, me: &Member, outside: Outside) {
        if !self.completion.stage.claim() {
            return;
        }
        let _at = me.runs(self.line);
        let run = |context: &Context<'_>| {
            self.lineage.set(me, context.level);
            Snapshot::NONE.around(|| {
                // SAFETY: just claimed.
                unsafe { self.run_claimed() };
                // Inside the run, since a waker or a value that is dropped here may own the pool.
                self.finish();
            });
        };
        // SAFETY: the task stays, since the caller holds it. Its waiter stays until it is done;
        // after that, user code runs in `finish` only where `awaited_by` is null (*alone at the
        // end*, *a call*).
        unsafe { run::task(thread, me, &self.lineage, &self.awaited_by, outside, run) };
    }
}

impl<F, T> Queued for Task<Body<F, T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        // So dropping it is compiled once, too.
        let task: Arc<Task<dyn Work>> = self;
        task.start(thread, me, outside);
    }

    fn cancel(&self) {
        self.erased().drop_unrun(JoinError::pool_ended());
    }

    fn is_spent(&self) -> bool {
        self.completion.stage.is_claimed()
    }

    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        if !self.is_spent() {
            each(self.line, self.completion.stage.is_call());
        }
    }

    fn has_owner(&self) -> bool {
        self.completion.stage.may_be_joined()
    }

    fn may_be_late(&self) -> bool {
        self.has_owner() || self.completion.stage.is_call()
    }

    fn caller_looks(&self) -> bool {
        self.completion.stage.is_polled() && !self.completion.has_waker()
    }

    fn is_part_of(&self, lineage: &Lineage) -> bool {
        let waiter = self.awaited_by.load(Ordering::Acquire);
        // SAFETY: null, or the run of a waiter, which stays until the task is done. That is not yet
        // claimed: a waiter has used the promise up, or is a caller, so only a thread that has
        // taken the entry out of the queue claims the task, and none does while the caller holds
        // the queue's lock.
        unsafe { JobRun::is_inside(waiter, lineage) }
    }
}

impl<F, T> Source<T> for Task<Body<F, T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    fn completion(&self) -> &Completion {
        &self.completion
    }

    fn settle(&self) {
        self.erased().settle();
    }

    fn pool(&self) -> Option<&Weak<Shared>> {
        Some(&self.pool)
    }

    fn cancel(&self) -> bool {
        self.erased().drop_unrun(JoinError::cancelled())
    }

    unsafe fn take(&self) -> Option<Outcome<T>> {
        // SAFETY: the caller's.
        unsafe { self.work.take_outcome() }
    }
}

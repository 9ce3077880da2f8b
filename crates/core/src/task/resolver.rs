//! Promises that are resolved by hand, and those of activities, which run a step at a time
//! (futures, in the crate `sumac`).

use super::{
    awaited::AwaitedCompletion,
    outcome::{JoinError, Outcome, Source, dispose},
    promise::Promise,
    work::Task,
};
use crate::{
    carry::{Carried, Snapshot},
    hooks,
    join::{
        job::{Lineage, Payload},
        member::Member,
        run::{self, Outside},
        thread::Thread,
        wait,
    },
    pool::{
        global, queue::Queued, queues::WeakPool, seat, shared::Shared, thread_pool::ThreadPool,
    },
    protocol::{
        completion::Completion,
        primitive::{AtomicPtr, leave_to_schedule},
    },
    unwind::swallow,
};
use std::{
    cell::UnsafeCell,
    fmt,
    panic::Location,
    ptr,
    sync::{Arc, Weak},
};

/// Creates a promise and its resolver.
///
/// # Examples
///
/// ```
/// let (resolver, promise) = sumac::promise();
/// std::thread::spawn(|| resolver.resolve(5));
/// assert_eq!(promise.join(), 5);
/// ```
///
/// # Cost
/// One allocation.
pub fn promise<T: Send + 'static>() -> (Resolver<T>, Promise<T>) {
    Resolver::new(None, None)
}

/// Returns the promise of an activity. A thread that waits for it runs steps of the activity.
/// Dropping the resolver means that the pool was dropped before the activity ended.
pub fn driven<T, A>(pool: &PoolRef, activity: Arc<A>) -> (Resolver<T>, Promise<T>)
where
    T: Send + 'static,
    A: Activity + 'static,
{
    Resolver::new(Some(pool.shared()), Some(activity))
}

/// Resolves a [`Promise`]. If it is dropped without a value, [`Promise::join`] panics and
/// [`Promise::try_join`] returns an error.
pub struct Resolver<T> {
    /// `None` once it has been used.
    state: Option<Arc<PromiseState<T>>>,
}

/// The state that resolver and promise share. The resolver owns `outcome` until it sets the state
/// to done; then the promise owns it, or the resolver again if the promise has been dropped
/// (stage.rs, *one owner of the outcome*).
struct PromiseState<T> {
    completion: Completion,
    /// That of the activity.
    pool: Option<Weak<Shared>>,
    activity: Option<Arc<dyn Activity>>,
    outcome: UnsafeCell<Option<Outcome<T>>>,
}

// SAFETY: `outcome` has one owner at a time (above), so it only moves between threads.
unsafe impl<T: Send> Sync for PromiseState<T> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send> Send for PromiseState<T> {}

impl<T: Send + 'static> Resolver<T> {
    fn new(pool: Option<Weak<Shared>>, activity: Option<Arc<dyn Activity>>) -> (Self, Promise<T>) {
        let state = Arc::new(PromiseState {
            completion: Completion::new(),
            pool,
            activity,
            outcome: UnsafeCell::new(None),
        });
        let promise = Promise::from_source(Arc::<PromiseState<T>>::clone(&state));
        (Resolver { state: Some(state) }, promise)
    }
}

impl<T> Resolver<T> {
    /// Resolves the promise.
    ///
    /// # Examples
    ///
    /// ```
    /// let (resolver, promise) = sumac::promise();
    /// resolver.resolve("done");
    /// assert_eq!(promise.join(), "done");
    /// ```
    pub fn resolve(mut self, value: T) {
        self.finish(Ok(value));
    }

    /// Makes [`Promise::join`] panic with this payload.
    ///
    /// # Examples
    ///
    /// ```
    /// let (resolver, promise) = sumac::promise::<u8>();
    /// resolver.fail(Box::new("boom"));
    /// assert!(promise.try_join().is_err_and(|error| error.is_panic()));
    /// ```
    pub fn fail(mut self, payload: Payload) {
        self.finish(Err(JoinError::panicked(payload)));
    }

    /// Ends the promise as cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// let (resolver, promise) = sumac::promise::<u8>();
    /// resolver.cancel();
    /// assert!(promise.try_join().is_err_and(|error| error.is_cancelled()));
    /// ```
    pub fn cancel(mut self) {
        self.finish(Err(JoinError::cancelled()));
    }

    fn finish(&mut self, outcome: Outcome<T>) {
        let Some(state) = self.state.take() else {
            return;
        };
        // SAFETY: not done, so ours.
        unsafe { *state.outcome.get() = Some(outcome) };
        if !state.completion.finish() {
            return;
        }
        // SAFETY: detached before it was done, so ours.
        if let Some(outcome) = unsafe { state.take_outcome() } {
            dispose(state.pool.as_ref(), outcome);
        }
    }
}

impl<T> Drop for Resolver<T> {
    fn drop(&mut self) {
        let activity = self
            .state
            .as_ref()
            .and_then(|state| state.activity.as_ref());
        let error = match activity {
            Some(_) => JoinError::pool_ended(),
            None => JoinError::unresolved(),
        };
        self.finish(Err(error));
    }
}

impl<T> fmt::Debug for Resolver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

impl<T> PromiseState<T> {
    /// # Safety
    /// The outcome is the caller's.
    unsafe fn take_outcome(&self) -> Option<Outcome<T>> {
        // SAFETY: the caller's.
        unsafe { &mut *self.outcome.get() }.take()
    }
}

impl<T: Send> Source<T> for PromiseState<T> {
    fn completion(&self) -> &Completion {
        &self.completion
    }

    fn settle(&self) {
        let stage = &self.completion.stage;
        if stage.is_done() || !self.completion.begin_wait() {
            return;
        }
        // The awaited activity and the steps run meanwhile belong to no profile.
        let _paused = hooks::pause();
        // No jobs descend from it.
        let lineage = Lineage::new();
        let (Some(pool), Some(activity)) = (&self.pool, &self.activity) else {
            return AwaitedCompletion::new(&self.completion, &lineage).wait_here();
        };
        while !stage.is_done() {
            let waiting = AwaitedCompletion::new(&self.completion, &activity.state().lineage);
            // A caller that hands its work over only waits, unless the pool has no threads.
            if let Some(pool) = seat::outside_of(pool) {
                waiting
                    .of_pool(Some(&pool), Arc::as_ptr(activity))
                    .wait_here();
                continue;
            }
            seat::inside(pool, |me| match me {
                Some(me) => {
                    let waiting = waiting.of_activity(&**activity, me);
                    let help = !std::thread::panicking();
                    wait::here(Some(me), &waiting, help);
                }
                // The pool of those that ran its steps may be freed.
                None => AwaitedCompletion::new(&self.completion, &lineage).wait_here(),
            });
        }
    }

    fn pool(&self) -> Option<&Weak<Shared>> {
        self.pool.as_ref()
    }

    fn cancel(&self) -> bool {
        self.activity
            .as_ref()
            .is_some_and(|activity| activity.cancel())
    }

    unsafe fn take(&self) -> Option<Outcome<T>> {
        // SAFETY: the caller's.
        unsafe { self.take_outcome() }
    }
}

/// What the scheduler knows of an [`Activity`].
pub struct ActivityState {
    /// The origin of the jobs that its steps fork, and the member that runs a step.
    lineage: Lineage,
}

impl Default for ActivityState {
    fn default() -> Self {
        ActivityState {
            lineage: Lineage::new(),
        }
    }
}

impl fmt::Debug for ActivityState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActivityState").finish_non_exhaustive()
    }
}

impl ActivityState {
    /// Calls `step`, a step that no other thread runs. A thread that waits for the activity knows
    /// then which thread it waits for.
    pub fn during<R>(&self, step: impl FnOnce() -> R) -> R {
        let thread = Thread::current();
        let member = thread.as_ref();
        let member = member.and_then(|thread| thread.with_member(ptr::from_ref));
        let member = member.unwrap_or(ptr::null());
        let taker = &self.lineage;
        taker.set(member, thread.map_or(0, |thread| thread.level()));
        let result = step();
        // Another thread may run the next step by now.
        taker.clear_of(member);
        result
    }
}

/// A task that runs in steps, with pauses between them.
pub trait Activity: Send + Sync {
    /// What the scheduler knows of it.
    fn state(&self) -> &ActivityState;

    /// Runs the next step if it is due, by [`ActivityState::during`] if a promise waits for the
    /// activity, and returns whether it was due. Does not panic.
    fn advance(&self) -> bool;

    /// Asks the activity to end. Returns true if it will have no value.
    fn cancel(&self) -> bool;

    /// Tells the activity that the pool has ended and will not run the next step. The last thread
    /// of the pool, a thread of the global pool, or one that waits for the promise calls this.
    fn abandon(&self);

    /// Returns false if `advance` would do nothing: then a queue may drop the call. Runs no user
    /// code, and holds no lock that is held while something is queued.
    fn is_due(&self) -> bool {
        true
    }
}

impl<A: Activity> Queued for A {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        let lineage = &self.state().lineage;
        let awaited_by = AtomicPtr::new(ptr::null_mut());
        let _at = me.runs(None);
        // SAFETY: called where `me` sits, both outlive the call, and no thread waits for this very
        // step.
        unsafe {
            run::task(thread, me, lineage, &awaited_by, outside, |_| {
                Snapshot::NONE.around(|| self.advance())
            })
        };
        me.queues.pool().end_task();
    }

    fn cancel(&self) {
        Snapshot::NONE.around(|| self.abandon());
    }

    fn is_spent(&self) -> bool {
        !self.is_due()
    }

    fn forget(&self, pool: &WeakPool) -> bool {
        pool.end_task();
        false
    }
}

/// A weak reference to a pool, to queue steps in.
#[derive(Clone, Debug)]
pub struct PoolRef(Weak<Shared>);

impl PoolRef {
    /// Returns the current pool, see [`spawn`](crate::spawn).
    pub fn current() -> Self {
        PoolRef(Arc::downgrade(&seat::current_pool()))
    }

    /// Returns a reference to a pool.
    pub fn of(pool: &ThreadPool) -> Self {
        PoolRef(Arc::downgrade(pool.shared()))
    }

    pub(crate) fn shared(&self) -> Weak<Shared> {
        Weak::clone(&self.0)
    }

    /// Queues one call of `advance`. If the pool has ended, a thread of the global pool calls
    /// `abandon`. No user code runs here, so wakers may call this.
    pub fn queue<A: Activity + 'static>(&self, activity: Arc<A>) {
        self.queue_with(activity, Shared::push_step);
    }

    /// Queues one call of `advance` before the tasks that the calling thread has queued, but behind
    /// them if a broadcast waits for their start.
    pub fn queue_first<A: Activity + 'static>(&self, activity: Arc<A>) {
        self.queue_with(activity, Shared::push_step_first);
    }

    /// Queues one call of `advance` behind queued tasks of any member, if there are some.
    ///
    /// # Cost
    /// Looks at every member's queue if the calling thread's own is empty.
    pub fn queue_last<A: Activity + 'static>(&self, activity: Arc<A>) {
        self.queue_with(activity, Shared::push_step_last);
    }

    fn queue_with<A: Activity + 'static>(
        &self,
        activity: Arc<A>,
        push: fn(&Shared, &Member, Arc<dyn Queued>),
    ) {
        // Inside the pool its references need not be counted.
        let queue = |activity: Arc<A>, me: &Member| {
            let pool = me.shared();
            if !pool.begin_step(me) {
                return leave(move || activity.abandon());
            }
            push(pool, me, activity);
            pool.announce(me);
            // After a fence: either we see this, or `release_guard` sees the step.
            if pool.ending.tasks_ended() {
                let pool = pool.this.upgrade().expect("the calling thread sits in it");
                leave(move || pool.cancel_tasks());
            }
        };
        let queued = seat::in_current(&self.0, activity, queue);
        let Err(activity) = queued else {
            return;
        };
        let Some(pool) = self.0.upgrade() else {
            return leave(move || activity.abandon());
        };
        pool.at_free_seat(|_, me| queue(activity, me));
        // If this is the last reference now, the destructor of a user's handler runs with it.
        if let Some(pool) = Arc::into_inner(pool) {
            leave(move || drop(pool));
        }
    }
}

/// Leaves to a thread of the global pool, which does not end, what the calling thread must not do:
/// it may be inside a waker, which a channel calls under its lock.
fn leave(work: impl FnOnce() + Send + 'static) {
    let Some(work) = leave_to_schedule(work) else {
        return;
    };
    global::pool().shared().at_free_seat(|pool, me| {
        let (link, line) = (me.queues.pool(), Location::caller());
        let (nothing, end) = (Carried::NOTHING, Completion::new());
        end.stage.detach();
        let task = Task::new(
            link,
            || swallow(work),
            nothing,
            end,
            ptr::null(),
            Some(line),
        );
        me.queues.tasks.push(task);
        pool.announce(me);
    });
}

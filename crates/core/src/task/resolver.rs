//! Promises that are resolved by hand, and those of activities, which run a step at a time
//! (futures, in the crate `sumac`).

use super::{
    find::leave,
    outcome::{Cause, JoinError, Outcome},
    promise::Promise,
    scope,
    work::{Header, Owned, Task},
};
use crate::{
    ThreadPool,
    carry::Snapshot,
    join::{
        job::Payload,
        lineage::Lineage,
        member::Member,
        run::{self, Outside},
        thread::Thread,
    },
    pool::{
        queue::{Place, Queued},
        queues::WeakPool,
        seat,
        shared::Shared,
    },
    protocol::primitive::AtomicPtr,
};
use std::{fmt, ptr, sync::Arc};

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
    Resolver::new(Some(Arc::clone(&pool.0)), Some(activity))
}

/// Resolves a [`Promise`]. If it is dropped without a value, [`Promise::join`] panics and
/// [`Promise::try_join`] returns an error.
pub struct Resolver<T> {
    /// Which it has claimed; `None` once it has been used.
    task: Option<Arc<ResolvedTask<T>>>,
}

type ResolvedTask<T> = Task<T, Owned<fn() -> T>>;

impl<T: Send + 'static> Resolver<T> {
    fn new(pool: Option<WeakPool>, activity: Option<Arc<dyn Activity>>) -> (Self, Promise<T>) {
        let mut head = Header::new(pool, None);
        head.activity = activity;
        let task = Task::new(head, Owned::new(None));
        task.head.completion.stage.claim();
        let promise = Promise {
            task: Arc::<ResolvedTask<T>>::clone(&task),
        };
        (Resolver { task: Some(task) }, promise)
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
        self.finish(Err(JoinError(Cause::Cancelled)));
    }

    fn finish(&mut self, outcome: Outcome<T>) {
        if let Some(task) = self.task.take() {
            // SAFETY: claimed in `new`, and it is here once.
            unsafe { task.resolve(outcome) };
        }
    }
}

impl<T> Drop for Resolver<T> {
    fn drop(&mut self) {
        let task = self.task.as_ref();
        let activity = task.and_then(|task| task.head.activity.as_ref());
        let cause = activity.map_or(Cause::Unresolved, |_| Cause::PoolEnded);
        self.finish(Err(JoinError(cause)));
    }
}

impl<T> fmt::Debug for Resolver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

/// What the scheduler knows of an [`Activity`].
pub struct ActivityState {
    /// The origin of the jobs that its steps fork, and the member that runs a step.
    pub(super) lineage: Lineage,
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
        let member = thread
            .as_ref()
            .map_or(ptr::null(), |thread| thread.current_member());
        let taker = &self.lineage.taker;
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
    }

    fn cancel(&self) {
        Snapshot::NONE.around(|| self.abandon());
    }

    fn is_spent(&self) -> bool {
        !self.is_due()
    }
}

/// A weak reference to a pool, to queue steps in.
#[derive(Clone, Debug)]
pub struct PoolRef(pub(super) WeakPool);

impl PoolRef {
    /// Returns the current pool, see [`spawn`](crate::spawn).
    pub fn current() -> Self {
        PoolRef(scope::current_weak_pool())
    }

    /// Returns a reference to a pool.
    pub fn of(pool: &ThreadPool) -> Self {
        PoolRef(WeakPool::new(Arc::downgrade(pool.shared())))
    }

    /// Queues one call of `advance`, as the last of the calling thread's: so two activities that
    /// wake each other do not occupy a thread that takes its newest task first. If the pool has
    /// ended, a thread of the global pool calls `abandon`. No user code runs here, so wakers may
    /// call this.
    pub fn queue<A: Activity + 'static>(&self, activity: Arc<A>) {
        self.queue_with(activity, |_, me| (me, Place::Last));
    }

    /// Queues one call of `advance` before the tasks that the calling thread has queued, but behind
    /// them if a broadcast waits for their start.
    pub fn queue_first<A: Activity + 'static>(&self, activity: Arc<A>) {
        self.queue_with(activity, |_, me| {
            // A call has counted the tasks before it.
            let is_called = !me.queues.inbox.is_empty();
            (
                me,
                if is_called {
                    Place::Newest
                } else {
                    Place::Next
                },
            )
        });
    }

    /// Queues one call of `advance` behind queued tasks of any member, if there are some.
    ///
    /// # Cost
    /// Looks at every member's queue if the calling thread's own is empty.
    pub fn queue_last<A: Activity + 'static>(&self, activity: Arc<A>) {
        self.queue_with(activity, |pool, me| (pool.longest_queue(me), Place::Last));
    }

    fn queue_with<A: Activity + 'static>(
        &self,
        activity: Arc<A>,
        to: for<'p> fn(&'p Shared, &'p Member) -> (&'p Member, Place),
    ) {
        let push = |pool: &Shared, me: &Member, activity| {
            let (to, place) = to(pool, me);
            to.queues.tasks.push(activity, place);
            pool.announce(me);
        };
        let thread = Thread::current();
        // Inside the pool its references need not be counted.
        if let Some(me) = thread
            .as_ref()
            .and_then(|thread| seat::current_in(thread, &self.0))
        {
            let pool = me.shared();
            push(pool, me, activity);
            // After a fence: either we see this, or `release_guard` sees the step.
            if pool.ending.tasks_ended() {
                let pool = pool.this.upgrade().expect("the calling thread sits in it");
                leave(move || pool.cancel_tasks());
            }
            return;
        }
        let Some(pool) = self.0.upgrade() else {
            return leave(move || activity.abandon());
        };
        pool.at_free_seat(|pool, me| push(pool, me, activity));
        // As above.
        if pool.ending.tasks_ended() {
            return leave(move || pool.cancel_tasks());
        }
        // If this is the last reference now, the destructor of a user's handler runs with it.
        if let Some(pool) = Arc::into_inner(pool) {
            leave(move || drop(pool));
        }
    }
}

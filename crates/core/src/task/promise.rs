//! `Promise`: what `spawn` returns; and `spawn`.

use super::{
    outcome::{JoinError, Outcome, Source},
    work::Task,
};
use crate::{
    ThreadPool,
    carry::Carried,
    join::member::Member,
    pool::{queue::Queued, queues::WeakPool, seat, shared::Shared},
};
use std::{
    fmt,
    future::Future,
    panic::{RefUnwindSafe, UnwindSafe},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// The value of a task, now or later.
///
/// * [`join`](Self::join) waits for it: it runs the task itself if no thread has begun it, and else
///   runs nothing but jobs that descend from the task.
/// * As a future it is ready when the task has ended.
/// * Dropping it *detaches* the task, which runs all the same. A panic then goes to the pool's
///   panic handler, see [`spawn`].
///
/// # Examples
///
/// ```
/// let promise = sumac::spawn(|| (1..=10).product::<u64>());
/// assert_eq!(promise.join(), 3_628_800);
/// ```
pub struct Promise<T> {
    /// Nothing once it has been used up.
    source: Option<Arc<dyn Source<T>>>,
    /// The end of the task, for a thread that profiles.
    #[cfg(feature = "hooks")]
    ends: Option<Arc<crate::hooks::TaskEnds>>,
}

/// A promise is whole until `join` or `drop` takes it apart.
const WHOLE: &str = "a promise is used up once";

/// Runs `f` as a task of the current pool: that of the innermost [`install`](ThreadPool::install),
/// of the running job or task, or the global one.
///
/// An idle worker starts it, tasks in the order of their spawning, but joins' work first. Where all
/// workers are busy and no caller takes part in the pool's work, one more thread, which is started
/// then, runs tasks, so that a pool of *n* threads runs *n* of them at once. In a pool of one
/// thread, which has no worker, it runs all tasks.
///
/// If the task panics and its promise is dropped, before or after that, the pool's
/// [`panic_handler`](crate::ThreadPoolBuilder::panic_handler) is called; without one the process
/// aborts, as with rayon.
///
/// # Examples
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// sumac::spawn(move || send.send(7)); // the promise is dropped: detached
/// assert_eq!(receive.recv(), Ok(7));
/// ```
///
/// # Cost
/// One allocation and some tens of nanoseconds; 4 to 15 µs if the whole pool was asleep.
pub fn spawn<F, T>(f: F) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_with(f, Shared::queue)
}

/// As [`spawn`], but the tasks that a thread spawns with this function are begun in the order of
/// their spawning by a thread that takes them all.
///
/// So it is with [`spawn`], too, in this version; only what is spawned in this way will stay so.
///
/// # Examples
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// for i in 0..3 {
///     let send = send.clone();
///     sumac::spawn_fifo(move || send.send(i));
/// }
/// drop(send);
/// let mut numbers: Vec<_> = receive.iter().collect();
/// numbers.sort(); // several threads may have run them
/// assert_eq!(numbers, [0, 1, 2]);
/// ```
///
/// # Cost
/// As [`spawn`].
pub fn spawn_fifo<F, T>(f: F) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_with(f, Shared::queue_in_order)
}

/// How a task is queued.
type Queue = fn(&Shared, &Member, Arc<dyn Queued>);

fn spawn_with<F, T>(f: F, queue: Queue) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let promise = seat::at_current(f, |f, me| {
        let (task, promise) = Promise::of(Arc::clone(&me.queues.weak_pool), f);
        queue(me.shared(), me, task);
        promise
    });
    #[cfg(feature = "testing")]
    crate::testing::turn();
    promise.unwrap_or_else(|f| spawn_in(&seat::current_pool(), f, queue))
}

fn spawn_in<F, T>(pool: &Arc<Shared>, f: F, queue: Queue) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (task, promise) = Promise::of(WeakPool::new(Arc::downgrade(pool)), f);
    pool.at_any_seat(|pool, me| queue(pool, me, task));
    #[cfg(feature = "testing")]
    crate::testing::turn();
    promise
}

impl ThreadPool {
    /// [`spawn`](crate::spawn) in this pool.
    ///
    /// After the pool has been dropped its workers still run all tasks that are queued. A task that
    /// no worker can start, since the system refused them all, is dropped with the pool.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPool::new();
    /// assert_eq!(pool.spawn(|| 6 * 7).join(), 42);
    /// ```
    ///
    /// # Cost
    /// As [`spawn`](crate::spawn).
    pub fn spawn<F, T>(&self, f: F) -> Promise<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(self.shared(), f, Shared::queue)
    }

    /// [`spawn_fifo`](crate::spawn_fifo) in this pool.
    ///
    /// # Cost
    /// As [`spawn`](crate::spawn).
    pub fn spawn_fifo<F, T>(&self, f: F) -> Promise<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(self.shared(), f, Shared::queue_in_order)
    }
}

impl<T: Send + 'static> Promise<T> {
    pub(super) fn of<F>(pool: WeakPool, f: F) -> (Arc<dyn Queued>, Self)
    where
        F: FnOnce() -> T + Send + 'static,
    {
        let carried = Carried::from_here();
        let f = move || carried.around(f);
        #[cfg(feature = "hooks")]
        if crate::hooks::measured().is_some() {
            let ends = Arc::default();
            let spawned = crate::hooks::Spawned::new(&ends);
            let (task, mut promise) = Promise::unmeasured(pool, move || spawned.run(f));
            promise.ends = Some(ends);
            return (task, promise);
        }
        Promise::unmeasured(pool, f)
    }

    fn unmeasured<F>(pool: WeakPool, f: F) -> (Arc<dyn Queued>, Self)
    where
        F: FnOnce() -> T + Send + 'static,
    {
        let task = Task::new(pool, f);
        let queued: Arc<dyn Queued> = Arc::<Task<F, T>>::clone(&task);
        (queued, Promise::from_source(task))
    }
}

impl<T> Promise<T> {
    pub(crate) fn from_source(source: Arc<dyn Source<T>>) -> Self {
        Promise {
            source: Some(source),
            #[cfg(feature = "hooks")]
            ends: None,
        }
    }

    /// The calling thread goes on after the task.
    fn goes_on(&self) {
        #[cfg(feature = "hooks")]
        if let Some(ends) = &self.ends {
            crate::hooks::awaited(ends);
        }
    }

    fn source(&self) -> &dyn Source<T> {
        self.source.as_deref().expect(WHOLE)
    }

    /// Returns whether the task has ended: then [`join`](Self::join) returns at once.
    ///
    /// # Examples
    ///
    /// ```
    /// let promise = sumac::spawn(|| 6 * 7);
    /// while !promise.is_finished() {
    ///     std::thread::yield_now();
    /// }
    /// assert_eq!(promise.join(), 42);
    /// ```
    pub fn is_finished(&self) -> bool {
        self.source().completion().stage.is_done()
    }

    /// Waits for the task and returns its value.
    ///
    /// A task that no thread has begun is run by the caller, as a plain call. Otherwise the caller
    /// runs jobs that descend from the task, and nothing else, until it ends. So what it holds, a
    /// lock for example, is met by nothing but the task it waits for.
    ///
    /// # Examples
    ///
    /// ```
    /// let promise = sumac::spawn(|| (1..=100).sum::<u32>());
    /// let product: u64 = (1..=10).product();
    /// assert_eq!((promise.join(), product), (5050, 3_628_800));
    /// ```
    ///
    /// # Cost
    /// Some nanoseconds if the task has ended or the caller runs it.
    ///
    /// A task that the caller runs takes the caller's stack: some 160 bytes, 700 in debug builds,
    /// besides what its closure needs. Tasks that each join the one before nest as deep as workers
    /// have not begun them: 8 MiB hold tens of thousands. For longer chains there are futures,
    /// which await.
    ///
    /// # Panics
    /// If the task did, with the same payload; if it was not run to its end since its pool was
    /// dropped; if the [`Resolver`] was dropped without a value; if the task is the caller, or
    /// waits for it. Of tasks that join each other in a circle, one panics and the others go on. A
    /// circle that leads through a future's promise is not found, and waits for ever: await there.
    ///
    /// [`Resolver`]: crate::Resolver
    #[track_caller]
    pub fn join(self) -> T {
        #[cfg(feature = "testing")]
        crate::testing::turn();
        // Detached if this panics. What comes afterwards is not on the stack meanwhile.
        self.source().settle();
        self.value()
    }

    #[inline(never)]
    #[track_caller]
    fn value(self) -> T {
        match self.outcome() {
            Ok(value) => value,
            Err(error) => error.throw(),
        }
    }

    /// As [`join`](Self::join), but returns panics and the like.
    ///
    /// # Errors
    /// If the task panicked, was never run, or is a future whose pool was dropped before it ended;
    /// if the resolver was dropped without a value.
    ///
    /// # Panics
    /// If the task is the caller, or waits for it.
    ///
    /// # Examples
    ///
    /// ```
    /// let (resolver, promise) = sumac::promise::<u8>();
    /// drop(resolver);
    /// assert!(promise.try_join().is_err());
    /// ```
    pub fn try_join(self) -> Result<T, JoinError> {
        // As in `join`.
        self.source().settle();
        self.outcome()
    }

    /// The outcome of a task that has been settled.
    #[inline(never)]
    fn outcome(mut self) -> Outcome<T> {
        self.goes_on();
        let source = self.source.take().expect(WHOLE);
        // SAFETY: done and not detached: the outcome is ours.
        let outcome = unsafe { source.take() };
        outcome.expect("the promise of a future that was polled to its end has no value left")
    }

    /// Cancels the task if no thread has begun to run it: then its closure is dropped at once, and
    /// the result is true. Otherwise detaches it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// static RAN: AtomicBool = AtomicBool::new(false);
    ///
    /// let cancelled = sumac::spawn(|| RAN.store(true, Ordering::SeqCst)).cancel();
    /// assert!(!(cancelled && RAN.load(Ordering::SeqCst)));
    /// ```
    pub fn cancel(self) -> bool {
        self.source().cancel()
    }
}

impl<T> Future for Promise<T> {
    type Output = T;

    /// # Panics
    /// As [`Promise::join`]; and if polled again after it was ready.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let completion = self.source().completion();
        if !completion.stage.is_done() && completion.leave_waker(context.waker()) {
            return Poll::Pending;
        }
        self.goes_on();
        // SAFETY: done, and not detached: the outcome is ours, and no other thread has the promise
        // now.
        let outcome: Option<Outcome<T>> = unsafe { self.source().take() };
        match outcome.expect("a promise is not polled after it was ready") {
            Ok(value) => Poll::Ready(value),
            Err(error) => error.throw(),
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        let Some(source) = self.source.take() else {
            return;
        };
        if !source.completion().stage.detach() {
            return;
        }
        // SAFETY: done before it was detached: the outcome is ours.
        if let Some(outcome) = unsafe { source.take() } {
            source.dispose(outcome);
        }
    }
}

// A task that panics leaves nothing behind that could be seen half done: its value is not there.
impl<T> UnwindSafe for Promise<T> {}
impl<T> RefUnwindSafe for Promise<T> {}

impl<T> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise")
            .field("finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

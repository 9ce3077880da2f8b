//! `Promise`, and `spawn`, which returns one.

use super::{
    outcome::{JoinError, Outcome, Source, dispose},
    work::Task,
};
use crate::{
    carry::Carried,
    hooks,
    join::member::{Member, site::Line},
    pool::{
        find::run_if_refused, queue::Queued, queues::WeakPool, seat, shared::Shared,
        thread_pool::ThreadPool,
    },
    protocol::completion::Completion,
};
use std::{
    fmt,
    future::Future,
    panic::{Location, RefUnwindSafe, UnwindSafe},
    pin::Pin,
    ptr,
    sync::Arc,
    task::{Context, Poll},
};

/// The future value of a task.
///
/// * [`join`](Self::join) waits for it: it runs the task itself if no thread has started it, and
///   otherwise runs only jobs that descend from the task.
/// * As a future, it is ready when the task has ended.
/// * Dropping it *detaches* the task, which still runs. A panic then goes to the pool's panic
///   handler, see [`spawn`].
///
/// # Examples
///
/// ```
/// let promise = sumac::spawn(|| (1..=10).product::<u64>());
/// assert_eq!(promise.join(), 3_628_800);
/// ```
pub struct Promise<T> {
    /// `None` once it has been used.
    source: Option<Arc<dyn Source<T>>>,
    /// The end of the task, for a thread that profiles.
    ends: Option<hooks::Ends>,
}

/// The source is there until `join` or `drop` takes it.
const WHOLE: &str = "a promise is used up once";

/// Runs `f` as a task of the current pool: that of the innermost [`install`](ThreadPool::install),
/// of the running job or task, or the global one.
///
/// Idle workers start tasks in the order of their spawning, but run jobs of joins first. If all
/// workers are busy and no caller takes part in the pool's work, the pool starts one more thread
/// for tasks, so that a pool of *n* threads runs *n* of them at once. In a pool of one thread,
/// which has no worker, that thread runs all tasks. It also runs some if tasks have waited for a
/// tenth of a second, or for a second or more beside a caller that takes part all the time.
///
/// If the task panics and its promise is dropped, before or afterwards, the pool's
/// [`panic_handler`](crate::ThreadPoolBuilder::panic_handler) is called; without one the process
/// aborts, as in rayon. (If the pool is gone when the promise is dropped, standard error tells of
/// the panic, and nothing else happens.)
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
#[track_caller]
pub fn spawn<F, T>(f: F) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_in(None, Location::caller(), f, Shared::queue)
}

/// Runs `f` as a task, as [`spawn`] does. A thread that runs several tasks which one thread has
/// spawned with this function starts them in the order of their spawning.
///
/// In this version [`spawn`] has the same order, but only this function guarantees it.
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
#[track_caller]
pub fn spawn_fifo<F, T>(f: F) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_in(None, Location::caller(), f, Shared::queue_in_order)
}

/// How a task is queued.
type Queue = fn(&Shared, &Member, Arc<dyn Queued>);

/// Spawns in `pool`, or in the current one.
fn spawn_in<F, T>(pool: Option<&Shared>, line: Line, f: F, queue: Queue) -> Promise<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (mut f, mut promise) = (Some(f), None);
    at_a_seat(pool, &mut |me| {
        if let Some(f) = f.take() {
            let (task, its_promise) = Promise::of(me.queues.pool(), line, f);
            queue(me.shared(), me, task);
            promise = Some(its_promise);
        }
    });
    crate::testing::turn();
    promise.expect("a thread finds a seat")
}

/// Calls `spawn`, once, with the calling thread's member of `pool`, or of the current one. Not
/// generic, since each spawn contains a call.
fn at_a_seat(pool: Option<&Shared>, spawn: &mut dyn FnMut(&Member)) {
    match pool {
        Some(pool) => pool.at_any_seat(|_, me| spawn(me)),
        None => seat::at_current(spawn, |spawn, me| spawn(me))
            .unwrap_or_else(|spawn| seat::current_pool().at_any_seat(|_, me| spawn(me))),
    }
}

impl ThreadPool {
    /// Runs `f` as a task of this pool, see [`spawn`](crate::spawn).
    ///
    /// After the pool has been dropped its threads still run all tasks, and what these fork and
    /// spawn; then they end. If the pool has no workers, since the system refused them all, the
    /// tasks are dropped with the pool.
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
    #[track_caller]
    pub fn spawn<F, T>(&self, f: F) -> Promise<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(Some(self.shared()), Location::caller(), f, Shared::queue)
    }

    /// Runs `f` as a task of this pool, see [`spawn_fifo`](crate::spawn_fifo).
    ///
    /// # Cost
    /// As [`spawn`](crate::spawn).
    #[track_caller]
    pub fn spawn_fifo<F, T>(&self, f: F) -> Promise<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(
            Some(self.shared()),
            Location::caller(),
            f,
            Shared::queue_in_order,
        )
    }
}

impl<T: Send + 'static> Promise<T> {
    pub(super) fn of<F>(pool: &WeakPool, line: Line, f: F) -> (Arc<dyn Queued>, Self)
    where
        F: FnOnce() -> T + Send + 'static,
    {
        let Some(ends) = hooks::measured().map(|_| hooks::Ends::default()) else {
            return Promise::unmeasured(pool, line, f);
        };
        let spawned = hooks::Spawned::new(&ends);
        let f = move || spawned.run(f);
        let (task, mut promise) = Promise::unmeasured(pool, line, f);
        promise.ends = Some(ends);
        (task, promise)
    }

    fn unmeasured<F>(pool: &WeakPool, line: Line, f: F) -> (Arc<dyn Queued>, Self)
    where
        F: FnOnce() -> T + Send + 'static,
    {
        let carried = Carried::from_here();
        let task = Task::new(pool, f, carried, Completion::new(), ptr::null(), Some(line));
        let queued: Arc<dyn Queued> = Arc::<Task<_>>::clone(&task);
        (queued, Promise::from_source(task))
    }
}

impl<T> Promise<T> {
    pub(crate) fn from_source(source: Arc<dyn Source<T>>) -> Self {
        Promise {
            source: Some(source),
            ends: None,
        }
    }

    /// Records that the calling thread goes on after the task.
    fn goes_on(&self) {
        if let Some(ends) = &self.ends {
            hooks::awaited(ends);
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
        let stage = &self.source().completion().stage;
        if stage.is_done() || !stage.announce_wait() {
            return true;
        }
        run_if_refused(self.source().pool());
        stage.is_done()
    }

    /// Waits for the task and returns its value.
    ///
    /// If no thread has started the task, the caller runs it as a plain call. Otherwise the caller
    /// runs only jobs that descend from the task, until the task ends. So no unrelated job runs
    /// while the caller holds a lock, for instance.
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
    /// A task that the caller runs uses the caller's stack: some hundreds of bytes in addition to
    /// its closure's, several times as much in debug builds. Tasks that each join the one before
    /// nest if workers have not started them: 8 MiB hold tens of thousands. Use futures for longer
    /// chains.
    ///
    /// # Panics
    /// If the task panicked, with the same payload; if it did not end since its pool was dropped;
    /// if the [`Resolver`] was dropped without a value; if the task is the caller, or waits for it.
    /// Of tasks that join each other in a cycle, one panics and the others go on. A cycle through a
    /// future's promise is not found, and waits for ever: await there.
    ///
    /// [`Resolver`]: crate::Resolver
    #[track_caller]
    pub fn join(self) -> T {
        crate::testing::turn();
        // Detached if this panics. Later locals are not on the stack meanwhile.
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

    /// Waits as [`join`](Self::join), but returns an error instead of panicking.
    ///
    /// # Errors
    /// If the task panicked, did not run, or is a future whose pool was dropped before it ended; if
    /// the resolver was dropped without a value.
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

    /// Takes the outcome of a task that has been settled.
    #[inline(never)]
    fn outcome(mut self) -> Outcome<T> {
        self.goes_on();
        let source = self.source.take().expect(WHOLE);
        // SAFETY: done and not detached: the outcome is ours.
        let outcome = unsafe { source.take() };
        outcome.expect("the promise of a future that was polled to its end has no value left")
    }

    /// Cancels the task if no thread has started it: drops its closure at once and returns true.
    /// Otherwise detaches the task and returns false.
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
    /// As [`Promise::join`], and if polled again after it was ready.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let completion = self.source().completion();
        if !completion.stage.is_done() && completion.leave_waker(context.waker()) {
            run_if_refused(self.source().pool());
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
            return run_if_refused(source.pool());
        }
        // SAFETY: done before it was detached: the outcome is ours.
        if let Some(outcome) = unsafe { source.take() } {
            dispose(source.pool(), outcome);
        }
    }
}

// A task that panics has no value, so no inconsistent value can be seen.
impl<T> UnwindSafe for Promise<T> {}
impl<T> RefUnwindSafe for Promise<T> {}

impl<T> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise")
            .field("finished", &self.source().completion().stage.is_done())
            .finish_non_exhaustive()
    }
}

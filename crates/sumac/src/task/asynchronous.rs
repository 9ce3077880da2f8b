//! Futures as tasks: each step, from one `await` to the next, is a task of its pool. A future that
//! is pending holds no worker.

use async_task::Runnable;
use std::{
    any::Any,
    future::{Future, poll_fn},
    mem,
    panic::{self, AssertUnwindSafe},
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};
use sumac_core::{
    Activity, ActivityState, PoolRef, Promise, Snapshot, ThreadPool, driven, swallow,
};

#[cfg(all(
    target_family = "wasm",
    target_os = "unknown",
    not(target_feature = "atomics")
))]
use sumac_core::wait_alone as park;
#[cfg(not(all(
    target_family = "wasm",
    target_os = "unknown",
    not(target_feature = "atomics")
)))]
use thread::park;

/// Runs a future as a task of the current pool, see [`spawn`](crate::spawn).
///
/// A thread that joins the promise runs steps of the future meanwhile, if they are due and no other
/// thread has started them, but nothing else. [`Promise::cancel`] ends the future at its next step.
/// A panic is resumed in the join of the promise or, if the promise has been dropped, goes to the
/// pool's [`panic_handler`](crate::ThreadPoolBuilder::panic_handler).
///
/// A future that awaits a [`Promise`] holds no worker meanwhile, so many tasks can wait for others.
///
/// A pool that is dropped still runs the steps that are due, until its workers find none. A future
/// that is pending then takes no more steps: when it is next woken, or cancelled, a thread of the
/// global pool drops it, or one that joins its promise, but never the thread that wakes it. The
/// promise ends in an error that says so
/// ([`JoinError::is_cancelled`](crate::JoinError::is_cancelled)). Until then it keeps what it owns.
///
/// # Examples
///
/// ```
/// let promise = sumac::spawn_async(async {
///     let six = sumac::spawn(|| 6);
///     six.await * 7
/// });
/// assert_eq!(promise.join(), 42);
/// ```
///
/// A chain of any length, where [`Promise::join`] would use the stack for each task:
///
/// ```
/// let mut last = sumac::spawn_async(async { 0 });
/// for _ in 0..100_000 {
///     let before = last;
///     last = sumac::spawn_async(async move { before.await + 1 });
/// }
/// assert_eq!(last.join(), 100_000);
/// ```
///
/// # Cost
/// Three allocations; some hundred nanoseconds for each step.
pub fn spawn_async<F>(future: F) -> Promise<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    start(PoolRef::current(), future)
}

/// Runs a future as a task of `pool`, see [`spawn_async`].
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPool::new();
/// assert_eq!(sumac::spawn_async_in(&pool, async { 7 }).join(), 7);
/// ```
pub fn spawn_async_in<F>(pool: &ThreadPool, future: F) -> Promise<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    start(PoolRef::of(pool), future)
}

fn start<F>(pool: PoolRef, future: F) -> Promise<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let steps = Arc::new(Steps {
        state: ActivityState::default(),
        pool: pool.clone(),
        due: Mutex::new(None),
        will: AtomicU8::new(GO),
        waker: Mutex::new(None),
    });
    let (resolver, promise) = driven(&pool, Arc::clone(&steps));
    let run = {
        let steps = Arc::clone(&steps);
        let mut future = Unpolled(Some(future));
        let values = Snapshot::here();
        async move {
            let future = pin!(future.0.take());
            let mut future = Polled(future);
            let mut begun = false;
            let mut outcome = poll_fn(|context| {
                if !mem::replace(&mut begun, true) {
                    steps.begin(context.waker());
                }
                if !steps.goes_on() {
                    return Poll::Ready(Ok(None));
                }
                let future = future.0.as_mut().as_pin_mut();
                let future = future.expect("it is polled until it is ready");
                match guarded(|| values.clone().around(|| future.poll(context))) {
                    Ok(poll) => poll.map(|value| Ok(Some(value))),
                    Err(payload) => Poll::Ready(Err(payload)),
                }
            })
            .await;
            if let Err(payload) = guarded(|| values.around(|| future.0.set(None))) {
                let first = mem::replace(&mut outcome, Err(payload));
                match first {
                    Ok(value) => discard(value),
                    first => discard(mem::replace(&mut outcome, first)),
                }
            }
            let goes_on = steps.end();
            match outcome {
                Ok(Some(value)) if goes_on => resolver.resolve(value),
                Ok(value) => {
                    discard(value);
                    resolver.cancel();
                }
                Err(payload) => resolver.fail(payload),
            }
        }
    };
    let schedule = move |step| steps.schedule(step);
    let (first, task) = async_task::spawn(run, schedule);
    task.detach();
    first.schedule();
    promise
}

/// A user's future before its first step. It may be dropped here, and in `Polled`, when its pool
/// has ended: `async-task` aborts on a panic in a destructor then, so such a panic is caught.
struct Unpolled<F>(Option<F>);

impl<F> Drop for Unpolled<F> {
    fn drop(&mut self) {
        discard(self.0.take());
    }
}

/// A user's future from its first step on.
struct Polled<'f, F>(Pin<&'f mut Option<F>>);

impl<F> Drop for Polled<'_, F> {
    fn drop(&mut self) {
        swallow(|| self.0.set(None));
    }
}

fn guarded<R>(f: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Drops `value`, and swallows a panic.
fn discard<T>(value: T) {
    swallow(|| drop(value));
}

/// The steps of a future.
struct Steps {
    state: ActivityState,
    pool: PoolRef,
    /// The next step, if it is due.
    due: Mutex<Option<Runnable>>,
    /// `GO`, `STOP` or `ENDED`.
    will: AtomicU8,
    /// Wakes the future, for `cancel`. Set from its first step to its last: it keeps the future
    /// alive.
    waker: Mutex<Option<Waker>>,
}

/// The future goes on.
const GO: u8 = 0;
/// It ends at its next step.
const STOP: u8 = 1;
/// It has no more steps.
const ENDED: u8 = 2;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Steps {
    fn schedule(self: &Arc<Self>, step: Runnable) {
        *lock(&self.due) = Some(step);
        self.pool.queue(Arc::clone(self));
    }

    fn take(&self) -> Option<Runnable> {
        lock(&self.due).take()
    }

    /// Returns whether to take another step.
    fn goes_on(&self) -> bool {
        self.will.load(Ordering::Acquire) == GO
    }

    /// Begins the first step: a later `cancel` wakes the future. (Its waker never changes, since it
    /// is a task of its own.)
    fn begin(&self, waker: &Waker) {
        *lock(&self.waker) = Some(waker.clone());
    }

    /// Ends the steps, and returns false if it was cancelled. Nothing wakes the future from then
    /// on; otherwise it would keep itself alive.
    fn end(&self) -> bool {
        let will = self.will.swap(ENDED, Ordering::AcqRel);
        let waker = lock(&self.waker).take();
        drop(waker);
        will == GO
    }
}

impl Activity for Steps {
    fn state(&self) -> &ActivityState {
        &self.state
    }

    fn advance(&self) -> bool {
        // Panics are caught inside.
        let run = |step: Runnable| self.state.during(|| step.run());
        self.take().map(run).is_some()
    }

    fn cancel(&self) -> bool {
        let go_to_stop = self
            .will
            .compare_exchange(GO, STOP, Ordering::AcqRel, Ordering::Acquire);
        if go_to_stop.is_err() {
            return false;
        }
        // The first step, if it is still to come, sees `STOP`.
        let waker = lock(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    fn abandon(&self) {
        self.will.store(ENDED, Ordering::Release);
        let waker = lock(&self.waker).take();
        discard(waker);
        // This drops the future, and with it the resolver. The future that waits for it is woken,
        // and left to another thread.
        discard(self.take());
    }

    fn is_due(&self) -> bool {
        lock(&self.due).is_some()
    }
}

/// Runs a future on the calling thread, which sleeps while the future is pending, and runs nothing
/// else.
///
/// To wait for a [`Promise`], use [`join`](Promise::join): it runs the task itself if no thread has
/// started it. A worker that blocks on a task waits for ever if no other worker is free to run it.
///
/// # Examples
///
/// ```
/// assert_eq!(sumac::block_on(async { 1 + 1 }), 2);
/// ```
///
/// # Panics
/// If the future does.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let sleeper = Arc::new(Sleeper {
        thread: thread::current(),
        woken: AtomicBool::new(false),
    });
    let waker = Waker::from(Arc::clone(&sleeper));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        let sleep = || {
            while !sleeper.woken.swap(false, Ordering::Acquire) {
                park();
            }
        };
        #[cfg(feature = "profile")]
        sumac_core::hooks::waiting(sleep);
        #[cfg(not(feature = "profile"))]
        sleep();
    }
}

/// A thread in [`block_on`].
struct Sleeper {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

//! `broadcast`: a call on each thread of a pool; `spawn_broadcast`: the same without waiting.

use super::{
    promise::Promise,
    scope::{self, TaskScope},
};
use crate::{
    join::{member::site::Line, thread::Thread},
    pool::{
        global,
        queues::{Link, WeakPool},
        seat::{self, is_outside},
        shared::Shared,
        thread_pool::ThreadPool,
    },
    protocol::{
        primitive::{Mutex, lock},
        task_lists::Order,
    },
};
use std::{
    fmt,
    marker::PhantomData,
    panic::Location,
    sync::{Arc, Weak},
};

/// The argument of a broadcast's closure, see [`broadcast`].
pub struct BroadcastContext<'a> {
    index: usize,
    num_threads: usize,
    lifetime: PhantomData<&'a ()>,
}

impl BroadcastContext<'_> {
    pub(super) fn new(index: usize, num_threads: usize) -> Self {
        BroadcastContext {
            index,
            num_threads,
            lifetime: PhantomData,
        }
    }

    /// Returns the index of the thread, below [`num_threads`](Self::num_threads). (That of the
    /// caller may be greater, if it is a thread that is too many since its pool was
    /// [resized](crate::ThreadPool::resize), and has not ended yet.)
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the number of threads of the pool, including the caller.
    pub fn num_threads(&self) -> usize {
        self.num_threads
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index)
            .field("num_threads", &self.num_threads)
            .finish()
    }
}

/// Calls `op` once on each worker of the current pool (see [`spawn`](crate::spawn)) and once on the
/// calling thread, and returns the results in the order of the threads' indices.
///
/// A worker answers when it has finished its job and run the tasks that it had spawned before and
/// no other thread has taken; or at once, on top of its stack, while it waits for anything. So `op`
/// must not wait for what a waiting thread may hold or has to provide: a lock that is held across a
/// join, for instance. (In rayon that holds for everything that a thread may steal.) An
/// outside caller has the last index; if a worker calls, that index is left out. In a pool with
/// [`use_current_thread`](crate::ThreadPoolBuilder::use_current_thread), any outside caller stands
/// for that thread. In pools whose callers [wait](crate::Callers), all threads of the pool are
/// called, from any caller.
///
/// While the caller waits for the answers it may run calls of other broadcasts, and nothing else.
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPoolBuilder::new().num_threads(3).build()?;
/// let indices = pool.install(|| sumac::broadcast(|context| context.index()));
/// assert_eq!(indices, [0, 1, 2]);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
///
/// # Cost
/// A wake-up per sleeping worker: 4 to 15 µs.
///
/// # Panics
/// If `op` panics, after all calls have ended; a panic on the calling thread comes first.
#[track_caller]
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    if global::is_outside() {
        return global::pool().broadcast(op);
    }
    broadcast_here(Location::caller(), &op)
}

/// Calls `op` on the threads of the current pool.
fn broadcast_here<OP, R>(line: Line, op: &OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let pool = seat::at_current((), |(), me| Arc::clone(me.queues.pool()));
    // Without a record the thread is that of no pool.
    call_all(pool.unwrap_or_default(), line, op)
}

/// Calls `op` on the threads of `pool`, one of which the calling thread may be.
fn call_all<OP, R>(pool: WeakPool, line: Line, op: &OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let results = Mutex::new(Vec::new());
    let call = |context: BroadcastContext<'_>| {
        let index = context.index();
        let result = op(context);
        lock(&results).push((index, result));
    };
    let body = &call;
    scope::enter(pool, Order::Any, line, |scope: &TaskScope<'_>| {
        let own = scope.call_others(line, |context| move |_: &TaskScope<'_>| body(context));
        own.map(call);
    });
    let mut results = results.into_inner().unwrap_or_else(|p| p.into_inner());
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Calls `op` once on each thread of the current pool (see [`spawn`](crate::spawn)), without
/// waiting.
///
/// A worker answers as in a [`broadcast`], between two jobs or tasks and after its own tasks; so
/// does the calling thread, if it is a worker. The index of outside threads, which no worker has,
/// is called on the thread that the pool starts for tasks when workers are missing. In a pool whose
/// callers wait and that was built with
/// [`use_current_thread`](crate::ThreadPoolBuilder::use_current_thread), that thread answers when
/// it yields.
///
/// A panic goes to the pool's [`panic_handler`](crate::ThreadPoolBuilder::panic_handler); without
/// one the process aborts. A pool that is dropped still runs all earlier calls.
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPoolBuilder::new().num_threads(3).build()?;
/// let (send, receive) = std::sync::mpsc::channel();
/// pool.spawn_broadcast(move |context| send.send(context.index()).expect("the receiver is there"));
/// let mut indices: Vec<_> = receive.iter().collect();
/// indices.sort();
/// assert_eq!(indices, [0, 1, 2]);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
///
/// # Cost
/// An allocation per thread, and a wake-up per sleeping thread.
#[track_caller]
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    spawn_broadcast_in(&seat::current_pool(), Location::caller(), op);
}

fn spawn_broadcast_in<OP>(pool: &Arc<Shared>, line: Line, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let op = Arc::new(op);
    let ((first, end), num_threads, _) = pool.all_workers();
    pool.at_any_seat(|pool, me| {
        let task = |pool: &WeakPool, index| {
            let op = Arc::clone(&op);
            let call = move || op(BroadcastContext::new(index, num_threads));
            // The promise is dropped: detached.
            Promise::of(pool, line, call).0
        };
        let own = me.queues.pool();
        for index in first..end {
            pool.call(me, Some(index), task(own, index));
        }
        if num_threads == end - first {
            return;
        }
        // The thread that built the pool, or any outside thread. If all workers were refused, the
        // reserve answers, before the tasks that are queued.
        let other = if first > 0 { 0 } else { num_threads - 1 };
        let is_builders = pool.threads.only_workers() && first > 0;
        // The pool does not wait for the thread that has built it.
        let uncounted = is_builders.then(|| Link::to(Weak::clone(own)));
        let call = task(uncounted.as_ref().unwrap_or(own), other);
        pool.call(me, is_builders.then_some(other), call);
        pool.run_if_refused(me);
    });
}

impl ThreadPool {
    /// Calls `op` on each thread of this pool, see [`broadcast`](crate::broadcast).
    ///
    /// # Panics
    /// If `op` panics.
    #[track_caller]
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        // The caller keeps the closure, which need not be `Send`.
        let (op, line) = (&op, Location::caller());
        // If all are refused, the caller is inside.
        self.shared().all_workers();
        let has_record = Thread::current().is_some();
        if has_record && !is_outside(self.shared()) {
            return self.install(|| broadcast_here(line, op));
        }
        // The caller calls all threads itself, instead of waiting for a worker to do so.
        let pool = Link::to(Arc::downgrade(self.shared()));
        call_all(pool, line, op)
    }

    /// Calls `op` on each thread of this pool, see [`spawn_broadcast`](crate::spawn_broadcast).
    #[track_caller]
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_broadcast_in(self.shared(), Location::caller(), op);
    }
}

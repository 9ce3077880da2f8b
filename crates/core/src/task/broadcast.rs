//! `broadcast`: a call on each thread of a pool; `spawn_broadcast`: the same without waiting.

use super::{
    bag::Order,
    promise::Promise,
    scope::{self, TaskScope},
};
use crate::{
    ThreadPool,
    join::member::{GUEST, Member},
    pool::{
        global,
        queues::Home,
        seat::{self, is_outside},
        shared::Shared,
    },
    protocol::primitive::{Mutex, lock},
};
use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Weak},
};

/// What a broadcast's closure is told, see [`broadcast`].
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

    /// Returns the index of the thread, below [`num_threads`](Self::num_threads).
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the number of threads of the pool, counting one that uses it.
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
/// A worker answers when it has ended what it is doing, and has begun the tasks that it had spawned
/// by then and no other thread has taken; or while it waits for something that this call is a part
/// of. A caller from outside has the last index; if a worker calls, that index is left out. In a
/// pool with a thread of its own
/// ([`use_current_thread`](crate::ThreadPoolBuilder::use_current_thread)), any caller from outside
/// stands for that. Where callers [wait](crate::Callers), all threads of the pool are
/// called, wherever the call comes from.
///
/// While the caller waits for the answers it may run those to other broadcasts, and nothing else.
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
/// A wake-up for each worker that sleeps: 4 to 15 µs.
///
/// # Panics
/// If `op` does, after all calls have ended; on the calling thread first.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    if global::is_outside() {
        return global::pool().broadcast(op);
    }
    broadcast_here(&op)
}

/// Calls `op` on the threads of the current pool.
fn broadcast_here<OP, R>(op: &OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let here = |me: &Member| {
        (
            Arc::clone(&me.queues.home),
            Places::of(me.shared(), Some(me)),
        )
    };
    // Without a record the thread is in no pool that it could speak for.
    let alone = |()| (Home::new(Weak::new()), Places::ALONE);
    let (pool, places) = seat::at_current((), |(), me| here(me)).unwrap_or_else(alone);
    call_all(pool, places, op)
}

/// The threads to call.
struct Places {
    /// Those that are called through their inbox, with the caller's own or without.
    first: usize,
    end: usize,
    /// The caller's index, if it speaks for a thread of the pool.
    mine: Option<usize>,
    num_threads: usize,
}

impl Places {
    const ALONE: Places = Places {
        first: 0,
        end: 0,
        mine: Some(0),
        num_threads: 1,
    };

    /// Those that a thread calls, which sits on `me` if it takes part in the pool's work.
    fn of(pool: &Shared, me: Option<&Member>) -> Self {
        let (first, end) = pool.all_workers();
        let num_threads = pool.threads.count();
        let speaks = |me: &&Member| me.index != GUEST || !pool.hands_over();
        Places {
            first,
            end,
            mine: me.filter(speaks).map(|me| pool.threads.index_of(me.index)),
            num_threads,
        }
    }
}

fn call_all<OP, R>(pool: Home, places: Places, op: &OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let num_threads = places.num_threads;
    let results: Vec<_> = (0..num_threads).map(|_| Mutex::new(None)).collect();
    let call = |index: usize| {
        let result = op(BroadcastContext::new(index, num_threads));
        *lock(&results[index]) = Some(result);
    };
    scope::enter(pool, Order::Any, |scope: &TaskScope<'_>| {
        for index in (places.first..places.end).filter(|&index| Some(index) != places.mine) {
            let call = &call;
            scope.spawn_on(index, move || call(index));
        }
        places.mine.map(call);
    });
    results
        .into_iter()
        .filter_map(|result| result.into_inner().unwrap_or_else(|p| p.into_inner()))
        .collect()
}

/// Calls `op` once on each thread of the current pool (see [`spawn`](crate::spawn)), and does not
/// wait for that.
///
/// A worker answers as it does to a [`broadcast`], between two jobs or tasks and after its own
/// tasks; so does the calling thread, if it is one. The index that no worker has, that of the
/// threads from outside, is answered by the thread which the pool starts for tasks where workers
/// are missing. In a pool that was asked for certain threads, and has the thread that built it,
/// that one answers when it yields.
///
/// A panic goes to the pool's [`panic_handler`](crate::ThreadPoolBuilder::panic_handler); without
/// one the process aborts. A pool that is dropped answers all calls that were made before.
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
/// An allocation for each thread, and a wake-up for each that sleeps.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    spawn_broadcast_in(&seat::current_pool(), op);
}

fn spawn_broadcast_in<OP>(pool: &Arc<Shared>, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let op = Arc::new(op);
    let home = Home::new(Arc::downgrade(pool));
    let (first, end) = pool.all_workers();
    let num_threads = pool.threads.count();
    let task = |index| {
        let op = Arc::clone(&op);
        let call = move || op(BroadcastContext::new(index, num_threads));
        // The promise is dropped: detached.
        Promise::of(Arc::clone(&home), call).0
    };
    pool.at_any_seat(|pool, me| {
        for index in first..end {
            pool.call_detached(me, Some(index), task(index));
        }
        if num_threads == end - first {
            return;
        }
        // The thread that built the pool, or any from outside.
        let other = pool.threads.guests_index();
        match (pool.threads.only_workers(), first > 0) {
            (false, _) => pool.call_detached(me, None, task(other)),
            (true, true) => pool.call_detached(me, Some(other), task(other)),
            // All workers were refused.
            (true, false) => pool.queue(me, task(other)),
        }
    });
}

impl ThreadPool {
    /// [`broadcast`](crate::broadcast) in this pool.
    ///
    /// # Panics
    /// If `op` does.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        // The caller keeps the closure, which need not be `Send`.
        let op = &op;
        if !is_outside(self.shared()) {
            return self.install(|| broadcast_here(op));
        }
        // The caller calls all threads, rather than wait for one that does.
        let pool = Home::new(Arc::downgrade(self.shared()));
        call_all(pool, Places::of(self.shared(), None), op)
    }

    /// [`spawn_broadcast`](crate::spawn_broadcast) in this pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_broadcast_in(self.shared(), op);
    }
}

//! `ThreadPool`, and what one can ask about the current one.

use crate::{BroadcastContext, Scope, ScopeFifo, Yield, global};
use std::fmt;

/// A pool of threads, see [`ThreadPoolBuilder`](crate::ThreadPoolBuilder).
///
/// A pool of *n* threads starts *n*, and work that comes from outside runs on those alone, while
/// its caller waits. When the pool is dropped they run what they are running and all tasks that are
/// queued, and then end; nothing waits for them.
pub struct ThreadPool(pub(crate) sumac_core::ThreadPool);

impl ThreadPool {
    /// Calls `op` in this pool, to which joins, scopes, tasks and iterators then belong.
    ///
    /// # Panics
    /// If `op` does.
    #[track_caller]
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.0.install(op)
    }

    /// [`broadcast`](crate::broadcast()) in this pool.
    ///
    /// # Panics
    /// If `op` does, after all calls have ended.
    #[track_caller]
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        self.0.broadcast(op)
    }

    /// How many threads the pool has.
    #[inline]
    pub fn current_num_threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// The index of the calling thread in this pool, below
    /// [`current_num_threads`](Self::current_num_threads). `None` if it is not inside of it.
    #[inline]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.0.current_thread_index()
    }

    /// Whether the calling thread has spawned tasks that have not begun. `None` if it is not inside
    /// of this pool.
    #[inline]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.0.current_thread_has_pending_tasks()
    }

    /// `install(|| join(a, b))`.
    ///
    /// # Panics
    /// As [`join`](crate::join()).
    #[track_caller]
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.0.join(oper_a, oper_b)
    }

    /// `install(|| scope(op))`.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.0.task_scope(op)
    }

    /// `install(|| scope_fifo(op))`.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.0.task_scope_fifo(op)
    }

    /// A scope of this pool, while `op` stays on the calling thread.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        self.0.in_place_scope(op)
    }

    /// As [`in_place_scope`](Self::in_place_scope), with the order of
    /// [`scope_fifo`](crate::scope_fifo()).
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        self.0.in_place_scope_fifo(op)
    }

    /// [`spawn`](crate::spawn()) in this pool.
    #[track_caller]
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        drop(self.0.spawn(op));
    }

    /// [`spawn_fifo`](crate::spawn_fifo()) in this pool.
    #[track_caller]
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        drop(self.0.spawn_fifo(op));
    }

    /// [`spawn_broadcast`](crate::spawn_broadcast()) in this pool.
    #[track_caller]
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        self.0.spawn_broadcast(op);
    }

    /// As [`yield_now`]; `None` if the calling thread is not inside of this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        self.0.yield_now()
    }

    /// As [`yield_local`]; `None` if the calling thread is not inside of this pool.
    pub fn yield_local(&self) -> Option<Yield> {
        self.0.yield_local()
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .finish_non_exhaustive()
    }
}

/// Whether the calling thread is inside of a pool, which then is the one that sumac's functions
/// mean, too.
pub(crate) fn is_inside() -> bool {
    current_thread_index().is_some()
}

/// The most threads that a pool can have.
pub fn max_num_threads() -> usize {
    sumac_core::max_num_threads()
}

/// How many threads the current pool has: the one that the calling thread is inside of, or the
/// global one.
#[inline]
pub fn current_num_threads() -> usize {
    sumac_core::threads_inside().unwrap_or_else(|| global::pool().current_num_threads())
}

/// The index of the calling thread in its pool, below [`current_num_threads`], which no other
/// thread has meanwhile. `None` outside of all pools.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    sumac_core::worker_index()
}

/// Whether the calling thread has spawned tasks that have not begun. `None` outside of all pools.
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    current_thread_index()?;
    sumac_core::current_thread_has_pending_tasks()
}

/// Runs one queued task of the current pool, on top of what the calling thread is doing; in a pool
/// of one thread, after about a millisecond of yields in vain, the second half of a join. `None`
/// outside of all pools.
pub fn yield_now() -> Option<Yield> {
    current_thread_index()?;
    sumac_core::yield_now()
}

/// As [`yield_now`], but runs only tasks that the calling thread itself has spawned.
pub fn yield_local() -> Option<Yield> {
    current_thread_index()?;
    sumac_core::yield_local()
}

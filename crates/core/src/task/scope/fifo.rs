//! `scope_fifo`: scopes whose tasks start in the order of their spawning.

use super::{BroadcastContext, Order, TaskScope, current_weak_pool, enter, scope_here};
use crate::pool::{global, queues::Link, thread_pool::ThreadPool};
use std::{fmt, panic::Location, ptr, sync::Arc};

/// A scope for tasks that borrow from outside of it, and start in order; see [`scope_fifo`].
#[repr(transparent)]
pub struct ScopeFifo<'scope>(TaskScope<'scope>);

impl<'scope> ScopeFifo<'scope> {
    fn of<'s>(scope: &'s TaskScope<'scope>) -> &'s Self {
        let scope: *const ScopeFifo<'scope> = ptr::from_ref(scope).cast();
        // SAFETY: from a reference to a scope, of which `ScopeFifo` is a transparent wrapper, and
        // for the same lifetimes. It has no operation that the scope does not have.
        unsafe { &*scope }
    }

    /// Spawns a task. It may start at once on an idle worker, and ends before the scope does.
    ///
    /// A thread that runs several of the tasks that one thread spawned in this scope starts them in
    /// the order of their spawning. The task gets the scope, to spawn more tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// let order = Mutex::new(Vec::new());
    /// sumac::scope_fifo(|s| {
    ///     for i in 0..3 {
    ///         let order = &order;
    ///         s.spawn_fifo(move |_| order.lock().unwrap().push(i));
    ///     }
    /// });
    /// assert_eq!(order.into_inner().unwrap().len(), 3);
    /// ```
    ///
    /// # Cost
    /// As [`TaskScope::spawn`].
    #[track_caller]
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.0.spawn(move |scope| body(ScopeFifo::of(scope)));
    }

    /// Spawns a task for each thread of the pool, see [`TaskScope::spawn_broadcast`].
    #[track_caller]
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.0
            .spawn_broadcast(move |scope, context| body(ScopeFifo::of(scope), context));
    }

    /// Drops the tasks that no thread has started, see [`TaskScope::cancel`].
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns whether the scope was cancelled, see [`TaskScope::is_cancelled`].
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeFifo")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// Creates a scope as [`scope`](crate::scope()) does. A thread that runs several tasks which one
/// thread has spawned starts them in the order of their spawning.
///
/// # Examples
///
/// ```
/// let mut words = ["fork", "join"];
/// sumac::scope_fifo(|s| {
///     for word in &mut words {
///         s.spawn_fifo(move |_| *word = &word[1..]);
///     }
/// });
/// assert_eq!(words, ["ork", "oin"]);
/// ```
///
/// # Cost
/// As [`scope`](crate::scope()).
///
/// # Panics
/// As [`scope`](crate::scope()).
#[track_caller]
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    let line = Location::caller();
    global::handed_over_from(line, || {
        scope_here(Order::Fifo, line, |scope| op(ScopeFifo::of(scope)))
    })
}

/// Creates a scope as [`scope_fifo`] does, for a closure that is not `Send`: it runs on the calling
/// thread.
///
/// # Panics
/// As [`scope`](crate::scope()).
#[track_caller]
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    let line = Location::caller();
    enter(current_weak_pool(), Order::Fifo, line, |scope| {
        op(ScopeFifo::of(scope))
    })
}

impl ThreadPool {
    /// Calls [`scope_fifo`](crate::scope_fifo) inside [`install`](Self::install).
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn task_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        let line = Location::caller();
        self.install_from(Some(line), || {
            scope_here(Order::Fifo, line, |scope| op(ScopeFifo::of(scope)))
        })
    }

    /// Creates a scope whose tasks run in this pool, in order, while `op` stays in the current one.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        let pool = Link::to(Arc::downgrade(self.shared()));
        let line = Location::caller();
        enter(pool, Order::Fifo, line, |scope| op(ScopeFifo::of(scope)))
    }
}

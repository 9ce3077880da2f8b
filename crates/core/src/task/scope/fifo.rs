//! `scope_fifo`: scopes whose tasks are begun in the order of their spawning.

use super::{BroadcastContext, Order, TaskScope, current_weak_pool, enter, seat};
use crate::{
    ThreadPool,
    pool::{global, queues::WeakPool},
};
use std::{fmt, ptr, sync::Arc};

/// Where tasks can be spawned that borrow from outside of it, and are begun in order; see
/// [`scope_fifo`].
#[repr(transparent)]
pub struct ScopeFifo<'scope>(TaskScope<'scope>);

impl<'scope> ScopeFifo<'scope> {
    fn of<'s>(scope: &'s TaskScope<'scope>) -> &'s Self {
        let scope: *const ScopeFifo<'scope> = ptr::from_ref(scope).cast();
        // SAFETY: from a reference to a scope, of which `ScopeFifo` is a transparent wrapper, and
        // for the same lifetimes. It lets one do with the scope nothing that the scope does not.
        unsafe { &*scope }
    }

    /// Spawns a task, which may begin at once on an idle worker, and has ended when the scope ends.
    ///
    /// Of the tasks that one thread spawns in this scope, a thread that runs several begins those
    /// first which were spawned first. The task gets the scope, to spawn more.
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
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.0.spawn(move |scope| body(ScopeFifo::of(scope)));
    }

    /// As [`TaskScope::spawn_broadcast`].
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.0
            .spawn_broadcast(move |scope, context| body(ScopeFifo::of(scope), context));
    }

    /// As [`TaskScope::cancel`].
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// As [`TaskScope::is_cancelled`].
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

/// As [`scope`](crate::scope()), but tasks that one thread spawns are begun in that order by a
/// thread that runs them.
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
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    global::handed_over(|| seat::taking_part(|| in_place_scope_fifo(op)))
}

/// As [`scope_fifo`], for closures that cannot be sent: both call theirs on the calling thread.
///
/// # Panics
/// As [`scope`](crate::scope()).
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    enter(current_weak_pool(), Order::Fifo, |scope| {
        op(ScopeFifo::of(scope))
    })
}

impl ThreadPool {
    /// [`scope_fifo`](crate::scope_fifo) in this pool: `install(|| scope_fifo(op))`.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    pub fn task_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| scope_fifo(op))
    }

    /// Creates a scope whose tasks run in this pool, in order, while `op` stays in the current one.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        let weak_pool = WeakPool::new(Arc::downgrade(self.shared()));
        enter(weak_pool, Order::Fifo, |scope| op(ScopeFifo::of(scope)))
    }
}

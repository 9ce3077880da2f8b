//! `scope`: tasks that may borrow from the stack of the thread that waits for them; `scope_fifo`:
//! the same, in order.

mod fifo;

pub use self::fifo::{ScopeFifo, in_place_scope_fifo, scope_fifo};

use super::{
    BroadcastContext,
    scope_tasks::{Body, ScopeTask, ScopeTasks, Spawned},
};
use crate::{
    carry::Carried,
    hooks,
    join::member::{Member, site::Line},
    pool::{
        global,
        queues::{Link, WeakPool},
        seat,
        thread_pool::ThreadPool,
    },
    protocol::task_lists::Order,
};
use std::{
    fmt,
    marker::PhantomData,
    mem,
    panic::{self, AssertUnwindSafe, Location},
    sync::Arc,
};

/// A scope for tasks that borrow from outside of it; see [`scope`]. Rayon calls it `Scope`.
#[doc(alias = "Scope")]
pub struct TaskScope<'scope> {
    pub(super) tasks: Arc<ScopeTasks>,
    /// The index of the worker whose task this was made for, or that of other threads.
    worker: usize,
    /// Invariant, as tasks may both read and write what lives for `'scope`.
    lifetime: PhantomData<Task<'scope>>,
}

type Task<'scope> = Box<dyn FnOnce(&TaskScope<'scope>) + Send + Sync + 'scope>;

impl<'scope> TaskScope<'scope> {
    pub(crate) fn of(tasks: Arc<ScopeTasks>, worker: usize) -> Self {
        TaskScope {
            tasks,
            worker,
            lifetime: PhantomData,
        }
    }

    /// Spawns a task. It may start at once on an idle worker, and ends before the scope does.
    ///
    /// The task gets the scope, to spawn more tasks. The order of tasks is unspecified.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut squares = [0; 8];
    /// sumac::scope(|s| {
    ///     for (i, square) in squares.iter_mut().enumerate() {
    ///         s.spawn(move |_| *square = i * i);
    ///     }
    /// });
    /// assert_eq!(squares[7], 49);
    /// ```
    ///
    /// # Cost
    /// One allocation, and some tens of nanoseconds.
    #[track_caller]
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&TaskScope<'scope>) + Send + 'scope,
    {
        let body = self.measured(body);
        self.tasks
            .add(self.worker, erased(Location::caller(), body));
        crate::testing::turn();
    }

    /// Spawns a task for each thread of the pool. All of them end before the scope does.
    ///
    /// The workers and the thread that waits for the scope run it. A worker does so between two
    /// jobs or tasks, after its own tasks; in a yield; or while it waits, whatever for, as in a
    /// broadcast: so the closure must not take a lock that is held across a wait. If a worker waits
    /// for the scope, the index of outside threads is left out, as in a
    /// [`broadcast`](crate::broadcast).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(3).build()?;
    /// let sum = AtomicUsize::new(0);
    /// pool.task_scope(|s| {
    ///     s.spawn_broadcast(|_, context| {
    ///         sum.fetch_add(context.index() + 1, Ordering::Relaxed);
    ///     });
    /// });
    /// assert_eq!(sum.into_inner(), 1 + 2 + 3);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// An allocation per thread, and a wake-up per sleeping thread.
    #[track_caller]
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&TaskScope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let body = Arc::new(body);
        let body_of = |context| {
            let body = Arc::clone(&body);
            move |scope: &TaskScope<'scope>| body(scope, context)
        };
        let line = Location::caller();
        if let Some(own) = self.call_others(line, body_of) {
            self.tasks
                .call_owner(erased(line, self.measured(body_of(own))));
        }
    }

    /// Spawns a task for each thread of the pool but the scope's owner. Returns the owner's context
    /// if it takes part in the pool's work.
    pub(crate) fn call_others<BODY>(
        &self,
        line: Line,
        body_of: impl Fn(BroadcastContext<'static>) -> BODY,
    ) -> Option<BroadcastContext<'static>>
    where
        BODY: FnOnce(&TaskScope<'scope>) + Send + 'scope,
    {
        let call = |context| erased(line, self.measured(body_of(context)));
        self.tasks.call_others(call)
    }

    /// Wraps a task to be measured if the calling thread profiles.
    fn measured<BODY>(
        &self,
        body: BODY,
    ) -> impl FnOnce(&TaskScope<'scope>) + Send + use<'scope, BODY>
    where
        BODY: FnOnce(&TaskScope<'scope>) + Send + 'scope,
    {
        let spawned = hooks::Spawned::new(&self.tasks.ends);
        move |scope: &TaskScope<'scope>| spawned.run(|| body(scope))
    }

    /// Drops the tasks that no thread has started, and those that are spawned later.
    ///
    /// # Examples
    ///
    /// ```
    /// sumac::scope(|s| {
    ///     s.cancel();
    ///     s.spawn(|_| unreachable!());
    /// });
    /// ```
    pub fn cancel(&self) {
        self.tasks.cancel();
    }

    /// Returns whether [`cancel`](Self::cancel) has been called. Long tasks may check it.
    ///
    /// # Examples
    ///
    /// ```
    /// sumac::scope(|s| {
    ///     s.cancel();
    ///     s.spawn(|_| unreachable!("tasks of a cancelled scope are dropped"));
    ///     assert!(s.is_cancelled());
    /// });
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.tasks.is_cancelled()
    }
}

/// A task of a scope, without its lifetime. Must be added to the tasks of its scope.
fn erased<'scope, BODY>(line: Line, body: BODY) -> ScopeTask
where
    BODY: FnOnce(&TaskScope<'scope>) + Send + 'scope,
{
    let mut body = Some(body);
    let task: Box<Spawned<Body<'scope>>> = Box::new(Spawned {
        carried: Carried::from_here(),
        line,
        body: move |scope: &TaskScope<'scope>| {
            if let Some(body) = body.take() {
                body(scope);
            }
        },
    });
    // SAFETY: only lifetimes change. The task is run or dropped before the scope ends
    // (scope_tasks.rs, *nothing outlives the scope*), and cannot distinguish the scope it gets from
    // one with the right lifetime.
    unsafe { mem::transmute::<Box<Spawned<Body<'scope>>>, ScopeTask>(task) }
}

impl fmt::Debug for TaskScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskScope")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// Calls `op` with a scope of the current pool (see [`spawn`](crate::spawn)), and returns when all
/// tasks that were spawned in it have ended. They may borrow whatever lives longer than the scope.
///
/// When `op` has returned, the caller runs tasks of this scope itself, and jobs that descend from
/// them. Workers start tasks while `op` is running, also in a pool of one thread: see
/// [`spawn`](crate::spawn).
///
/// # Examples
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// fn visit(depth: u32, count: &AtomicU32) {
///     count.fetch_add(1, Ordering::Relaxed);
///     if depth > 0 {
///         sumac::scope(|s| {
///             s.spawn(|_| visit(depth - 1, count));
///             s.spawn(|_| visit(depth - 1, count));
///         });
///     }
/// }
///
/// let count = AtomicU32::new(0);
/// visit(5, &count);
/// assert_eq!(count.into_inner(), 63);
/// ```
///
/// # Cost
/// One allocation and about a hundred nanoseconds.
///
/// # Panics
/// If `op` panics, or else if a task does, with the payload of the first. All tasks still run.
#[track_caller]
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&TaskScope<'scope>) -> R + Send,
    R: Send,
{
    let line = Location::caller();
    global::handed_over_from(line, || scope_here(Order::Any, line, op))
}

/// Creates a scope as [`scope`] does, for a closure that is not `Send`: it runs on the calling
/// thread.
///
/// # Panics
/// As [`scope`].
#[track_caller]
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&TaskScope<'scope>) -> R,
{
    let line = Location::caller();
    enter(current_weak_pool(), Order::Any, line, op)
}

/// Calls `op` with a scope of the current pool that is opened on this line of the program, while
/// the calling thread takes part.
fn scope_here<'scope, OP, R>(order: Order, line: Line, op: OP) -> R
where
    OP: FnOnce(&TaskScope<'scope>) -> R,
{
    seat::taking_part(line, |me| enter(weak_pool(me), order, line, op))
}

pub(super) fn current_weak_pool() -> WeakPool {
    let current = seat::at_current((), |(), me| weak_pool(Some(me)));
    current.unwrap_or_else(|()| weak_pool(None))
}

fn weak_pool(me: Option<&Member>) -> WeakPool {
    match me {
        Some(me) => Arc::clone(me.queues.pool()),
        None => Link::to(Arc::downgrade(&seat::current_pool())),
    }
}

/// Calls `op` with a scope of `pool` that is opened on this line of the program.
pub(super) fn enter<'scope, OP, R>(pool: WeakPool, order: Order, line: Line, op: OP) -> R
where
    OP: FnOnce(&TaskScope<'scope>) -> R,
{
    let tasks = ScopeTasks::new(pool, order, line);
    let owner = tasks.owner_index;
    let scope = TaskScope::of(tasks, owner);
    let result = panic::catch_unwind(AssertUnwindSafe(|| scope.tasks.inside(true, || op(&scope))));
    crate::testing::turn();
    let panicked = ScopeTasks::finish(&TaskScope::of(scope.tasks, owner));
    match (result, panicked) {
        (Ok(result), None) => result,
        (Ok(result), Some(payload)) => {
            crate::unwind::swallow(|| drop(result));
            panic::resume_unwind(payload)
        }
        (Err(own), later) => {
            if let Some(later) = later {
                crate::unwind::discard(later);
            }
            panic::resume_unwind(own)
        }
    }
}

impl ThreadPool {
    /// Calls [`scope`](crate::scope()) inside [`install`](Self::install).
    ///
    /// It is rayon's `ThreadPool::scope`. (The one here is chili's, and returns a
    /// [`Scope`](crate::Scope) for joins.)
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPool::new();
    /// let (mut a, mut b) = (0, 0);
    /// pool.task_scope(|s| {
    ///     s.spawn(|_| a = 1);
    ///     s.spawn(|_| b = 2);
    /// });
    /// assert_eq!((a, b), (1, 2));
    /// ```
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn task_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&TaskScope<'scope>) -> R + Send,
        R: Send,
    {
        let line = Location::caller();
        self.install_from(Some(line), || scope_here(Order::Any, line, op))
    }

    /// Creates a scope whose tasks run in this pool, while `op` stays in the current one.
    ///
    /// # Panics
    /// As [`scope`](crate::scope()).
    #[track_caller]
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&TaskScope<'scope>) -> R,
    {
        let pool = Link::to(Arc::downgrade(self.shared()));
        enter(pool, Order::Any, Location::caller(), op)
    }
}

//! `ThreadPool`, and functions about the current pool.

use super::{
    enclosing,
    find::run_one,
    seat::current_member,
    shared::Shared,
    stats::Stats,
    wait_for::{VAIN_YIELDS, yield_in_vain},
};
use crate::join::{
    chain::Root,
    member::{Member, MemberPtr},
    scope::Scope,
    steal,
    thread::{self, Thread},
    word::{Local, with_innermost},
};
use std::{
    fmt, io,
    panic::{RefUnwindSafe, UnwindSafe},
    ptr,
    rc::Rc,
    sync::Arc,
};

/// A pool of worker threads.
///
/// A pool of *n* threads starts *n - 1* workers: the caller takes part in its work, unless the pool
/// was built with names, handlers or a stack size (see
/// [`num_threads`](crate::ThreadPoolBuilder::num_threads)) or with
/// [`Callers::Wait`](crate::Callers::Wait). Any number of outside threads may use a pool at once.
/// An idle pool uses no processor time.
///
/// Dropping a pool does not wait: its threads finish all tasks, with what these fork and spawn, and
/// then end. If the program ends earlier, they are stopped.
/// [`wait_until_stopped`](Self::wait_until_stopped) waits for them.
///
/// # Examples
///
/// ```
/// use sumac::{ThreadPoolBuilder, join};
///
/// let pool = ThreadPoolBuilder::new().num_threads(4).build()?;
/// let (a, b) = pool.install(|| join(|| 1, || 2));
/// assert_eq!(a + b, 3);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPool {
    pub(super) shared: Arc<Shared>,
}

impl ThreadPool {
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns a scope on this pool, as in chili. Its joins run on the calling thread in all pools.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPool::new();
    /// let mut scope = pool.scope();
    /// assert_eq!(scope.join(|_| 1, |_| 2), (1, 2));
    /// ```
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first time on a thread some microseconds.
    pub fn scope(&self) -> Scope<'_> {
        let root = Thread::current().map(|thread| {
            // The scope borrows the pool, so the seat is not given up (`Seat`, *in use*).
            let seat = thread.seat_in(&self.shared);
            thread::renew_attention_of(seat.member());
            // SAFETY: the scope borrows the pool.
            thread.lend_root(unsafe { MemberPtr::of(seat.member()).get() })
        });
        Scope::owning(root.unwrap_or_else(|| Rc::new(Root::orphan())))
    }

    /// Returns the number of threads of the pool, including the caller.
    pub fn current_num_threads(&self) -> usize {
        self.shared.threads.count()
    }

    /// Returns the index of the calling thread in this pool, see
    /// [`current_thread_index`](crate::current_thread_index).
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// assert_eq!(pool.current_thread_index(), None);
    /// assert!(pool.install(|| pool.current_thread_index()).is_some_and(|index| index < 2));
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn current_thread_index(&self) -> Option<usize> {
        current_index(Some(&self.shared))
    }

    /// Does as [`current_thread_has_pending_tasks`](crate::current_thread_has_pending_tasks).
    /// Returns `None` outside of this pool.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        pending(Some(&self.shared))
    }

    /// Does as [`yield_now`](crate::yield_now). Returns `None` outside of this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        current_member(Some(&self.shared), |_| ())?;
        yield_now()
    }

    /// Does as [`yield_local`](crate::yield_local). Returns `None` outside of this pool.
    pub fn yield_local(&self) -> Option<Yield> {
        current_member(Some(&self.shared), |_| ())?;
        yield_local()
    }

    /// Returns the counters of the pool.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let before = pool.stats();
    /// pool.spawn(|| ()).join();
    /// let after = pool.stats();
    /// assert!(after.steals - before.steals <= after.promotions);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// Some nanoseconds per thread. Counting happens on the cold path only.
    pub fn stats(&self) -> Stats {
        Stats::of(self.shared.members.iter(), self.shared.now())
    }

    /// Returns the system's error if it refused to start some of the pool's threads.
    ///
    /// The pool works with the threads that started;
    /// [`current_num_threads`](Self::current_num_threads) counts those. In a pool that has been
    /// [resized](Self::resize) or [shut down](Self::shutdown) it is the first reason that there
    /// ever was, and some of those that are counted may have no thread. The pool asks for those
    /// that were refused at the next `resize`, and for those below others at the next broadcast,
    /// too.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// match pool.spawn_error() {
    ///     None => assert_eq!(pool.current_num_threads(), 2),
    ///     Some(refusal) => eprintln!("fewer threads: {refusal}"),
    /// }
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn spawn_error(&self) -> Option<&io::Error> {
        self.shared.refusal()
    }
}

// No code of users runs under the pool's locks, so a panic leaves it consistent.
impl UnwindSafe for ThreadPool {}
impl RefUnwindSafe for ThreadPool {}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// The result of [`yield_now`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// It ran a task.
    Executed,
    /// There was nothing to run.
    Idle,
}

/// Returns the number of threads of the current pool: the innermost installed one, that of the
/// running job, or the global pool.
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPoolBuilder::new().num_threads(3).build()?;
/// assert_eq!(pool.install(sumac::current_num_threads), 3);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
pub fn current_num_threads() -> usize {
    current_member(None, |member| member.shared().threads.count())
        .unwrap_or_else(|| crate::pool::global::pool().current_num_threads())
}

/// Returns the index of the calling thread in its pool, below [`current_num_threads`]. (That of a
/// thread that is too many since the pool was [resized](crate::ThreadPool::resize) may be greater,
/// until it has ended, or a caller's.)
///
/// Workers have the lower indices. An outside thread has the last one while it takes part in the
/// pool's work: in joins, loops, scopes and [`install`](crate::ThreadPool::install). In the global
/// pool it keeps that index from its first such call on, also between calls. Returns `None` for
/// other threads.
///
/// No two threads that work at the same time have the same index, unless **several outside
/// threads** take part, or one does while a task runs on the thread that was started for tasks (see
/// [`spawn`](crate::spawn)): those share the last index. In rayon outside callers wait instead.
/// They also do in a pool that is built for it (see
/// [`num_threads`](crate::ThreadPoolBuilder::num_threads)), where each thread has an index of its
/// own: use such a pool for data that is indexed without locks.
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPoolBuilder::new().num_threads(3).build()?;
/// assert_eq!(pool.install(sumac::current_thread_index), Some(2));
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
pub fn current_thread_index() -> Option<usize> {
    current_index(None)
}

/// Returns whether other threads could still take work of the calling thread: a task of its own is
/// queued, or the second half of a plain join is open or offered. Returns `None` outside of all
/// pools.
///
/// This is a hint, since other threads may take the work at any time. The joins of a [`Scope`]
/// count only once they are offered.
///
/// # Examples
///
/// ```
/// use sumac::{current_thread_has_pending_tasks, join};
///
/// let pool = sumac::ThreadPoolBuilder::new().num_threads(1).build()?;
/// pool.install(|| {
///     assert_eq!(current_thread_has_pending_tasks(), Some(false));
///     let pending = current_thread_has_pending_tasks;
///     let (first, second) = join(pending, pending);
///     assert_eq!((first, second), (Some(true), Some(false)));
/// });
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    pending(None)
}

fn pending(pool: Option<&Arc<Shared>>) -> Option<bool> {
    current_member(pool, |me| {
        // No other thread promotes it meanwhile.
        let _cold = Local::current().remote.begin_cold();
        let is_open = with_innermost(|frame| frame.is_some_and(|frame| !frame.is_promoted()));
        is_open || !me.offers.is_empty() || !me.queues.tasks.is_empty()
    })
}

fn current_index(pool: Option<&Arc<Shared>>) -> Option<usize> {
    current_member(pool, |member| {
        member.shared().threads.index_of(member.index)
    })
}

/// Yields: offers work to idle threads if they have asked for it, then runs one queued task of the
/// current pool: the oldest task of the calling thread, or else of another thread; now and then the
/// other way round, so that others' tasks are run where own ones come for ever. If there is none,
/// and the calling thread is a worker of another pool, runs one of that; else yields to other
/// threads of the system. Returns `None` outside of all pools.
///
/// So a task may wait in a loop for tasks that it has spawned in the current pool: they run even if
/// all threads of the pool are in such loops. To wait for a [`Promise`](crate::Promise), or for a
/// task of another pool, whose threads may all wait for this one, use
/// [`join`](crate::Promise::join).
///
/// The task may be any task of the pool, and runs **on the caller's stack**, while the caller
/// waits. Hold no lock and no borrow over a yield that a task may need: the task would wait for a
/// thread that is below it on the same stack. Tasks that yield inside one another nest, so stacks
/// grow with them. A call of a [`broadcast`](crate::broadcast) to this thread also runs here. The
/// second halves of joins, and parts of loops, do not run, but in a pool of one thread after about
/// a millisecond of yields in vain, in others after ten seconds in which no thread of the pool has
/// started or offered any.
///
/// # Examples
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
/// use sumac::{spawn, yield_now};
///
/// let done = Arc::new(AtomicUsize::new(0));
/// for _ in 0..10 {
///     let done = Arc::clone(&done);
///     spawn(move || done.fetch_add(1, Ordering::Release));
/// }
/// while done.load(Ordering::Acquire) < 10 {
///     yield_now();
/// }
/// ```
///
/// # Cost
/// That of the task, or a system call and a look at each member of the pool.
pub fn yield_now() -> Option<Yield> {
    give_way(false)
}

/// Yields as [`yield_now`], but runs only tasks that the calling thread itself has spawned, and
/// tasks of [`scope`](crate::scope())s that it is inside.
pub fn yield_local() -> Option<Yield> {
    give_way(true)
}

fn give_way(local: bool) -> Option<Yield> {
    if current_member(None, |_| ()).is_none() {
        return enclosing::answer().then_some(Yield::Executed);
    }
    crate::join::promote::tick_plain();
    let thread = Thread::current()?;
    // A worker or reserve that is a guest of the current pool may be the only thread of its own.
    let any = |run: fn(&Thread, &Member, bool) -> bool| {
        let mut own = (0..).map_while(|nth| thread.own(nth));
        thread.with_member(|me| {
            run(&thread, me, local) || own.any(|own| !ptr::eq(own, me) && run(&thread, own, local))
        })
    };
    let is_vain = thread.vain_yields.get() >= VAIN_YIELDS;
    if any(run_one)?
        || enclosing::answer()
        || (is_vain && any(steal::run_any)?)
        || yield_in_vain(&thread)
    {
        thread.vain_yields.set(0);
        return Some(Yield::Executed);
    }
    Some(Yield::Idle)
}

//! `ThreadPool`, and what one can ask about the current one.

use crate::{
    member::{GUEST, Member},
    scope::Scope,
    shared::Shared,
    stats::Stats,
    thread,
};
use std::{
    fmt, io, mem,
    panic::{RefUnwindSafe, UnwindSafe},
    ptr,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
};

/// A pool of worker threads.
///
/// A pool of *n* threads starts *n - 1* workers: the thread that uses it takes part. Any number of outside threads may
/// use a pool at once. An idle pool uses no processor time. Dropping a pool ends and joins its workers, once they have run
/// all tasks that are queued.
///
/// # Examples
///
/// ```
/// use sumac_core::{ThreadPoolBuilder, join};
///
/// let pool = ThreadPoolBuilder::new().num_threads(4).build()?;
/// let (a, b) = pool.install(|| join(|| 1, || 2));
/// assert_eq!(a + b, 3);
/// # Ok::<(), sumac_core::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPool {
    shared: Arc<Shared>,
    handles: Vec<JoinHandle<()>>,
    spawn_error: Option<io::Error>,
    /// The process that has the workers.
    process: u32,
}

impl ThreadPool {
    /// A pool whose workers have not been started.
    pub(crate) fn without_workers(shared: Arc<Shared>) -> Self {
        ThreadPool {
            shared,
            handles: Vec::new(),
            spawn_error: None,
            process: std::process::id(),
        }
    }

    /// Remembers a worker to be joined; a custom spawn handler gives none.
    pub(crate) fn add_worker(&mut self, handle: Option<JoinHandle<()>>) {
        self.handles.extend(handle);
    }

    /// Does without the workers from `first` on, which the system refused.
    pub(crate) fn lose_workers(&mut self, first: usize, refusal: io::Error) {
        self.shared.lose_workers(first);
        self.spawn_error = Some(refusal);
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns a scope on this pool, chili's way to use it.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac_core::ThreadPool::new();
    /// let mut scope = pool.scope();
    /// assert_eq!(scope.join(|_| 1, |_| 2), (1, 2));
    /// ```
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first time on a thread some microseconds.
    pub fn scope(&self) -> Scope<'_> {
        let root = thread::with(|thread| {
            let member = thread.member_of(&self.shared);
            thread::renew_attention_of(member);
            thread.lend_root(member)
        });
        Scope::owning(root.unwrap_or(ptr::null_mut()))
    }

    /// Runs `op` on the calling thread, with this pool as the one that plain joins inside belong to.
    ///
    /// Nothing is handed over: the caller takes part in the pool's work for as long as `op` runs.
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first time on a thread some microseconds.
    ///
    /// # Panics
    /// If `op` does.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        let mut op = Some(op);
        let result = thread::with(|thread| {
            let member = thread.member_of(&self.shared);
            let _lent = Lent::index(&self.shared, member);
            thread.inside(member, || op.take().map(|op| op()))
        });
        match (result.flatten(), op) {
            (Some(result), _) => result,
            (None, Some(op)) => op(),
            (None, None) => unreachable!("the operation has either run or not"),
        }
    }

    /// `install(|| join(a, b))`.
    ///
    /// # Panics
    /// As [`join`](crate::join).
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| crate::join(a, b))
    }

    /// How many threads the pool has, counting the one that uses it.
    pub fn current_num_threads(&self) -> usize {
        self.shared.num_threads()
    }

    /// The index of the calling thread in this pool, see [`current_thread_index`](crate::current_thread_index).
    pub fn current_thread_index(&self) -> Option<usize> {
        current_member(Some(&self.shared), |member| self.shared.index_of(member))?
    }

    /// As [`yield_now`](crate::yield_now); `None` outside of this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        current_member(Some(&self.shared), |_| ())?;
        yield_now()
    }

    /// What the pool has counted so far.
    ///
    /// # Cost
    /// Nothing where the counting is done but on the cold path; reading takes some nanoseconds per thread.
    pub fn stats(&self) -> Stats {
        Stats::of(self.shared.members(), self.shared.now())
    }

    /// Why the pool has fewer threads than it was asked for, if it has: the system's refusal to start one.
    ///
    /// The pool works with the threads it got; [`current_num_threads`](Self::current_num_threads) counts those.
    pub fn spawn_error(&self) -> Option<&io::Error> {
        self.spawn_error.as_ref()
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // A child of fork has the pool but not its workers, and cannot even detach them.
            mem::forget(mem::take(&mut self.handles));
            return;
        }
        self.shared.terminate();
        // Whoever drops a pool inside a job cannot wait for its workers: one of them may be waiting for that job.
        let inside_a_job = thread::with(|thread| thread.level() > 0).unwrap_or(false);
        if !inside_a_job {
            for handle in self.handles.drain(..).chain(self.shared.reserve.end()) {
                let _ = handle.join();
            }
        }
        self.shared.end_life();
    }
}

// No code of users runs under the pool's locks, so a panic finds it whole.
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

/// The index after the workers', lent to the first guest inside `install`.
struct Lent<'p> {
    shared: Option<&'p Shared>,
}

impl<'p> Lent<'p> {
    fn index(shared: &'p Shared, member: *const Member) -> Self {
        // SAFETY: the thread's seat keeps the member.
        let guest = unsafe { (*member).index } == GUEST;
        let lent = guest
            && shared
                .caller
                .compare_exchange(
                    ptr::null_mut(),
                    member.cast_mut(),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok();
        Lent {
            shared: lent.then_some(shared),
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared {
            shared.caller.store(ptr::null_mut(), Ordering::Relaxed);
        }
    }
}

/// What [`yield_now`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// It ran a job.
    Executed,
    /// There was nothing to run.
    Idle,
}

/// Calls `f` with the member of the current context, if it is one of `pool`.
fn current_member<R>(pool: Option<&Arc<Shared>>, f: impl FnOnce(&Member) -> R) -> Option<R> {
    thread::with(|thread| {
        let member = thread.current_member();
        // SAFETY: the member of the current context lives as long as the context.
        let member = unsafe { member.as_ref() }?;
        if pool.is_some_and(|pool| !ptr::eq(Arc::as_ptr(pool), member.shared)) {
            return None;
        }
        Some(f(member))
    })
    .flatten()
}

/// How many threads the current pool has: the innermost installed one, that of the running job, or the global one.
///
/// # Examples
///
/// ```
/// let pool = sumac_core::ThreadPoolBuilder::new().num_threads(3).build()?;
/// assert_eq!(pool.install(sumac_core::current_num_threads), 3);
/// # Ok::<(), sumac_core::ThreadPoolBuildError>(())
/// ```
pub fn current_num_threads() -> usize {
    current_member(None, |member| member.shared().num_threads())
        .unwrap_or_else(|| crate::global::pool().current_num_threads())
}

/// The index of the calling thread in its pool, below [`current_num_threads`].
///
/// Workers have one; of the threads from outside, the first that is inside
/// [`install`](crate::ThreadPool::install). `None` for all others.
pub fn current_thread_index() -> Option<usize> {
    current_member(None, |member| member.shared().index_of(member))?
}

/// Gives way: offers work to idle threads if they have asked for it, then lets other threads of the system run.
///
/// It never starts unrelated work on the caller's stack. `None` outside of all pools.
pub fn yield_now() -> Option<Yield> {
    current_member(None, |_| ())?;
    crate::promote::tick_plain();
    std::thread::yield_now();
    Some(Yield::Idle)
}

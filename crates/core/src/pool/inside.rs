//! What a crate needs that has a global pool of its own: joins and indices that leave ours alone.

use super::thread_pool::current_member;
use crate::join::{
    hot_path::join_or,
    member::{GUEST, Member},
    promote,
};

/// As [`join`](crate::join), but a thread that is inside of nothing (no `install`, job, task or
/// base) does not become a member of the global pool: it calls `outside` with both closures.
/// (Beside a [`Scope`](crate::Scope) that is alive on the thread, it may also call them itself, one
/// after the other.)
///
/// Each closure is told whether another thread has taken it. The first never is, and `outside`
/// tells both what it likes.
///
/// # Examples
///
/// ```
/// use sumac::{ThreadPool, join, join_inside};
///
/// type Told = fn(bool) -> bool;
/// let told: Told = |told| told;
/// let pool = ThreadPool::new();
/// let outside = |a: Told, b: Told| pool.install(|| join(|| a(true), || b(true)));
/// assert_eq!(join_inside(told, told, outside), (true, true));
/// let (a, _) = pool.install(|| join_inside(told, told, outside));
/// assert!(!a);
/// ```
///
/// # Cost
/// As [`join`](crate::join).
///
/// # Panics
/// As [`join`](crate::join), and if `outside` does.
#[inline(always)]
pub fn join_inside<A, B, RA, RB>(a: A, b: B, outside: impl FnOnce(A, B) -> (RA, RB)) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_or(a, b, promote::tick_inside, outside)
}

/// Returns the calling thread's index in the pool of its current context, if no other thread has it
/// at the same time: `None` for guests, which have one in common, and outside of all pools.
///
/// # Examples
///
/// ```
/// use sumac::{Callers, ThreadPoolBuilder, worker_index};
///
/// let pool = ThreadPoolBuilder::new().num_threads(2).callers(Callers::Wait).build()?;
/// assert!(pool.install(worker_index).is_some_and(|index| index < 2));
/// assert_eq!(worker_index(), None);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
pub fn worker_index() -> Option<usize> {
    on_own_seat(|member| member.shared().threads.index_of(member.index))
}

/// Returns the number of threads of the pool of the calling thread's current context. `None` where
/// [`worker_index`] is.
///
/// # Examples
///
/// ```
/// use sumac_core::{Callers, ThreadPoolBuilder, threads_inside};
///
/// let pool = ThreadPoolBuilder::new().num_threads(2).callers(Callers::Wait).build()?;
/// assert_eq!(pool.install(threads_inside), Some(2));
/// assert_eq!(threads_inside(), None);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
///
/// # Cost
/// One look at the thread's record: iterators ask at the beginning of every loop.
pub fn threads_inside() -> Option<usize> {
    on_own_seat(|member| member.shared().threads.count())
}

/// Calls `f` with the member of the current context, unless that is a guest's.
#[inline(always)]
fn on_own_seat<R>(f: impl FnOnce(&Member) -> R) -> Option<R> {
    current_member(None, |member| (member.index != GUEST).then(|| f(member))).flatten()
}

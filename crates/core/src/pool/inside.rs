//! Joins and indices that do not use the global pool, for crates that have a global pool of their
//! own.

use super::{seat::current_member, threads::GUEST};
use crate::join::{hot_path::join_or, member::Member, promote};

/// Does as [`join`](crate::join), but a thread outside of all pools (in no `install`, job, task or
/// base) does not become a member of the global pool: it calls `outside` with both closures. (If a
/// [`Scope`](crate::Scope) is alive on the thread, it may also call them itself, one after the
/// other.)
///
/// The argument of each closure is whether another thread has taken it. For the first it is always
/// false; `outside` chooses both.
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
/// As [`join`](crate::join), and if `outside` panics.
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
/// at the same time. Returns `None` for guests, which share one index, and outside of all pools.
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

/// Returns the number of threads of the pool of the calling thread's current context, or `None` if
/// [`worker_index`] does.
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
/// One load: iterators call it at the start of every loop.
pub fn threads_inside() -> Option<usize> {
    on_own_seat(|member| member.shared().threads.count())
}

/// Calls `f` with the member of the current context, unless it is a guest's.
#[inline(always)]
fn on_own_seat<R>(f: impl FnOnce(&Member) -> R) -> Option<R> {
    current_member(None, |member| (member.index != GUEST).then(|| f(member))).flatten()
}

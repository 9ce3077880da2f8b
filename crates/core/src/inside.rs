//! What a crate needs that has a global pool of its own: joins and indices that leave ours alone.

use crate::{
    join::join_or,
    member::{GUEST, Member},
    pool::current_member,
    promote,
};

/// As [`join`](crate::join), but a thread that is inside of nothing (no `install`, job, task or
/// base) does not become a member of the global pool: it calls `outside` with both closures.
/// (Beside a [`Scope`](crate::Scope) that is alive on the thread, it may also call them itself, one
/// after the other.)
///
/// # Examples
///
/// ```
/// use sumac_core::{ThreadPool, join, join_inside};
///
/// let pool = ThreadPool::new();
/// let (a, b) = join_inside(|| 1, || 2, |a, b| pool.install(|| join(a, b)));
/// assert_eq!(a + b, 3);
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
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_or(a, b, promote::tick_inside, outside)
}

/// The calling thread's index in the pool of its current context, if no other thread has it at the
/// same time: `None` for guests, which have one in common, and outside of all pools.
///
/// # Examples
///
/// ```
/// use sumac_core::{Callers, ThreadPoolBuilder, worker_index};
///
/// let pool = ThreadPoolBuilder::new().num_threads(2).callers(Callers::TakeTurns).build()?;
/// assert!(pool.install(worker_index).is_some_and(|index| index < 2));
/// assert_eq!(worker_index(), None);
/// # Ok::<(), sumac_core::ThreadPoolBuildError>(())
/// ```
pub fn worker_index() -> Option<usize> {
    let index = |member: &Member| (member.index != GUEST).then(|| member.shared().index_of(member));
    current_member(None, index).flatten()
}

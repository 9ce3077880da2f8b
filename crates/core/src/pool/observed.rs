//! A pool as its observer sees it, behind the feature `hooks` (hooks/observer.rs).

use super::{seat, shared::Shared, thread_pool::ThreadPool};
use crate::hooks::{Observer, Seat};
use std::{fmt, sync::Arc};

/// A pool, as its observer sees it.
pub struct Observed(Arc<Shared>);

impl Observed {
    /// This one.
    pub fn pool(pool: &ThreadPool) -> Self {
        Observed(Arc::clone(pool.shared()))
    }

    /// The current one: that of the innermost [`install`](ThreadPool::install), of the running job,
    /// or the global one.
    pub fn current() -> Self {
        Observed(seat::current_pool())
    }

    /// The time on its clock, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.now()
    }

    /// Its observer, which `new` makes if there is none.
    pub fn observer(&self, new: impl FnOnce() -> Box<dyn Observer>) -> &dyn Observer {
        self.0.members.observer.or_init(new)
    }

    /// All its seats.
    pub fn seats(&self) -> impl Iterator<Item = Seat<'_>> {
        self.0.members.iter().map(Seat)
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observed").finish_non_exhaustive()
    }
}

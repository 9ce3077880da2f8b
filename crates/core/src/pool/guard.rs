//! References of threads to a pool: one that keeps its tasks running, and pointers to its members.

use super::shared::Shared;
use crate::join::member::Member;
use std::sync::Arc;

/// A thread of the pool, running or to be started, that may run tasks.
pub(crate) struct PoolGuard(Arc<Shared>);

impl PoolGuard {
    pub(crate) fn new(pool: &Arc<Shared>) -> Self {
        pool.ending.add_guard();
        PoolGuard(Arc::clone(pool))
    }

    pub(crate) fn pool(&self) -> &Arc<Shared> {
        &self.0
    }
}

impl Drop for PoolGuard {
    fn drop(&mut self) {
        self.0.release_guard();
    }
}

/// A pointer to a member of a pool.
#[derive(Clone, Copy)]
pub(crate) struct MemberPtr(pub(crate) *const Member);

// SAFETY: members are `Sync` and live as long as their pool.
unsafe impl Send for MemberPtr {}
// SAFETY: as for `Send`.
unsafe impl Sync for MemberPtr {}

impl MemberPtr {
    /// Returns the member. The caller belongs to the pool, or holds it.
    pub(crate) fn get(&self) -> &Member {
        // SAFETY: members live as long as their pool, where all of these are kept.
        unsafe { &*self.0 }
    }
}

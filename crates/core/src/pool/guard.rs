//! A reference of a thread to its pool, which keeps the pool's tasks running.

use super::shared::Shared;
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

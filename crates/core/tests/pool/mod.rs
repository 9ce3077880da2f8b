//! What the small programs for Miri share, those of the other crates too.

use std::ops::Deref;
use sumac_core::ThreadPool;

/// A pool that waits for its threads when it is dropped: Miri wants them to have ended with the
/// program.
pub(crate) struct Pool(Option<ThreadPool>);

impl From<ThreadPool> for Pool {
    fn from(pool: ThreadPool) -> Self {
        Pool(Some(pool))
    }
}

impl Deref for Pool {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        self.0.as_ref().expect("it is taken by the drop only")
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(pool) = self.0.take() {
            pool.wait_until_stopped();
        }
    }
}

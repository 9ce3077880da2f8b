//! The global pool: built at its first use, never dropped.

use crate::{
    builder::{ThreadPoolBuildError, ThreadPoolBuilder},
    pool::ThreadPool,
};
use std::sync::OnceLock;

static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// The global pool.
///
/// # Panics
/// Never in practice: a pool that gets no threads works without.
pub(crate) fn pool() -> &'static ThreadPool {
    POOL.get_or_init(|| {
        ThreadPoolBuilder::new()
            .build()
            .expect("the default configuration is a valid one")
    })
}

/// Makes `pool` the global one unless there is one.
pub(crate) fn set(pool: ThreadPool) -> Result<(), ThreadPool> {
    POOL.set(pool)
}

/// Builds the global pool unless there is one.
pub(crate) fn build(
    build: impl FnOnce() -> Result<ThreadPool, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    if POOL.get().is_some() {
        return Err(ThreadPoolBuildError::global_exists());
    }
    let mut result = Err(ThreadPoolBuildError::global_exists());
    let pool = build()?;
    POOL.get_or_init(|| {
        result = Ok(());
        pool
    });
    result
}

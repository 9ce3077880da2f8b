//! The global pool: built at its first use, or by
//! [`build_global`](crate::ThreadPoolBuilder::build_global), and never dropped.

use crate::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Mutex, OnceLock, PoisonError};

static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// Held while the pool is being built, so that only one is.
static BUILDING: Mutex<()> = Mutex::new(());

/// The global pool.
#[inline]
pub(crate) fn pool() -> &'static ThreadPool {
    POOL.get().unwrap_or_else(|| default())
}

#[cold]
fn default() -> &'static ThreadPool {
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    POOL.get_or_init(|| ThreadPoolBuilder::new().build_with_what_it_gets())
}

/// Builds the global pool unless there is one.
pub(crate) fn set(
    build: impl FnOnce() -> Result<ThreadPool, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if POOL.get().is_some() {
        return Err(ThreadPoolBuildError::global_exists());
    }
    let pool = build()?;
    POOL.get_or_init(|| pool);
    Ok(())
}

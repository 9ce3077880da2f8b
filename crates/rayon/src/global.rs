//! The global pool: sumac's own, in which loops run that belong to no other. It is built at its
//! first use, or by [`build_global`](crate::ThreadPoolBuilder::build_global), and never dropped.
//!
//! Rayon's functions look there where the calling thread is inside no pool. Which of sumac's crates
//! uses it first does not matter to a program: the feature `as-rayon` has sumac-core build one
//! whose outside callers wait, and whose threads take the newest of their own tasks first, as
//! `build_global` does here. But a loop that comes first looks for `SUMAC_NUM_THREADS` and
//! `RAYON_NUM_THREADS`, not for `RAYON_RS_NUM_CPUS`, and announces nothing.

use crate::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// Held while a pool is being built here, so that only one is: a first use during `build_global`
/// waits for that.
static BUILDING: Mutex<()> = Mutex::new(());

/// The global pool.
#[inline]
pub(crate) fn pool() -> &'static sumac_core::ThreadPool {
    sumac_core::built_global().unwrap_or_else(|| default())
}

#[cold]
fn default() -> &'static sumac_core::ThreadPool {
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    sumac_core::global_or(|| ThreadPoolBuilder::new().build_with_what_it_gets())
}

/// Builds the global pool unless there is one.
pub(crate) fn set(
    build: impl FnOnce() -> Result<ThreadPool, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if sumac_core::built_global().is_some() {
        return Err(ThreadPoolBuildError::global_exists());
    }
    let ThreadPool(pool) = build()?;
    pool.set_global()
        .map_err(|_| ThreadPoolBuildError::global_exists())
}

//! The global pool: built at its first use, never dropped; and what is handed over to its threads.

use super::{
    builder::ThreadPoolBuilder, callers::Callers, error::ThreadPoolBuildError, thread,
    thread_pool::ThreadPool,
};
use crate::join::word::LocalRef;
use std::sync::OnceLock;

static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// The global pool.
///
/// # Panics
/// Never in practice: a pool that gets no threads works without.
pub(crate) fn pool() -> &'static ThreadPool {
    let as_rayon = cfg!(feature = "as-rayon");
    let callers = if as_rayon {
        Callers::Wait
    } else {
        Callers::default()
    };
    global_or(|| {
        ThreadPoolBuilder::new()
            .callers(callers)
            .newest_first(as_rayon)
            .build()
            .expect("the default configuration is a valid one")
    })
}

/// Returns the global pool, which `build` builds if this is its first use.
///
/// # Panics
/// If `build` does.
#[inline]
pub fn global_or(build: impl FnOnce() -> ThreadPool) -> &'static ThreadPool {
    POOL.get_or_init(build)
}

/// Returns the global pool, if it has been built.
#[inline]
pub fn built_global() -> Option<&'static ThreadPool> {
    POOL.get()
}

/// Calls `op`: on a thread of the global pool if that takes all work over and the calling thread is
/// at its base, else here.
///
/// # Cost
/// One comparison for most threads.
#[inline]
pub fn handed_over<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    if is_outside() {
        return elsewhere(op);
    }
    op()
}

/// Whether the global pool takes all work over and the calling thread is at its base.
#[inline]
pub(crate) fn is_outside() -> bool {
    LocalRef::current().is_asked() && base_hands_over()
}

/// Whether the calling thread is at its base and hands over what it does there.
#[cold]
#[inline(never)]
fn base_hands_over() -> bool {
    let base = thread::with(|thread| {
        thread.ensure_base();
        thread.context().is_null()
    });
    base.unwrap_or(false)
}

/// Calls `op` on a thread of the global pool.
#[cold]
#[inline(never)]
pub(crate) fn elsewhere<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    let (mut op, mut result) = (Some(op), None);
    install(&mut || result = op.take().map(|op| op()));
    result.expect("a panic of the operation goes on here")
}

/// Not generic, since each join and loop has a way here.
fn install(op: &mut (dyn FnMut() + Send)) {
    pool().install(op);
}

/// Makes `pool` the global one unless there is one.
pub(crate) fn set(pool: ThreadPool) -> Result<(), ThreadPool> {
    POOL.set(pool)
}

/// Builds the global pool unless there is one.
pub(crate) fn build(
    build: impl FnOnce() -> Result<ThreadPool, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    if built_global().is_some() {
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

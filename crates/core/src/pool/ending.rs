//! The end of a pool, and of its tasks.
//!
//! Invariant *tasks end last*: the pool's handle and each of its threads hold a guard. When the
//! last one is dropped the tasks end, since there is no thread to run them. Before that, the handle
//! has announced that the pool is terminating, and each of its threads has looked once more for
//! remaining tasks.

use super::shared::Shared;
use crate::protocol::primitive::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::Arc;

pub(crate) struct Ending {
    terminating: AtomicBool,
    guards: AtomicUsize,
    tasks_ended: AtomicBool,
}

impl Ending {
    /// Starts with one guard, that of the pool's handle.
    pub(crate) fn new() -> Self {
        Ending {
            terminating: AtomicBool::new(false),
            guards: AtomicUsize::new(1),
            tasks_ended: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.terminating.load(Ordering::Acquire)
    }

    /// Does as [`is_terminating`](Self::is_terminating), for a thread that then looks for the last
    /// time: either it finds a call that is made now, or the caller sees that the pool is
    /// terminating.
    pub(crate) fn is_over(&self) -> bool {
        let is_over = self.is_terminating();
        if is_over {
            fence(Ordering::SeqCst);
        }
        is_over
    }

    /// Tells the pool's threads to end.
    pub(super) fn terminate(&self) {
        self.terminating.store(true, Ordering::Release);
        // A guest whose member is added now may wait for workers that end. Either we see the
        // member, or the guest sees this store, after the fence of its call
        // (`ScopeTasks::call_on`).
        fence(Ordering::SeqCst);
    }

    /// Returns whether no thread runs queued tasks any more.
    pub(crate) fn tasks_ended(&self) -> bool {
        self.tasks_ended.load(Ordering::Relaxed)
    }

    /// Drops the guard of the pool's handle or of one of its threads. Returns true if it was the
    /// last: then the tasks have ended.
    pub(super) fn release_guard(&self) -> bool {
        let is_last = self.guards.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            self.tasks_ended.store(true, Ordering::Relaxed);
        }
        is_last
    }
}

/// The guard of a thread of the pool, running or to be started.
pub(crate) struct PoolGuard(Arc<Shared>);

impl PoolGuard {
    pub(crate) fn new(pool: &Arc<Shared>) -> Self {
        pool.ending.guards.fetch_add(1, Ordering::Relaxed);
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

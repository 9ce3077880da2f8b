//! A thread of a pool that starts when it is called first, and sleeps until it is called again: the
//! reserve (reserve.rs) and the watch for stalls (stall/watch.rs).
//!
//! If the system refuses the thread, the next call asks for it again. None is started once the pool
//! is terminating. Of one that starts after the pool has been dropped no handle is kept, unless it
//! is joined. While a shutdown waits (resizing.rs) the thread ends in place of its dormancy, and
//! another one starts with the next call. No call is lost: it looks whether the thread has been
//! started after a fence, and the thread looks for what it is called for once more when it has said
//! that it has not (L1 to L5 of dormancy.rs).
//!
//! No user code runs under the lock but the global allocator's.

use super::{ending::PoolGuard, shared::Shared};
use crate::protocol::{
    dormancy::Sleeper,
    primitive::{AtomicBool, Mutex, Ordering, fence, lock},
};
use std::{
    io, mem,
    sync::Arc,
    thread::{self, JoinHandle},
};

pub(crate) struct OnCall {
    started: AtomicBool,
    /// Whether the thread is dormant.
    pub(crate) sleeper: Sleeper,
    handle: Mutex<Option<JoinHandle<()>>>,
}

impl OnCall {
    pub(crate) fn new() -> Self {
        OnCall {
            started: AtomicBool::new(false),
            sleeper: Sleeper::new(),
            handle: Mutex::new(None),
        }
    }

    /// Returns whether the thread has been started. A hint.
    pub(crate) fn has_started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    /// Starts the thread by `start`, if it has not been started.
    #[cold]
    pub(crate) fn start(
        &self,
        pool: &Shared,
        start: &dyn Fn(&Arc<Shared>) -> io::Result<JoinHandle<()>>,
    ) {
        // What is dropped under the lock, if the system refuses the thread, is not the last guard.
        let Some(guard) = pool.this.upgrade().and_then(PoolGuard::before_the_end) else {
            return;
        };
        let pool = guard.pool();
        // A child of the pool's process has none of its threads, and the lock may stay locked.
        if pool.is_forked() {
            return;
        }
        pool.settle_in_process();
        // Under the lock, so that `take_handle` finds the handle of a thread that is started before
        // the pool ends.
        let mut handle = lock(&self.handle);
        if pool.ending.is_terminating() || self.has_started() {
            return;
        }
        let before = mem::replace(&mut *handle, start(pool).ok());
        if let Some(ended) = before {
            pool.keep(&mut lock(&pool.starting.running), ended);
        }
        // Also under the lock: one thread at a time tries to start it.
        self.started.store(handle.is_some(), Ordering::Relaxed);
        if pool.ending.detaches() {
            *handle = None;
        }
    }

    /// Returns whether the thread has been started. If not, waits for the end of an attempt to start
    /// it. (If it ends instead of its dormancy just now, it still sees what the caller has left for
    /// it before a fence.)
    pub(crate) fn is_started(&self, pool: &Shared) -> bool {
        self.has_started() || {
            let _handle = (!pool.is_forked()).then(|| lock(&self.handle));
            self.has_started()
        }
    }

    /// For this thread, which would sleep: returns true if it ends, unless something `comes`.
    pub(crate) fn ends(&self, pool: &Shared, comes: impl FnOnce() -> bool) -> bool {
        if !pool.is_stopping() {
            return false;
        }
        let _handle = lock(&self.handle);
        self.started.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let ends = !comes();
        self.started.store(!ends, Ordering::Relaxed);
        ends
    }

    /// Returns whether the calling thread is this one, and has not been taken.
    pub(super) fn is_here(&self) -> bool {
        let handle = lock(&self.handle);
        let here = thread::current().id();
        handle.as_ref().is_some_and(|own| own.thread().id() == here)
    }

    /// Takes the thread, to join it.
    pub(crate) fn take_handle(&self) -> Option<JoinHandle<()>> {
        lock(&self.handle).take()
    }
}

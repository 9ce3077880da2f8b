//! The end of a pool, and of its tasks.
//!
//! Invariant *tasks end last*: the pool's handle and each of its threads hold a guard. When the
//! last one is dropped the tasks end, since there is no thread to run them. Before that, the handle
//! has announced that the pool is terminating, and each of its threads has looked once more for
//! remaining tasks.

use super::{shared::Shared, thread_pool::ThreadPool};
use crate::{
    join::thread::Thread,
    protocol::primitive::{self, AtomicBool, AtomicUsize, Ordering, fence},
};
use std::{mem, sync::Arc};

pub(crate) struct Ending {
    terminating: AtomicBool,
    /// The handle, if it has not been dropped, and threads.
    guards: AtomicUsize,
}

impl Ending {
    /// Starts with one guard, that of the pool's handle.
    pub(crate) fn new() -> Self {
        Ending {
            terminating: AtomicBool::new(false),
            guards: AtomicUsize::new(1),
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
        self.guards.load(Ordering::Relaxed) == 0
    }

    /// Drops the guard of the pool's handle or of one of its threads. Returns true if it was the
    /// last: then the tasks have ended.
    pub(super) fn release_guard(&self) -> bool {
        self.guards.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// The guard of a thread of the pool, running or to be started.
pub(crate) struct PoolGuard(Arc<Shared>);

impl PoolGuard {
    pub(crate) fn new(pool: &Arc<Shared>) -> Self {
        pool.ending.guards.fetch_add(1, Ordering::Relaxed);
        PoolGuard(Arc::clone(pool))
    }

    /// A guard that is not the first after the last: none if the pool's tasks have ended.
    pub(super) fn before_the_end(pool: Arc<Shared>) -> Option<Self> {
        let guards = &pool.ending.guards;
        let mut seen = guards.load(Ordering::Relaxed);
        while seen > 0 {
            let order = Ordering::Relaxed;
            match guards.compare_exchange(seen, seen + 1, order, order) {
                Ok(_) => return Some(PoolGuard(pool)),
                Err(now) => seen = now,
            }
        }
        None
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

impl ThreadPool {
    /// Drops the pool and waits until its threads have ended. They finish their jobs and all queued
    /// tasks first.
    ///
    /// Threads of a [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) are not waited for,
    /// nor are the last steps, which run no users' code, of threads that have ended before.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
    ///
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let ended = Arc::new(AtomicUsize::new(0));
    /// for _ in 0..10 {
    ///     let ended = Arc::clone(&ended);
    ///     pool.spawn(move || ended.fetch_add(1, Ordering::Relaxed));
    /// }
    /// pool.wait_until_stopped();
    /// assert_eq!(ended.load(Ordering::Relaxed), 10);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    /// If called on a thread of the pool, or in a job or task of it: that thread would wait for
    /// itself. The pool is dropped nevertheless.
    pub fn wait_until_stopped(mut self) {
        if self.shared.is_forked() {
            return;
        }
        self.is_awaited = true;
        let shared = Arc::clone(&self.shared);
        shared.terminate();
        let mut handles = shared.take_handles();
        let [reserve, watch] = shared.take_on_call();
        handles.extend(reserve);
        drop(self);
        let here = std::thread::current().id();
        let mut all = handles.iter().chain(&watch);
        let own = all.any(|handle| handle.thread().id() == here);
        let inside = Thread::current().is_some_and(|thread| thread.runs_for(&shared));
        assert!(!own && !inside, "a pool waits for itself");
        // Those that are waited for may start spares.
        while !handles.is_empty() {
            for handle in mem::take(&mut handles) {
                let _ = primitive::join(handle);
            }
            handles = shared.take_handles();
        }
        // It ends with the tasks, which threads of a custom spawn handler may still run.
        if let Some(watch) = watch.filter(|_| shared.ending.tasks_ended()) {
            let _ = primitive::join(watch);
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if self.shared.is_forked() {
            // A child of fork has the pool but not its workers, and cannot detach them: they keep
            // what they share alive.
            return;
        }
        if !self.is_awaited {
            self.shared.terminate();
            // The pool's memory may stay for long; an ended thread leaves nothing once its handle
            // is dropped.
            drop((self.shared.take_handles(), self.shared.take_on_call()));
        }
        self.shared.release_guard();
    }
}

//! The end of a pool, and of its tasks.
//!
//! **When.** A pool that has been dropped goes on until all of its tasks have ended, since each may
//! fork, spawn and broadcast: until then it has all of its threads, and starts more if they are
//! needed. So does a step of a future that is queued or runs; a future that pends keeps no thread.
//! The thread that sees the last end (protocol/unfinished.rs) tells the others that the pool is
//! *terminating*: they end where they are. A step that is woken later is abandoned.
//!
//! **What waits for what.** Threads that are idle meanwhile sleep as ever. The pool ends after its
//! tasks, so whatever waits for that, `wait_until_stopped`, waits for them; they may not wait for
//! it. It joins the threads in any order: each ends since the pool is terminating, and none because
//! another has been joined. The watch for stalls waits for its handler besides (stall/watch.rs).
//! Where a spawn handler has started the workers, whose handles the pool has not, it waits for no
//! thread, and so for no task. A start handler may run when others have ended: what it broadcasts
//! is left to it (inbox.rs).
//!
//! Invariant *tasks end last*: the pool's handle and each of its threads hold a guard. When the
//! last one is dropped, what is still queued is cancelled, since there is no thread to run it: what
//! handlers have queued, and tasks of a pool that has no threads.

use super::shared::Shared;
use crate::{
    join::member::Member,
    protocol::{
        primitive::{AtomicBool, AtomicUsize, Ordering, fence},
        unfinished::Closing,
    },
};
use std::sync::Arc;

pub(crate) struct Ending {
    /// Whether the pool's handle has been dropped.
    dropped: AtomicBool,
    /// Whether `wait_until_stopped` has dropped it, and joins the threads.
    pub(super) awaited: AtomicBool,
    closing: Closing,
    terminating: AtomicBool,
    /// The handle, if it has not been dropped, and threads.
    guards: AtomicUsize,
}

impl Ending {
    /// Starts with one guard, that of the pool's handle.
    pub(crate) fn new() -> Self {
        Ending {
            dropped: AtomicBool::new(false),
            awaited: AtomicBool::new(false),
            closing: Closing::default(),
            terminating: AtomicBool::new(false),
            guards: AtomicUsize::new(1),
        }
    }

    /// Returns whether the pool's handle has been dropped.
    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// Returns whether the pool has been dropped, and no thread waits for its threads.
    pub(super) fn detaches(&self) -> bool {
        self.is_dropped() && !self.awaited.load(Ordering::Relaxed)
    }

    /// Returns whether the pool's threads end.
    pub(crate) fn is_terminating(&self) -> bool {
        self.terminating.load(Ordering::Acquire)
    }

    /// Tells the pool's threads to end. Returns false if they have been told.
    pub(super) fn terminate(&self) -> bool {
        let is_first = !self.terminating.swap(true, Ordering::AcqRel);
        // Of a member that is added now either the thread is unparked, or it sees this store, after
        // the fence in `mark_if_dropped`.
        fence(Ordering::SeqCst);
        is_first
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

impl Shared {
    /// The pool's handle is dropped.
    pub(super) fn drop_handle(&self) {
        self.ending.dropped.store(true, Ordering::Release);
        if self.ending.detaches() {
            // The pool's memory may stay for long; an ended thread leaves nothing once its handle
            // is dropped.
            drop(self.take_handles());
        }
        // Either a member that is added now is marked, or it sees the store.
        fence(Ordering::SeqCst);
        let members = self.members.iter();
        members.for_each(|member| member.queues.pool().tasks.mark());
        fence(Ordering::SeqCst);
        self.end_after_tasks();
        // Spares that rest end, or a pool without workers would keep its tasks for as long.
        let spares = self.members.workers_from(self.threads.workers);
        spares.for_each(|spare| spare.parker.unpark());
    }

    /// Marks a member that has been added, if the pool has been dropped.
    pub(super) fn mark_if_dropped(&self, new: &Member) {
        fence(Ordering::SeqCst);
        if self.ending.dropped.load(Ordering::Relaxed) {
            new.queues.pool().tasks.mark();
        }
    }

    /// After a mark and a fence: tells the pool's threads to end if all of its tasks have.
    pub(super) fn end_after_tasks(&self) {
        let all = || self.members.iter().map(|m| &m.queues.pool().tasks);
        if self.ending.closing.close(all) {
            self.terminate();
        }
    }

    /// Counts a task or step that the calling thread, which sits on `me` and may be outside, is
    /// about to queue or to run. Returns false if the pool ends: then it may not.
    pub(crate) fn begin_step(&self, me: &Member) -> bool {
        me.queues.pool().begin_task();
        // A child of fork may lack the thread that was closing it.
        let is_closed = self.ending.closing.is_closed(|| !self.is_forked());
        if is_closed {
            me.queues.pool().end_task();
        }
        !is_closed
    }

    /// Tells the pool's threads to end.
    pub(super) fn terminate(&self) {
        // In a child of fork, locks may stay locked; the only thread sees it.
        if self.ending.terminate() && !self.is_forked() {
            self.rouse();
        }
    }
}

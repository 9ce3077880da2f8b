//! The end of a pool: who is told, and when its tasks end.
//!
//! Invariant *tasks end last*: the pool's handle and each of its threads hold a guard. With the
//! last one gone the tasks end, since there is no thread to run them. Before that, the handle has
//! said that the pool is terminating, and each of its threads has looked once more for what was
//! left.

use crate::protocol::primitive::{AtomicBool, AtomicUsize, Ordering, fence};

pub(crate) struct Ending {
    terminating: AtomicBool,
    guards: AtomicUsize,
    tasks_ended: AtomicBool,
}

impl Ending {
    /// There is one guard, that of the pool's handle.
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

    /// As [`is_terminating`](Self::is_terminating), for a thread that then looks for the last time:
    /// either it finds a call that is made now, or the caller sees that the pool is terminating.
    pub(crate) fn is_over(&self) -> bool {
        let is_over = self.is_terminating();
        if is_over {
            fence(Ordering::SeqCst);
        }
        is_over
    }

    /// The pool's threads are to end.
    pub(super) fn terminate(&self) {
        self.terminating.store(true, Ordering::Release);
        // A guest whose member is added now may wait for workers that end. Either we see the
        // member, or the guest, after the fence of its call (`ScopeTasks::call_on`), sees this
        // store.
        fence(Ordering::SeqCst);
    }

    /// No thread runs queued tasks any more.
    pub(crate) fn tasks_ended(&self) -> bool {
        self.tasks_ended.load(Ordering::Relaxed)
    }

    /// One of the pool's threads comes.
    pub(super) fn add_guard(&self) {
        self.guards.fetch_add(1, Ordering::Relaxed);
    }

    /// The pool's handle or one of its threads goes. True if it was the last: then the tasks have
    /// ended.
    pub(super) fn release_guard(&self) -> bool {
        let is_last = self.guards.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            self.tasks_ended.store(true, Ordering::Relaxed);
        }
        is_last
    }
}

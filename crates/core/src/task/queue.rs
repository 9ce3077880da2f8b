//! A member's queue of tasks: units of work that are on nobody's stack.
//!
//! The seated thread puts new tasks in at the back; whoever is idle takes them out at the front. Tasks are coarse
//! compared with joins, so a lock does. The length beside it is a hint, so that the idle look without
//! locking; it is written under the lock, and read after a fence where it matters (dormancy.rs: a push is a publication).

use crate::{member::Member, primitive::lock, thread::Thread};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What can be queued.
pub(crate) trait Queued: Send + Sync {
    /// Runs on a thread that sits on `me` and is inside nothing else. Does nothing if somebody has been faster.
    fn run(self: Arc<Self>, thread: &Thread, me: &Member);

    /// The pool has ended: nobody will call `run`.
    fn cancel(&self);
}

/// How far from the back `remove` looks.
const REACH: usize = 8;

#[derive(Default)]
pub(crate) struct TaskQueue {
    len: AtomicUsize,
    tasks: Mutex<VecDeque<Arc<dyn Queued>>>,
}

impl TaskQueue {
    /// Whether nothing is queued. A hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many are queued. A hint.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub(crate) fn push(&self, task: Arc<dyn Queued>) {
        let mut tasks = lock(&self.tasks);
        tasks.push_back(task);
        self.len.store(tasks.len(), Ordering::Relaxed);
    }

    /// Takes the oldest task.
    pub(crate) fn pop(&self) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return None;
        }
        let mut tasks = lock(&self.tasks);
        let task = tasks.pop_front();
        self.len.store(tasks.len(), Ordering::Relaxed);
        task
    }

    /// Takes `task` out if it is one of the newest; others stay until somebody takes them and finds nothing to do.
    pub(crate) fn remove(&self, task: *const ()) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut tasks = lock(&self.tasks);
        let is_it = |queued: &Arc<dyn Queued>| Arc::as_ptr(queued).cast::<()>() == task;
        let removed = if tasks.back().is_some_and(is_it) {
            tasks.pop_back()
        } else {
            let newest = tasks.len().saturating_sub(REACH);
            let at = tasks.range(newest..).rposition(is_it);
            at.and_then(|at| tasks.remove(newest + at))
        };
        self.len.store(tasks.len(), Ordering::Relaxed);
        drop(tasks);
        removed.is_some()
    }
}

//! The queues of a member's tasks and calls.
//!
//! Invariant *woken*: code that adds an entry here ensures that a thread comes for it
//! (`task/find.rs`, `task/inbox.rs`).

use super::{fifo::Fifo, queue::TaskQueue, shared::Shared};
use crate::{
    protocol::primitive::{AtomicBool, AtomicU32, Ordering},
    task::Inbox,
};
use std::sync::{Arc, Weak};

/// A weak reference of tasks to their pool. Each member has its own, so that threads that spawn do
/// not count references in the same place.
pub(crate) type WeakPool = Arc<Weak<Shared>>;

pub(crate) struct Queues {
    /// Tasks that the threads sitting here have spawned.
    pub(crate) tasks: TaskQueue,
    /// Those of them that must start in the order of their spawning.
    pub(crate) fifo: Arc<Fifo>,
    /// How long the tasks of others have waited for the seated thread.
    pub(crate) others: Others,
    /// Whether the seated thread runs the tasks of a pool that has no threads (task/find.rs). Only
    /// that thread uses it.
    pub(crate) serving: AtomicBool,
    /// Calls for the seated thread alone.
    pub(crate) inbox: Inbox,
    /// Returns those tasks' reference to their pool.
    pub(crate) weak_pool: WeakPool,
}

/// One time in so many a thread takes a task of another member first. What comes before these may
/// come for ever: its own tasks, those of one scope, calls, jobs. But threads outside of the pool
/// run none of their tasks, nor does a worker in a long one.
const OTHERS_OF: u32 = 64;

/// Counts what a thread starts before it takes a task of another member. Only that thread uses it.
#[derive(Default)]
pub(crate) struct Others(AtomicU32);

impl Others {
    /// Counts something that is started.
    pub(crate) fn wait(&self) {
        if !self.are_due() {
            self.0
                .store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// Returns whether tasks of others come first.
    pub(crate) fn are_due(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= OTHERS_OF
    }

    /// Records that the thread looks for tasks of others first.
    pub(crate) fn have_been_served(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Queues {
    pub(crate) fn new(pool: &Shared) -> Self {
        Queues {
            tasks: TaskQueue::default(),
            fifo: Arc::default(),
            others: Others::default(),
            serving: AtomicBool::new(false),
            inbox: Inbox::default(),
            weak_pool: WeakPool::new(Weak::clone(&pool.this)),
        }
    }
}

//! The queues of a member's tasks and calls.
//!
//! Invariant *woken*: code that adds an entry here ensures that a thread comes for it
//! (`task/find.rs`, `task/inbox.rs`).

use super::{fifo::Fifo, queue::TaskQueue, shared::Shared};
use crate::{join::member::counters::Counter, task::Inbox};
use std::sync::{Arc, Weak};

/// A weak reference of tasks to their pool. Each member has its own, so that threads that spawn do
/// not count references in the same place.
pub(crate) type WeakPool = Arc<Weak<Shared>>;

pub(crate) struct Queues {
    /// Tasks that the threads sitting here have spawned.
    pub(crate) tasks: TaskQueue,
    /// Those of them that must start in the order of their spawning.
    pub(crate) fifo: Arc<Fifo>,
    /// How often the seated thread has looked for a task, its own or another's.
    pub(crate) turns: Counter,
    /// Calls for the seated thread alone.
    pub(crate) inbox: Inbox,
    /// Returns those tasks' reference to their pool.
    pub(crate) weak_pool: WeakPool,
}

impl Queues {
    pub(crate) fn new(pool: &Shared) -> Self {
        Queues {
            tasks: TaskQueue::default(),
            fifo: Arc::default(),
            turns: Counter::default(),
            inbox: Inbox::default(),
            weak_pool: WeakPool::new(Weak::clone(&pool.this)),
        }
    }
}

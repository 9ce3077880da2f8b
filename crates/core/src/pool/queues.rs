//! The queues of a member's tasks and calls.
//!
//! Invariant *woken*: code that adds an entry here ensures that a thread comes for it
//! (`find.rs`, `inbox.rs`).

use super::{
    queue::{Queued, TaskQueue},
    shared::Shared,
};
use crate::protocol::{
    primitive::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    unfinished::Unfinished,
};
use std::{
    ops::Deref,
    sync::{Arc, Weak},
};

/// A weak reference of tasks to their pool. Each member has its own, so that threads that spawn do
/// not count references, nor tasks, in the same place.
pub(crate) type WeakPool = Arc<Link>;

#[derive(Default)]
pub(crate) struct Link {
    pool: Weak<Shared>,
    /// The tasks that have begun at the member and ended there.
    pub(super) tasks: Unfinished,
}

impl Link {
    pub(crate) fn to(pool: Weak<Shared>) -> WeakPool {
        Arc::new(Link {
            pool,
            tasks: Unfinished::default(),
        })
    }

    /// Counts a task that the calling thread, which sits at the member, is about to queue.
    pub(crate) fn begin_task(&self) {
        self.tasks.begin();
    }

    /// Counts the end of a task. If it was the last of a pool that has been dropped, the pool ends.
    pub(crate) fn end_task(&self) {
        if self.tasks.end() {
            let pool = self.pool.upgrade();
            pool.inspect(|pool| pool.end_after_tasks());
        }
    }
}

impl Deref for Link {
    type Target = Weak<Shared>;

    fn deref(&self) -> &Weak<Shared> {
        &self.pool
    }
}

pub(crate) struct Queues {
    /// Tasks that the threads sitting here have spawned.
    pub(crate) tasks: TaskQueue,
    /// Whose turn it is.
    pub(crate) turns: Turns,
    /// Whether the seated thread runs the tasks of a pool that has no threads (find.rs). Only
    /// that thread uses it.
    pub(crate) serving: AtomicBool,
    /// Calls for the seated thread alone.
    pub(crate) inbox: Inbox,
}

/// Calls for one thread alone (inbox.rs).
pub(crate) struct Inbox {
    pub(crate) calls: TaskQueue,
    /// The numbers of tasks that the seated thread starts before its next answer: in its own order,
    /// then the oldest; each plus one, or 0 if it has not noticed the call. Only that thread uses
    /// these.
    tasks: AtomicUsize,
    oldest: AtomicUsize,
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox {
            // Calls are not queued again.
            calls: TaskQueue::new(false, WeakPool::default()),
            tasks: AtomicUsize::new(0),
            oldest: AtomicUsize::new(0),
        }
    }
}

impl Inbox {
    /// Returns whether there is no call. A hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Forgets the call that the seated thread has noticed, which it answers.
    pub(super) fn begin(&self) {
        self.tasks.store(0, Ordering::Relaxed);
    }

    /// Takes the next of the seated thread's own `tasks`, unless a call comes before it.
    pub(super) fn next_task(&self, tasks: &TaskQueue) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return tasks.pop_next();
        }
        let next = |left: &AtomicUsize| {
            let before = left.load(Ordering::Relaxed);
            left.store(before.saturating_sub(1).max(1), Ordering::Relaxed);
            before > 1
        };
        if self.tasks.load(Ordering::Relaxed) == 0 {
            self.tasks.store(tasks.len() + 1, Ordering::Relaxed);
            self.oldest
                .store(tasks.passed_over() + 1, Ordering::Relaxed);
        }
        if next(&self.tasks) {
            tasks.pop_next()
        } else if next(&self.oldest) {
            tasks.pop()
        } else {
            None
        }
    }
}

/// One time in so many a thread takes a task of another member first, or, in a pool that runs the
/// newest first, its own oldest. What comes before these may come for ever: its own tasks, those of
/// one scope, calls, jobs. But threads outside of the pool run none of their tasks, nor does a
/// worker in a long one; and all threads may be inside work that waits for an old one.
///
/// Each turn of its own tasks either finds fewer than the one before, or begins the oldest. So each
/// of them has its turn, and those that were spawned at once begin in their order. (Steps of
/// futures that wake themselves for ever keep all turns: they are queued before the oldest.)
const TURN_OF: u32 = 64;

/// Counts what a thread starts before it takes one of those tasks. Only that thread uses it.
pub(crate) struct Turns {
    started: AtomicU32,
    own_is_next: AtomicBool,
    /// How many tasks of its own there were at their last turn.
    own: AtomicUsize,
}

impl Default for Turns {
    fn default() -> Self {
        Turns {
            started: AtomicU32::new(0),
            own_is_next: AtomicBool::new(false),
            own: AtomicUsize::new(usize::MAX),
        }
    }
}

impl Turns {
    /// Counts something that is started.
    pub(crate) fn count(&self) {
        if !self.is_due() {
            let started = self.started.load(Ordering::Relaxed);
            self.started.store(started + 1, Ordering::Relaxed);
        }
    }

    /// Returns whether it is the turn of these tasks.
    pub(crate) fn is_due(&self) -> bool {
        self.started.load(Ordering::Relaxed) >= TURN_OF
    }

    /// Begins to count anew. Returns whether the thread's own tasks come before those of others,
    /// which alternates.
    pub(crate) fn begin(&self) -> bool {
        self.started.store(0, Ordering::Relaxed);
        let own = self.own_is_next.load(Ordering::Relaxed);
        self.own_is_next.store(!own, Ordering::Relaxed);
        own
    }

    /// Records how many tasks of its own newer ones may pass over. Returns whether there were as few
    /// at the last turn: then it begins the oldest.
    pub(crate) fn own_are_passed_over(&self, tasks: usize) -> bool {
        let before = self.own.load(Ordering::Relaxed);
        let after = if tasks == 0 { usize::MAX } else { tasks };
        self.own.store(after, Ordering::Relaxed);
        tasks >= before
    }
}

impl Queues {
    pub(crate) fn new(pool: &Shared) -> Self {
        let link = Link::to(Weak::clone(&pool.this));
        Queues {
            tasks: TaskQueue::new(pool.policy.newest_first, link),
            turns: Turns::default(),
            serving: AtomicBool::new(false),
            inbox: Inbox::default(),
        }
    }

    /// Returns the tasks' reference to their pool.
    pub(crate) fn pool(&self) -> &WeakPool {
        &self.tasks.pool
    }
}

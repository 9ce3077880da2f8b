//! A member's queue of tasks: units of work that are not on a thread's stack.
//!
//! The seated thread adds new tasks, mostly at the back; idle threads take them at the front. So
//! does the seated thread, but if the pool was built to run the newest first it takes its *next*
//! task at the back. Tasks are coarse compared with joins, so a lock suffices. The length beside it
//! is a hint, so that idle threads look without locking; it is written under the lock, and read
//! after a fence where it matters (dormancy.rs: a push is a publication). The deque is std's: this
//! crate depends on nothing else, and of lock-free queues no entry in the middle can be taken.
//!
//! Some tasks start **in order**, that of their spawning, also where the newest come first. Each of
//! them has a *place* in the queue, but is kept apart: a thread that comes to a place takes the
//! oldest of them. So the places determine when tasks in order start among the others, and not
//! which of them. Until then the first place belongs to the oldest of them, the second to the next,
//! and so on; one that leaves the queue out of turn leaves with its place. So there are always as
//! many places as tasks in order.
//!
//! A task that was joined or cancelled elsewhere leaves a *spent* entry behind. A push that finds
//! the queue twice as long as the last sweep left it first removes the spent entries, so:
//! * **Bounded.** A queue has at most `SWEEP_AT` entries, or twice as many as there were unspent
//!   ones at the last sweep. The cost of a push is constant, since a sweep of *n* entries follows
//!   *n* / 2 pushes.
//! * **No drop under the lock.** Entries are dropped after the lock has been released. The last
//!   reference to an entry may run a user's destructor.

use super::queues::WeakPool;
use crate::{
    join::{
        job::Lineage,
        member::{Member, site::Line},
        run::Outside,
        thread::Thread,
    },
    protocol::primitive::{AtomicUsize, Mutex, Ordering, lock},
};
use std::{collections::VecDeque, ptr, sync::Arc};

/// An entry of a queue.
pub(crate) trait Queued: Send + Sync {
    /// Runs on a thread that sits on `me`: one that does nothing else, or one inside other work
    /// ([`Outside::MayGive`]), if a yield calls this and needs the thread back soon. Does nothing
    /// if another thread was first.
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside);

    /// Called when the pool has ended and `run` will not be called.
    fn cancel(&self);

    /// Returns true if `run` would do nothing: nothing here waits for a thread, and the queue may
    /// drop this entry. Called under the queue's lock, so it runs no user code, and takes no lock
    /// under which a queue is used.
    fn is_spent(&self) -> bool;

    /// Called in place of `run` when such an entry has been taken out, with the pool of its queue.
    /// Returns true if it is no longer spent, and must be queued again.
    fn forget(&self, _pool: &WeakPool) -> bool {
        false
    }

    /// Calls `each` for everything here that waits for a thread: with the line of the program that
    /// has asked for it, and whether it is a call. Called as `is_spent` is.
    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        if !self.is_spent() {
            each(None, false);
        }
    }

    /// Returns whether it descends from `lineage`, as far as it is known now. Called under its
    /// queue's lock, as `is_spent` is.
    fn is_part_of(&self, _lineage: &Lineage) -> bool {
        false
    }

    /// Returns whether a thread that waits for it runs it, if no other thread does.
    fn has_owner(&self) -> bool {
        false
    }

    /// Returns whether its owner is about to run it, sooner or later. A hint.
    fn owner_runs_it(&self) -> bool {
        false
    }

    /// Returns whether it may run somewhat later if it is tiny, as another thread may run it
    /// meanwhile, which waits for it or has run the ones before it. Runs no user code.
    fn may_be_late(&self) -> bool {
        true
    }

    /// Returns whether an outside thread polls only for its end. Before that thread sleeps it ends
    /// the leader's nap, also one that began before this call (nap.rs).
    fn caller_looks(&self) -> bool {
        false
    }
}

/// The number of entries at the back that `remove` searches.
const REACH: usize = 8;

/// The length at which a queue is swept for the first time.
pub(crate) const SWEEP_AT: usize = if cfg!(miri) { 32 } else { 256 };

pub(crate) struct TaskQueue {
    /// Whether the seated thread takes its newest task first.
    newest_first: bool,
    len: AtomicUsize,
    tasks: Mutex<Tasks>,
    pub(super) pool: WeakPool,
}

struct Tasks {
    /// Tasks, and places of those in order.
    entries: VecDeque<Option<Arc<dyn Queued>>>,
    /// The tasks in order.
    in_order: VecDeque<Arc<dyn Queued>>,
    /// The length at which to sweep.
    sweep_at: usize,
}

impl Tasks {
    fn all(&self) -> impl Iterator<Item = &Arc<dyn Queued>> {
        self.entries.iter().flatten().chain(&self.in_order)
    }

    /// Removes the spent entries but the first: a thread may have noticed that call (inbox.rs).
    fn sweep(&mut self) -> Vec<Arc<dyn Queued>> {
        let mut spent = Vec::new();
        for nth in 0..self.entries.len() {
            let entry = self.entries.pop_front().flatten();
            let is_place = entry.is_none();
            match entry.or_else(|| self.in_order.pop_front()) {
                Some(task) if nth > 0 && task.is_spent() => spent.push(task),
                task if is_place => {
                    self.entries.push_back(None);
                    task.into_iter()
                        .for_each(|task| self.in_order.push_back(task));
                }
                task => self.entries.push_back(task),
            }
        }
        self.sweep_at = SWEEP_AT.max(2 * self.entries.len());
        spent
    }

    /// Returns the position of the first task in order whose place is at `at` or later.
    fn in_order_at(&self, at: usize) -> usize {
        if self.in_order.is_empty() {
            return 0;
        }
        let places = self.entries.range(at..).filter(|entry| entry.is_none());
        self.in_order.len() - places.count()
    }

    /// Takes the oldest task that is `wanted` among so many of the newest entries.
    fn take(
        &mut self,
        newest: usize,
        wanted: impl Fn(&dyn Queued) -> bool,
    ) -> Option<Arc<dyn Queued>> {
        let first = self.entries.len().saturating_sub(newest);
        let mut in_order = self.in_order.range(self.in_order_at(first)..);
        let at = self.entries.range(first..).position(|entry| {
            let task = entry.as_ref().or_else(|| in_order.next());
            task.is_some_and(|task| wanted(&**task))
        })?;
        self.remove(first + at)
    }

    /// Removes the entry at this position out of turn, with its own task.
    fn remove(&mut self, at: usize) -> Option<Arc<dyn Queued>> {
        let in_order = self.in_order_at(at);
        self.entries
            .remove(at)?
            .or_else(|| self.in_order.remove(in_order))
    }
}

impl TaskQueue {
    pub(crate) fn new(newest_first: bool, pool: WeakPool) -> Self {
        TaskQueue {
            newest_first,
            len: AtomicUsize::new(0),
            tasks: Mutex::new(Tasks {
                entries: VecDeque::new(),
                in_order: VecDeque::new(),
                sweep_at: SWEEP_AT,
            }),
            pool,
        }
    }

    /// Returns whether the seated thread takes its newest task first.
    pub(crate) fn is_newest_first(&self) -> bool {
        self.newest_first
    }

    /// Returns whether nothing is queued. A hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of entries. A hint.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Returns how many tasks others that come later may start before: all, or none where the
    /// oldest come first. A hint.
    pub(crate) fn passed_over(&self) -> usize {
        if self.newest_first { self.len() } else { 0 }
    }

    pub(crate) fn push(&self, task: Arc<dyn Queued>) {
        self.put(|tasks| tasks.entries.push_back(Some(task)));
    }

    /// Adds a task that starts after those that were added in this way before.
    pub(crate) fn push_in_order(&self, task: Arc<dyn Queued>) {
        if !self.newest_first {
            return self.push(task);
        }
        self.put(|tasks| {
            tasks.entries.push_back(None);
            tasks.in_order.push_back(task);
        });
    }

    /// Adds a task as the seated thread's next.
    pub(crate) fn push_next(&self, task: Arc<dyn Queued>) {
        self.push_at(self.newest_first, task);
    }

    /// Adds a task as the seated thread's last.
    pub(crate) fn push_last(&self, task: Arc<dyn Queued>) {
        self.push_at(!self.newest_first, task);
    }

    fn push_at(&self, back: bool, task: Arc<dyn Queued>) {
        if back {
            return self.push(task);
        }
        self.put(|tasks| tasks.entries.push_front(Some(task)));
    }

    /// Adds by `put`. If there are many entries, removes the spent ones before.
    fn put(&self, put: impl FnOnce(&mut Tasks)) {
        let mut tasks = lock(&self.tasks);
        let spent = (tasks.entries.len() >= tasks.sweep_at).then(|| tasks.sweep());
        put(&mut tasks);
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        drop(tasks);
        for entry in spent.into_iter().flatten() {
            // Our caller wakes a thread for what it adds.
            if entry.forget(&self.pool) {
                self.push(entry);
            }
        }
    }

    /// Takes the oldest task.
    pub(crate) fn pop(&self) -> Option<Arc<dyn Queued>> {
        self.pop_at(false)
    }

    /// Takes the seated thread's next task.
    pub(crate) fn pop_next(&self) -> Option<Arc<dyn Queued>> {
        self.pop_at(self.newest_first)
    }

    fn pop_at(&self, back: bool) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return None;
        }
        let mut tasks = lock(&self.tasks);
        let entry = if back {
            tasks.entries.pop_back()
        } else {
            tasks.entries.pop_front()
        };
        let task = entry?.or_else(|| tasks.in_order.pop_front());
        if tasks.entries.is_empty() {
            tasks.sweep_at = SWEEP_AT;
        }
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        task
    }

    /// Takes the oldest task that is `wanted` among so many of the newest entries.
    #[inline(never)]
    pub(crate) fn take(
        &self,
        newest: usize,
        wanted: &dyn Fn(&dyn Queued) -> bool,
    ) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return None;
        }
        let mut tasks = lock(&self.tasks);
        let task = tasks.take(newest, wanted)?;
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        Some(task)
    }

    /// Returns whether anything here waits for a thread.
    pub(crate) fn any_waits(&self) -> bool {
        self.any(&mut |task| !task.is_spent())
    }

    /// Returns whether any entry is `wanted`.
    pub(crate) fn any(&self, wanted: &mut dyn FnMut(&dyn Queued) -> bool) -> bool {
        !self.is_empty() && lock(&self.tasks).all().any(|task| wanted(&**task))
    }

    /// Calls `each` for everything here that waits for a thread ([`Queued::waits`]).
    pub(crate) fn each_waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        self.any(&mut |task| {
            task.waits(each);
            false
        });
    }

    /// Removes `task` if it is one of the newest; others stay until a sweep, or until they are
    /// taken and do nothing.
    pub(crate) fn remove(&self, task: *const ()) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut tasks = lock(&self.tasks);
        let is_it = |queued: &dyn Queued| ptr::addr_eq(queued, task);
        let removed = if matches!(tasks.entries.back(), Some(Some(newest)) if is_it(&**newest)) {
            tasks.entries.pop_back().flatten()
        } else {
            tasks.take(REACH, is_it)
        };
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        drop(tasks);
        removed.is_some()
    }
}

#[cfg(test)]
mod tests;

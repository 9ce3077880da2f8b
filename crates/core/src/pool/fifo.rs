//! Tasks that start in the order in which one thread has spawned them, in a pool where a thread
//! takes its newest task first.
//!
//! The thread's queue holds a *ticket* for each of them: "run the oldest of these". So the tickets
//! determine their place among other tasks, and not their order among themselves.
//!
//! * **A ticket each.** There are at least as many tickets as tasks, queued or about to be
//!   (`State`). There are more if a task was taken out without its ticket; surplus tickets are
//!   spent, and swept out of the queue as other spent entries are (queue.rs), or do nothing when
//!   they are taken.
//! * The lock is taken under a queue's lock (`is_spent`), and no queue is used under it.

use super::queue::{Queued, Tasks};
use crate::{
    join::{member::Member, run::Outside, thread::Thread},
    protocol::primitive::{Mutex, lock},
};
use std::{ptr, sync::Arc};

#[derive(Default)]
pub(crate) struct Fifo(Mutex<State>);

#[derive(Default)]
struct State {
    tasks: Tasks,
    tickets: usize,
}

impl Fifo {
    /// Adds a task. The caller queues the result.
    pub(crate) fn push(self: &Arc<Self>, task: Arc<dyn Queued>) -> Arc<dyn Queued> {
        let mut state = lock(&self.0);
        let spent = state.tasks.make_room();
        state.tasks.entries.push_back(task);
        state.tickets += 1;
        drop(state);
        drop(spent);
        Arc::<Fifo>::clone(self)
    }

    /// Takes the oldest task, for a ticket.
    fn redeem(&self) -> Option<Arc<dyn Queued>> {
        let mut state = lock(&self.0);
        state.tickets -= 1;
        state.tasks.entries.pop_front()
    }

    /// Takes the oldest task that is `wanted`.
    pub(crate) fn take(&self, wanted: impl Fn(&dyn Queued) -> bool) -> Option<Arc<dyn Queued>> {
        let mut state = lock(&self.0);
        let entries = &mut state.tasks.entries;
        let at = entries.iter().position(|task| wanted(&**task))?;
        entries.remove(at)
    }

    /// Takes `task` out if it is the newest.
    pub(crate) fn remove(&self, task: *const ()) {
        let mut state = lock(&self.0);
        let newest = state.tasks.entries.back();
        let removed = if newest.is_some_and(|newest| ptr::addr_eq(Arc::as_ptr(newest), task)) {
            state.tasks.entries.pop_back()
        } else {
            None
        };
        drop(state);
        drop(removed);
    }
}

impl Queued for Fifo {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        if let Some(task) = self.redeem() {
            task.run(thread, me, outside);
        }
    }

    fn cancel(&self) {
        if let Some(task) = self.redeem() {
            task.cancel();
        }
    }

    /// Its tasks are taken themselves, those that no thread joins.
    fn has_owner(&self) -> bool {
        true
    }

    fn is_spent(&self) -> bool {
        let mut state = lock(&self.0);
        let is_spent = state.tickets > state.tasks.entries.len();
        state.tickets -= usize::from(is_spent);
        is_spent
    }
}

//! Broadcasts of a scope: tasks for one thread each.
//!
//! The inboxes of workers (inbox.rs) hold the scope, once for each call, and the scope has the
//! calls. They count as workers until they have been taken. The owner answers its own part, the
//! calls to threads that the system refuses, and, if the pool has ended, those to all of its
//! workers.

use super::{ScopeTask, ScopeTasks};
use crate::{join::member::GUEST, pool::seat, protocol::primitive::lock, task::BroadcastContext};
use std::sync::Arc;

impl ScopeTasks {
    /// Adds a task for each worker of the pool but the owner. Returns the owner's context, unless it
    /// hands its work over.
    pub(crate) fn call_others(
        self: &Arc<Self>,
        task_of: impl Fn(BroadcastContext<'static>) -> ScopeTask,
    ) -> Option<BroadcastContext<'static>> {
        let Some(pool) = self.pool.upgrade() else {
            return Some(BroadcastContext::new(0, 1));
        };
        let ((first, end), num_threads, hands_over) = pool.all_workers();
        let takes_part = self.owner_index != GUEST || !hands_over;
        // As the pool was then, whatever it has become.
        let guests = if first > 0 { 0 } else { num_threads - 1 };
        let own = takes_part.then_some(match self.owner_index {
            GUEST => guests,
            index => index,
        });
        for index in (first..end).filter(|&index| Some(index) != own) {
            self.call_on(index, task_of(BroadcastContext::new(index, num_threads)));
        }
        own.map(|own| BroadcastContext::new(own, num_threads))
    }

    /// Adds a task for the owner alone.
    pub(crate) fn add_owners(&self, task: ScopeTask) {
        let mut state = lock(&self.state);
        state.calls.push_back((GUEST, task));
        self.wake_owner(state);
    }

    /// Adds a task for one worker of the pool.
    fn call_on(self: &Arc<Self>, worker: usize, task: ScopeTask) {
        let line = task.line;
        let mut state = lock(&self.state);
        state.calls.push_back((worker, task));
        self.count(&state);
        drop(state);
        let called = seat::at(&self.pool, (), |(), _, me, _| {
            let pool = me.shared();
            pool.call(me, worker, (line, Arc::<ScopeTasks>::clone(self)));
            // The owner, which may be asleep, answers calls to workers that have ended.
            if pool.ending.is_terminating() {
                self.wake_owner(lock(&self.state));
            }
        });
        // The pool or the thread's record has ended.
        if called.is_err() {
            self.give_back(worker);
        }
    }

    /// Leaves a call to the owner, since this worker will not answer it.
    pub(super) fn give_back(&self, worker: usize) {
        let mut state = lock(&self.state);
        let mut calls = state.calls.iter_mut();
        if let Some((called, _)) = calls.find(|(called, _)| *called == worker) {
            *called = GUEST;
        }
        self.wake_owner(state);
    }
}

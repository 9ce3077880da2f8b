//! Broadcasts of a scope: tasks for one thread each.
//!
//! Calls are in the inboxes of workers (inbox.rs), and count as workers until they have been
//! answered. The owner's own part is among the tasks. If the pool has ended, the owner answers for
//! its workers.

use super::{Item, ScopeTasks, State};
use crate::{
    join::{
        member::{GUEST, Member, MemberPtr},
        run::{self, Outside},
        thread::Thread,
    },
    pool::seat,
    protocol::primitive::lock,
    task::{BroadcastContext, TaskScope, inbox::Call},
};
use std::{ptr::NonNull, sync::Arc};

impl ScopeTasks {
    /// Adds a task for each worker of the pool but the owner. Returns the owner's context, unless it
    /// hands its work over.
    pub(crate) fn call_others(
        self: &Arc<Self>,
        item: impl Fn(BroadcastContext<'static>) -> Item,
    ) -> Option<BroadcastContext<'static>> {
        let Some(pool) = self.pool.upgrade() else {
            return Some(BroadcastContext::new(0, 1));
        };
        let ((first, end), num_threads) = (pool.all_workers(), pool.threads.count());
        for index in (first..end).filter(|&index| index != self.owner_index) {
            self.call_on(index, item(BroadcastContext::new(index, num_threads)));
        }
        let takes_part = self.owner_index != GUEST || !pool.hands_over();
        let own = || pool.threads.index_of(self.owner_index);
        takes_part.then(|| BroadcastContext::new(own(), num_threads))
    }

    /// Adds a task for the owner alone. In a cancelled scope it is dropped, as all are.
    pub(crate) fn add_owners(&self, item: Item) {
        let mut state = lock(&self.state);
        if self.is_cancelled() {
            drop(state);
            return self.call(|| drop(item));
        }
        state.owners.push_back(item);
        self.count_items(&state);
        let owner = state.owner.take();
        drop(state);
        owner.inspect(|owner| owner.unpark());
    }

    pub(super) fn take_owners(&self, state: &mut State) -> Option<Item> {
        let item = state.owners.pop_front();
        self.count_items(state);
        item
    }

    /// Adds a task for one worker of the pool.
    fn call_on(self: &Arc<Self>, worker: usize, item: Item) {
        {
            let mut state = lock(&self.state);
            state.calls += 1;
            self.count_workers(&state);
        }
        let called = seat::at(&self.pool, item, |item, _, me, _| {
            let pool = me.shared();
            pool.call(me, worker, Call::Scoped(Arc::clone(self), item));
            // The owner, which may be asleep, answers calls to workers that have ended.
            if pool.ending.is_terminating() {
                let owner = lock(&self.state).owner.take();
                owner.inspect(|owner| owner.unpark());
            }
        });
        // The pool or the thread's record has ended.
        if let Err(item) = called {
            let mut state = lock(&self.state);
            state.calls -= 1;
            self.count_workers(&state);
            drop(state);
            self.add_owners(item);
        }
    }

    /// Answers a call to `me`, the calling thread's member. In a cancelled scope it is dropped.
    pub(crate) fn attend(self: &Arc<Self>, thread: &Thread, me: &Member, item: Item) {
        let level = thread.level() + 1;
        {
            let mut state = lock(&self.state);
            state.calls -= 1;
            state.active.push((MemberPtr(NonNull::from(me)), level));
        }
        let work = |level| {
            self.inside(|| self.run_item(item));
            self.leave(lock(&self.state), level, me);
        };
        // SAFETY: as in `work_on`.
        unsafe {
            run::task(
                thread,
                me,
                &self.lineage,
                &self.awaited_by,
                Outside::MayGive,
                work,
            )
        };
    }

    /// Runs a call that has been taken, or drops it.
    fn run_item(self: &Arc<Self>, item: Item) {
        if self.is_cancelled() {
            return self.call(|| drop(item));
        }
        let scope = TaskScope::of(Arc::clone(self));
        self.call(|| item(&scope));
    }

    /// For the owner: takes a call that no thread will answer, since the pool has ended.
    pub(super) fn vain_call(&self, me: &Member) -> Option<Item> {
        let pool = me.shared();
        if !pool.ending.is_terminating() {
            return None;
        }
        let item = pool
            .members
            .iter()
            .find_map(|m| m.queues.inbox.take_back(self))?;
        let mut state = lock(&self.state);
        state.calls -= 1;
        self.count_workers(&state);
        Some(item)
    }
}

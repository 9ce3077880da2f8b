//! Broadcasts of a scope: tasks for one thread each.
//!
//! Calls are in the inboxes of workers (inbox.rs), and count as workers until they have been
//! answered. The owner's own part is among the tasks, and so are calls that no worker will answer.

use super::{ScopeTask, ScopeTasks, State};
use crate::{
    join::{
        member::{GUEST, Member, site::Line},
        run::Outside,
        thread::Thread,
    },
    pool::{queue::Queued, seat},
    protocol::primitive::{Mutex, lock},
    task::{BroadcastContext, TaskScope},
};
use std::{mem, sync::Arc};

/// A task for one thread, until that or the owner takes it.
struct Call {
    scope: Arc<ScopeTasks>,
    line: Line,
    task: Mutex<Option<ScopeTask>>,
}

impl Call {
    fn take(&self) -> Option<ScopeTask> {
        mem::take(&mut *lock(&self.task))
    }
}

impl Queued for Call {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, _: Outside) {
        if let Some(task) = self.take() {
            self.scope.answer(thread, me, task);
        }
    }

    fn cancel(&self) {
        if let Some(task) = self.take() {
            self.scope.give_back(task);
        }
    }

    fn is_spent(&self) -> bool {
        lock(&self.task).is_none()
    }

    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        each(Some(self.line), true);
    }

    fn has_owner(&self) -> bool {
        true
    }
}

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

    /// Adds a task for the owner alone. In a cancelled scope it is dropped, as all are.
    pub(crate) fn add_owners(&self, task: ScopeTask) {
        let mut state = lock(&self.state);
        if self.is_cancelled() {
            drop(state);
            return self.call(|| drop(task));
        }
        state.owners.push_back(task);
        self.count_tasks(&state);
        let owner = state.owner.take();
        drop(state);
        owner.inspect(|owner| owner.unpark());
    }

    pub(super) fn take_owners(&self, state: &mut State) -> Option<ScopeTask> {
        let task = state.owners.pop_front();
        self.count_tasks(state);
        task
    }

    /// Adds a task for one worker of the pool.
    fn call_on(self: &Arc<Self>, worker: usize, task: ScopeTask) {
        {
            let mut state = lock(&self.state);
            state.calls += 1;
            self.count_workers(&state);
        }
        let called = seat::at(&self.pool, task, |task, _, me, _| {
            let call = Call {
                scope: Arc::clone(self),
                line: task.line,
                task: Mutex::new(Some(task)),
            };
            me.shared().call(me, Some(worker), Arc::new(call));
        });
        // The pool or the thread's record has ended.
        if let Err(task) = called {
            self.give_back(task);
        }
    }

    /// Leaves a call to the owner, since no thread will answer it. It counts until then: the scope
    /// may be over as soon as it does not. In a cancelled scope it is dropped.
    fn give_back(&self, task: ScopeTask) {
        let mut task = Some(task);
        let mut state = lock(&self.state);
        if self.is_cancelled() {
            drop(state);
            self.call(|| drop(task.take()));
            state = lock(&self.state);
        }
        task.into_iter()
            .for_each(|task| state.owners.push_back(task));
        state.calls -= 1;
        self.count_tasks(&state);
        self.count_workers(&state);
        let owner = state.owner.take();
        drop(state);
        owner.inspect(|owner| owner.unpark());
    }

    /// Answers a call to `me`, the calling thread's member. In a cancelled scope it is dropped.
    fn answer(self: &Arc<Self>, thread: &Thread, me: &Member, task: ScopeTask) {
        let mut state = lock(&self.state);
        state.calls -= 1;
        self.enter(state, thread, me, Outside::MayGive, |level| {
            let _at = me.runs(Some(task.line));
            self.run_call(task, me.index);
            self.leave(lock(&self.state), level, me);
        });
    }

    /// Runs a call of the worker that has been taken, or drops it.
    fn run_call(self: &Arc<Self>, task: ScopeTask, worker: usize) {
        if self.is_cancelled() {
            return self.call(|| drop(task));
        }
        let scope = TaskScope::of(Arc::clone(self), worker);
        self.call(|| task.run(&scope));
    }
}

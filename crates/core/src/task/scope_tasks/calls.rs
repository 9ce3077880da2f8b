//! Broadcasts of a scope: tasks for one thread each.
//!
//! Calls are in the inboxes of workers (inbox.rs), their tasks here: a thread that takes a call
//! takes its task first. Until then they count as workers. So is that of the owner, if it is a
//! worker; else it has a list of its own, which it looks at in yields and waits (enclosing.rs).
//! What is called on a thread that has ended, or that the system refuses, is left to the owner, too
//! (inbox.rs). A call whose task has been taken, or dropped with a cancelled scope's, is spent.

use super::{ScopeTask, ScopeTasks, State};
use crate::{
    join::{
        member::{Member, site::Line},
        run::Outside,
        thread::Thread,
    },
    pool::{enclosing::Enclosing, queue::Queued, seat, threads::GUEST},
    protocol::{
        parker::Parker,
        primitive::{Locked, Ordering, lock},
    },
    task::{BroadcastContext, TaskScope},
};
use std::{ptr, sync::Arc};

/// A call of a thread, in its inbox.
struct Call {
    scope: Arc<ScopeTasks>,
    line: Line,
}

impl Call {
    fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }
}

impl Queued for Call {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, _: Outside) {
        let scope = &self.scope;
        let mut state = lock(&scope.state);
        let Some(task) = state.calls.remove(&self.address()) else {
            return;
        };
        scope.run_alone(state, task, thread, me);
    }

    /// Leaves the task to the owner, since no thread will answer.
    fn cancel(&self) {
        let scope = &self.scope;
        let mut state = lock(&scope.state);
        let Some(task) = state.calls.remove(&self.address()) else {
            return;
        };
        scope.leave_to_owner(state, task);
    }

    fn is_spent(&self) -> bool {
        let state = self.scope.state.try_lock();
        state.is_ok_and(|state| !state.calls.contains_key(&self.address()))
    }

    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        if !self.is_spent() {
            each(Some(self.line), true);
        }
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
    pub(crate) fn call_owner(self: &Arc<Self>, task: ScopeTask) {
        if self.owner_index != GUEST {
            self.call_on(self.owner_index, task);
        } else if let Some((state, task)) = self.lock_to_add(task) {
            self.leave_to_owner(state, task);
        }
    }

    fn leave_to_owner(&self, mut state: Locked<'_, State>, task: ScopeTask) {
        state.owners.push_back(task);
        self.count_owners(&state);
        self.count_workers(&state);
        let sleeps = [state.owner.take(), state.elsewhere.take()];
        drop(state);
        sleeps.iter().flatten().for_each(|owner| owner.unpark());
    }

    /// For the owner: takes a task of its own.
    pub(super) fn take_owners(&self, state: &mut State) -> Option<ScopeTask> {
        let task = state.owners.pop_front();
        self.count_owners(state);
        task
    }

    /// Runs the task, which was taken out, on the calling thread, which sits on `me`.
    fn run_alone(
        self: &Arc<Self>,
        state: Locked<'_, State>,
        task: ScopeTask,
        thread: &Thread,
        me: &Member,
    ) {
        self.enter(state, thread, me, Outside::MayGive, |level| {
            let scope = TaskScope::of(Arc::clone(self), me.index);
            self.run_task(Some(me), task, &scope);
            self.leave(level, me);
        });
    }

    /// Runs a task of the owner's on the calling thread, the owner, which sits on `me`. Returns
    /// false if there is none, or no room on the stack.
    fn answer_at(self: &Arc<Self>, thread: &Thread, me: &Member) -> bool {
        if !thread.has_room() {
            return false;
        }
        let mut state = lock(&self.state);
        let Some(task) = self.take_owners(&mut state) else {
            return false;
        };
        thread.helping(|| self.run_alone(state, task, thread, me));
        true
    }

    /// Adds a task for one worker of the pool. In a cancelled scope it is dropped.
    fn call_on(self: &Arc<Self>, worker: usize, task: ScopeTask) {
        let Some((mut state, task)) = self.lock_to_add(task) else {
            return;
        };
        let call = Arc::new(Call {
            scope: Arc::clone(self),
            line: task.line,
        });
        state.calls.insert(call.address(), task);
        self.count_workers(&state);
        drop(state);
        let called = seat::at(&self.pool, call, |call, _, me, _| {
            me.shared().call(me, Some(worker), call);
        });
        // The pool or the thread's record has ended.
        if let Err(call) = called {
            call.cancel();
        }
    }
}

impl Enclosing for Arc<ScopeTasks> {
    fn run_one(&self, thread: &Thread, me: &Member, owns: bool) -> bool {
        if !ptr::eq(self.pool.as_ptr(), me.shared) {
            return false;
        }
        if owns && self.answer_at(thread, me) {
            return true;
        }
        self.work_on(thread, me, owns, Outside::MayGive)
    }

    fn calls_owner(&self, sleeps: Option<&Arc<Parker>>) -> bool {
        let Some(parker) = sleeps else {
            return self.owners_count.load(Ordering::Relaxed) > 0;
        };
        if self.owner_index != GUEST {
            return false;
        }
        let mut state = lock(&self.state);
        let is_called = !state.owners.is_empty();
        if !is_called {
            state.elsewhere = Some(Arc::clone(parker));
        }
        is_called
    }

    fn answer(&self) -> bool {
        let answer = |(), thread: &Thread, me: &Member, _| self.answer_at(thread, me);
        self.calls_owner(None) && seat::at(&self.pool, (), answer) == Ok(true)
    }
}

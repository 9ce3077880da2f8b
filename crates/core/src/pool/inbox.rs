//! A member's inbox: calls that only the thread seated there may take, made by broadcasts.
//!
//! Sleepers are woken for a call. A worker answers it before it takes jobs or tasks of others, but
//! **after its own tasks**: those that were in its queue when it noticed the call. So tasks that a
//! thread spawns before it broadcasts have started before the thread answers. In a pool that runs
//! the newest first, tasks that these spawn may come before them; then as many are run as were
//! there, and after that as many of the oldest, which are those (`next_task`). So calls do not
//! starve.
//!
//! A thread that waits answers all calls at once, whatever it waits for, since they need this very
//! thread: otherwise the threads that called would wait for it, and it possibly for them. A thread
//! that yields also answers all calls, after its own tasks.
//!
//! If a call comes when the pool ends, its thread may have ended. So the thread that makes it, in a
//! start handler, takes it back, unless its thread has answered it: that looks once more before it
//! ends. So it does if the system refuses that thread. A scope's call is left to the scope's owner
//! then (scope_tasks/calls.rs). One that no scope waits for, a *detached* one, becomes a task.

use super::{queue::Queued, queues::Inbox, shared::Shared};
use crate::{
    hooks,
    join::{member::Member, run::Outside, thread::Thread},
    protocol::primitive::{Ordering, fence},
};
use std::{ptr, sync::Arc};

/// Answers the oldest call to `me`. Returns false if there is none.
pub(crate) fn answer(thread: &Thread, me: &Member) -> bool {
    let own = me.queues.inbox.calls.pop();
    let Some(call) = own.or_else(|| me.reserve_inbox()?.calls.pop()) else {
        return false;
    };
    me.queues.inbox.begin();
    // Calls may come for ever, and are none of the tasks that others wait for.
    me.site.uncounted(|| call.run(thread, me, Outside::MayGive));
    true
}

/// Answers the calls to `me`, a worker that does nothing else, each after the tasks that come
/// before it: all of them, or until tasks of others are due.
pub(crate) fn answer_all(thread: &Thread, me: &Member) {
    loop {
        me.queues.turns.count();
        if let Some(task) = me.queues.inbox.next_task(&me.queues.tasks) {
            me.note(hooks::Event::Task);
            task.run(thread, me, Outside::Promoted);
        } else {
            answer(thread, me);
        }
        if me.queues.inbox.is_empty() || me.queues.turns.is_due() {
            return;
        }
    }
}

impl Member {
    /// Returns the calls for outside threads, if the reserve sits here.
    fn reserve_inbox(&self) -> Option<&Inbox> {
        let reserve = &self.shared().reserve;
        let is_here = reserve.member().is_some_and(|at| ptr::eq(at, self));
        is_here.then_some(&reserve.inbox)
    }

    /// Returns whether there is a call for the seated thread. A hint.
    pub(crate) fn is_called(&self) -> bool {
        let inboxes = [Some(&self.queues.inbox), self.reserve_inbox()];
        inboxes.into_iter().flatten().any(|inbox| !inbox.is_empty())
    }
}

impl Shared {
    /// Iterates over all inboxes.
    pub(super) fn inboxes(&self) -> impl Iterator<Item = &Inbox> {
        let of_members = self.members.iter().map(|member| &member.queues.inbox);
        of_members.chain([&self.reserve.inbox])
    }

    /// Makes a call to the thread with this index, or, without one, to the reserve.
    pub(crate) fn call(&self, by: &Member, index: Option<usize>, call: Arc<dyn Queued>) {
        let inbox = match index {
            Some(index) => {
                let called = self.members.worker(index);
                called.queues.inbox.calls.push(Arc::clone(&call));
                self.wake_dormant(by);
                by.counters.wakes.add_one();
                by.note(hooks::Event::Wake);
                self.wake_worker(called, |called| called.parker.unpark());
                &called.queues.inbox
            }
            None => {
                self.reserve.inbox.calls.push(Arc::clone(&call));
                fence(Ordering::SeqCst);
                self.reserve.come(self);
                self.call_watch();
                &self.reserve.inbox
            }
        };
        fence(Ordering::SeqCst);
        let is_it = |other: &dyn Queued| ptr::addr_eq(other, &*call);
        let is_refused = match index {
            // By a spawn handler, which is not asked again.
            Some(index) => !self.own_threads.has_workers && self.threads.is_off(index),
            None => !self.reserve.is_started(self),
        };
        let is_over = is_refused || self.ending.is_terminating();
        if is_over && inbox.calls.take(usize::MAX, &is_it).is_some() {
            self.leave_call(call);
        }
    }

    /// Leaves a call, which its thread will not answer, to its owner, or makes it a task.
    fn leave_call(&self, call: Arc<dyn Queued>) {
        if call.has_owner() {
            call.cancel();
        } else {
            self.at_any_seat(|pool, me| pool.queue(me, call));
        }
    }

    /// Gives the calls for a thread that the system refuses to others.
    pub(crate) fn answer_in_vain(&self, refused: &Member) {
        while let Some(call) = refused.queues.inbox.calls.pop() {
            self.leave_call(call);
        }
    }
}

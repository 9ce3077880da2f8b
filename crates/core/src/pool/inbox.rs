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

use super::{
    queue::{Queued, TaskQueue},
    shared::Shared,
};
use crate::{
    hooks,
    join::{
        member::{Member, site::Line},
        run::Outside,
        thread::Thread,
    },
    protocol::primitive::{AtomicUsize, Mutex, Ordering, fence, lock},
};
use std::{collections::VecDeque, ptr, sync::Arc};

/// Calls, and how many there must be to sweep out the spent ones.
#[derive(Default)]
struct Calls {
    queue: VecDeque<Arc<dyn Queued>>,
    sweep_at: usize,
}

/// The least number of calls to sweep.
const SWEEP_AT: usize = 32;

#[derive(Default)]
pub(crate) struct Inbox {
    len: AtomicUsize,
    calls: Mutex<Calls>,
    /// The numbers of tasks that the seated thread starts before its next answer: in its own order,
    /// then the oldest; each plus one, or 0 if it has not noticed the call. Only that thread uses
    /// these.
    tasks: AtomicUsize,
    oldest: AtomicUsize,
}

impl Inbox {
    /// Returns whether there is no call. A hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }

    pub(super) fn push(&self, call: Arc<dyn Queued>) {
        let mut calls = lock(&self.calls);
        let mut spent = Vec::new();
        if calls.queue.len() >= calls.sweep_at.max(SWEEP_AT) {
            // But for the first, which the seated thread may have noticed: it answers that one.
            for _ in 1..calls.queue.len() {
                match calls.queue.remove(1) {
                    Some(call) if call.is_spent() => spent.push(call),
                    call => calls.queue.extend(call),
                }
            }
            calls.sweep_at = 2 * calls.queue.len();
        }
        calls.queue.push_back(call);
        self.len.store(calls.queue.len(), Ordering::Relaxed);
        drop(calls);
        drop(spent);
    }

    /// Returns whether any call waits for a thread.
    pub(super) fn any_waits(&self) -> bool {
        !self.is_empty() && lock(&self.calls).queue.iter().any(|call| !call.is_spent())
    }

    /// Calls `each` for each call, with the line of the program that has made it, and true.
    pub(crate) fn each_waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        if self.is_empty() {
            return;
        }
        for call in &lock(&self.calls).queue {
            call.waits(&mut |line, _| each(line, true));
        }
    }

    /// Takes the oldest call that is `wanted`.
    pub(super) fn take(
        &self,
        wanted: &dyn Fn(&Arc<dyn Queued>) -> bool,
    ) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return None;
        }
        let mut calls = lock(&self.calls);
        let at = calls.queue.iter().position(wanted)?;
        let call = calls.queue.remove(at);
        self.len.store(calls.queue.len(), Ordering::Relaxed);
        call
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

/// Answers the oldest call to `me`. Returns false if there is none.
pub(crate) fn answer(thread: &Thread, me: &Member) -> bool {
    let any = |_: &Arc<dyn Queued>| true;
    let own = me.queues.inbox.take(&any);
    let Some(call) = own.or_else(|| me.reserve_inbox()?.take(&any)) else {
        return false;
    };
    me.queues.inbox.tasks.store(0, Ordering::Relaxed);
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
    /// Makes a call to the thread with this index, or, without one, to the reserve.
    pub(crate) fn call(&self, by: &Member, index: Option<usize>, call: Arc<dyn Queued>) {
        let inbox = match index {
            Some(index) => {
                let called = self.members.worker(index);
                called.queues.inbox.push(Arc::clone(&call));
                self.wake_dormant(by);
                by.counters.wakes.add_one();
                by.note(hooks::Event::Wake);
                self.wake_worker(called, |called| called.parker.unpark());
                &called.queues.inbox
            }
            None => {
                self.reserve.inbox.push(Arc::clone(&call));
                fence(Ordering::SeqCst);
                self.reserve.come(self);
                self.call_watch();
                &self.reserve.inbox
            }
        };
        fence(Ordering::SeqCst);
        let is_it = |other: &Arc<dyn Queued>| Arc::ptr_eq(other, &call);
        let is_refused = match index {
            // By a spawn handler, which is not asked again.
            Some(index) => !self.own_threads.has_workers && self.threads.is_off(index),
            None => !self.reserve.is_started(self),
        };
        let is_over = is_refused || self.ending.is_terminating();
        if is_over && inbox.take(&is_it).is_some() {
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
        while let Some(call) = refused.queues.inbox.take(&|_| true) {
            self.leave_call(call);
        }
    }
}

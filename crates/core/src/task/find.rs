//! Tasks in their pool: queued by any thread, found by idle workers, cancelled when the pool ends.

use super::{
    inbox::{self, Turn},
    scope_tasks::run_inside,
};
use crate::{
    join::{lineage::Lineage, member::Member, run::Outside, thread::Thread},
    pool::{queue::Queued, seat, shared::Shared},
    protocol::times::Phase,
};
use std::{ptr, sync::Arc};

/// One time in so many a thread takes a task of another member before its own, which may come for
/// ever: threads outside of the pool run none of theirs, nor does a worker in a long task.
const OTHERS_OF: u64 = 64;

/// Takes the next task for the thread that sits on `me`: one of its own, or else the oldest of
/// another member; the other way round if it is the others' turn.
pub(crate) fn next(me: &Member) -> Option<Arc<dyn Queued>> {
    others_in_turn(me)
        .or_else(|| own(me))
        .or_else(|| others(me))
}

/// Takes a task of another member if it is their turn.
fn others_in_turn(me: &Member) -> Option<Arc<dyn Queued>> {
    me.queues.turns.add_one();
    let is_theirs = me.queues.turns.get() % OTHERS_OF == 0;
    is_theirs.then(|| others(me)).flatten()
}

/// Takes the next of `me`'s own tasks: the oldest, or the newest in a pool that runs the newest
/// first. Thieves always take the oldest, which is mostly the largest.
fn own(me: &Member) -> Option<Arc<dyn Queued>> {
    if me.shared().newest_first {
        me.queues.tasks.pop_newest()
    } else {
        me.queues.tasks.pop()
    }
}

fn others(me: &Member) -> Option<Arc<dyn Queued>> {
    let members = &me.shared().members;
    let has_tasks = |member: &Member| !ptr::eq(member, me) && !member.queues.tasks.is_empty();
    while let Some(guest) = members.next_guest(has_tasks) {
        if let Some(task) = guest.queues.tasks.pop() {
            guest.end_turn();
            return Some(task);
        }
    }
    let mut members = members.iter().filter(|member| has_tasks(member));
    members.find_map(|member| member.queues.tasks.pop())
}

/// Takes the next of `me`'s own tasks, unless a call comes before it.
pub(super) fn own_before_calls(me: &Member) -> Option<Arc<dyn Queued>> {
    if me.queues.inbox.is_empty() {
        return own(me);
    }
    match me
        .queues
        .inbox
        .turn(me.queues.tasks.len(), me.shared().newest_first)
    {
        Turn::Task => own(me),
        Turn::OldestTask => me.queues.tasks.pop(),
        Turn::Call => None,
    }
}

/// Takes a queued task of `me`'s pool that descends from `lineage`.
pub(crate) fn part_of(me: &Member, lineage: &Lineage) -> Option<Arc<dyn Queued>> {
    let mut members = me.shared().members.iter();
    members.find_map(|member| {
        let task = member.queues.tasks.take(|task| task.is_part_of(lineage));
        task.or_else(|| member.queues.fifo.part_of(lineage))
    })
}

/// Runs a task or a call for `me`, if there is one, on the calling thread, which sits on `me` and
/// is inside other work. `local`: only a task of its own. Returns false if there is none.
pub(crate) fn run_one(thread: &Thread, me: &Member, local: bool) -> bool {
    // Tasks of other threads belong to no profile.
    #[cfg(feature = "hooks")]
    let _paused = crate::hooks::pause();
    let before = me.enter(Phase::Working, me.shared().now());
    let run = |task: Arc<dyn Queued>| task.run(thread, me, Outside::MayGive);
    let others_first = !local && me.queues.inbox.is_empty();
    let ran = (others_first && others_in_turn(me).map(run).is_some())
        || own_before_calls(me).map(run).is_some()
        || inbox::answer(thread, me, None, || ())
        || run_inside(thread, me)
        || (!local && others(me).map(run).is_some());
    me.enter(before, me.shared().now());
    ran
}

/// Runs a task or a call of one of the calling thread's pools that are `wanted`, if there is one.
/// Returns false if there is none.
#[cfg(any(
    feature = "testing",
    all(
        target_family = "wasm",
        target_os = "unknown",
        not(target_feature = "atomics")
    )
))]
pub(crate) fn run_any(wanted: impl Fn(&Shared) -> bool) -> bool {
    Thread::current().is_some_and(|thread| {
        // Held meanwhile: the task may enter pools, where threads give up seats.
        let seats = thread.seats.borrow().clone();
        seats.iter().any(|seat| {
            // SAFETY: members live as long as their pool, which the seat keeps.
            let me = unsafe { &*seat.member };
            wanted(me.shared()) && thread.inside(me, || run_one(&thread, me, false))
        })
    })
}

impl Shared {
    /// Queues a task with `by`, where the calling thread sits.
    pub(crate) fn queue(&self, by: &Member, task: Arc<dyn Queued>) {
        self.queue_at(by, by, task);
    }

    /// Queues a task that `by` starts after those that it has queued in this way before.
    pub(crate) fn queue_in_order(&self, by: &Member, task: Arc<dyn Queued>) {
        let entry = if self.newest_first {
            by.queues.fifo.push(task)
        } else {
            task
        };
        self.queue(by, entry);
    }

    /// Queues a step of an activity. A thread that takes its newest task first runs its steps last,
    /// in their order, so that two that wake each other do not occupy it.
    pub(crate) fn queue_step(&self, by: &Member, step: Arc<dyn Queued>) {
        if self.newest_first {
            by.queues.tasks.push_oldest(step);
            self.after_queueing(by);
        } else {
            self.queue(by, step);
        }
    }

    /// Queues a task that `by` runs before those that it has queued, but behind them where a call
    /// waits, which has counted the tasks before it.
    pub(crate) fn queue_first(&self, by: &Member, task: Arc<dyn Queued>) {
        if self.newest_first || !by.queues.inbox.is_empty() {
            return self.queue(by, task);
        }
        by.queues.tasks.push_oldest(task);
        self.after_queueing(by);
    }

    /// Queues a task behind others: with `by`, or, if nothing else is queued there, in the longest
    /// queue of the pool.
    pub(crate) fn queue_last(&self, by: &Member, task: Arc<dyn Queued>) {
        let longest = || {
            let members = self.members.iter();
            let others = members.filter(|member| !member.queues.tasks.is_empty());
            others.max_by_key(|member| member.queues.tasks.len())
        };
        if self.newest_first {
            return self.queue_step(by, task);
        }
        let elsewhere = by.queues.tasks.is_empty().then(longest).flatten();
        self.queue_at(by, elsewhere.unwrap_or(by), task);
    }

    fn queue_at(&self, by: &Member, at: &Member, task: Arc<dyn Queued>) {
        at.queues.tasks.push(task);
        self.after_queueing(by);
    }

    fn after_queueing(&self, by: &Member) {
        self.wake_dormant(by);
        if self.is_caller(by) {
            by.cpu.note();
            // It waits for a worker, which does not wait for a better offer.
            self.end_nap();
        }
        // After the fence in `wake_dormant`, which is the reserve's T3.
        self.call_reserve();
        // After the fence in `wake_dormant`: either we see this, or `end_tasks` sees the task.
        if self.ending.tasks_ended() {
            self.cancel_tasks();
        }
    }

    /// Calls `f` with the calling thread's member, or, if the thread's record has ended, with a
    /// free seat.
    pub(crate) fn at_any_seat(&self, f: impl FnOnce(&Shared, &Member)) {
        if let Err(f) = seat::at(&self.this, f, |f, _, me, _| f(self, me)) {
            let seat = self.guest_seat();
            // SAFETY: members live as long as their pool.
            f(self, unsafe { &*seat });
            self.members.return_guest_seat(seat);
        }
    }

    /// Drops all queued tasks, and the calls that no scope waits for, since no thread is left to
    /// run them.
    pub(crate) fn cancel_tasks(&self) {
        for member in self.members.iter() {
            while let Some(task) = member.queues.tasks.pop() {
                task.cancel();
            }
        }
        let inboxes = self.members.iter().map(|member| &member.queues.inbox);
        for inbox in inboxes.chain([&self.reserve.inbox]) {
            while let Some(task) = inbox.take_detached(|_| true) {
                task.cancel();
            }
        }
    }
}

//! Tasks in their pool: queued by anybody, found by the idle, cancelled when the pool ends.

use super::{inbox, queue::Queued, seat};
use crate::{job::Job, member::Member, run::Outside, shared::Shared, thread::Thread, times::Phase};
use std::{ptr, sync::Arc};

/// The oldest task of `me`, or of another member.
pub(crate) fn oldest(me: &Member) -> Option<Arc<dyn Queued>> {
    me.tasks.pop().or_else(|| {
        me.shared()
            .members()
            .filter(|member| !ptr::eq(*member, me))
            .find_map(|member| member.tasks.pop())
    })
}

/// A queued task of `me`'s pool that descends from `job`.
pub(crate) fn part_of(me: &Member, job: &Job) -> Option<Arc<dyn Queued>> {
    let mut members = me.shared().members();
    members.find_map(|member| member.tasks.take(|task| task.is_part_of(job)))
}

/// Runs a call for `me` or a task, if there is any, on the calling thread, which sits on `me` and is in the middle of
/// something. `local`: only a task of its own. False if there is none.
pub(crate) fn run_one(thread: &Thread, me: &Member, local: bool) -> bool {
    // What other threads have spawned belongs to no profile.
    #[cfg(feature = "profile")]
    let _paused = crate::profile::pause();
    let before = me.enter(Phase::Working, me.shared().now());
    let ran = inbox::answer(thread, me, None, || ()) || {
        let task = if local { me.tasks.pop() } else { oldest(me) };
        task.map(|task| task.run(thread, me, Outside::MayGive))
            .is_some()
    };
    me.enter(before, me.shared().now());
    ran
}

impl Shared {
    /// Queues a task with `by`, where the calling thread sits.
    pub(crate) fn queue(&self, by: &Member, task: Arc<dyn Queued>) {
        self.queue_at(by, by, task);
    }

    /// Queues a task so that others are run before it: with `by`, or, if nothing else is queued there, in the longest queue of the pool.
    pub(crate) fn queue_last(&self, by: &Member, task: Arc<dyn Queued>) {
        let longest = || self.members().max_by_key(|member| member.tasks.len());
        let elsewhere = by.tasks.is_empty().then(longest).flatten();
        self.queue_at(by, elsewhere.unwrap_or(by), task);
    }

    fn queue_at(&self, by: &Member, at: &Member, task: Arc<dyn Queued>) {
        at.tasks.push(task);
        self.wake_dormant(by);
        // After the fence in `wake_dormant`, which is the reserve's T3 and the turns' N2.
        self.call_spare();
        // After the fence in `wake_dormant`: either we see this, or `end_tasks` sees the task.
        if self.tasks_ended() {
            self.cancel_tasks();
        }
    }

    /// Queues a task with the calling thread's member, or, if that has no record any more, with a free seat.
    pub(crate) fn queue_from_anywhere(&self, task: Arc<dyn Queued>) {
        let mut task = Some(task);
        let mut queue = |member: &Member| {
            if let Some(task) = task.take() {
                self.queue(member, task);
            }
        };
        if seat::at(&self.this, |_, me, _| queue(me)).is_none() {
            let seat = self.guest_seat();
            // SAFETY: members live as long as their pool.
            queue(unsafe { &*seat });
            self.return_guest_seat(seat);
        }
    }

    /// Drops all queued tasks: there is nobody to run them.
    pub(crate) fn cancel_tasks(&self) {
        for member in self.members() {
            while let Some(task) = member.tasks.pop() {
                task.cancel();
            }
        }
    }
}

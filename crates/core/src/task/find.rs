//! Tasks in their pool: queued by anybody, found by the idle, cancelled when the pool ends.

use super::{queue::Queued, seat};
use crate::{member::Member, shared::Shared};
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
        if !self.has_workers() {
            self.reserve.start(self);
        }
        self.wake_dormant(by);
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

//! How a thread waits for a task: also for the end of a call that it has handed over, a promise, or
//! an activity.

use super::{resolver::Activity, wait_for::Unstarted, work::Header};
use crate::{
    carry::Snapshot,
    join::{
        lineage::Lineage,
        member::Member,
        wait::{self, Awaited},
    },
    policy::Policy,
    pool::{seat, shared::Shared, stall::WaitsFor},
    protocol::parker::Parker,
};
use std::{ptr::NonNull, sync::Arc};

/// What a thread waits for: the end of a task.
pub(super) struct AwaitedTask<'t> {
    task: &'t Header,
    /// The origin of the jobs to help with.
    lineage: &'t Lineage,
    /// The task's pool, if it exists.
    pool: Option<&'t Shared>,
    /// If the waiter is outside of that: the address of the task's entry in a queue there.
    entry: Option<usize>,
}

impl AwaitedTask<'_> {
    /// Waits for a task until it is done. Outside of its pool, where
    /// its entry has this address, also until that has no thread any more that would start it.
    pub(super) fn wait(task: &Header, outside: Option<(&Shared, usize)>) {
        let activity = task.activity.as_ref();
        let lineage = activity.map_or(&task.lineage, |activity| &activity.state().lineage);
        if let Some((pool, entry)) = outside {
            let waiting = AwaitedTask {
                task,
                lineage,
                pool: Some(pool),
                entry: Some(entry),
            };
            // They need no permit for it. What has started is not queued any more.
            let _lent = (!waiting.is_claimed()).then(|| pool.lend_permit(entry));
            return wait::here(None, &pool.policy, &waiting, false);
        }
        let inside = |me: Option<&Member>| {
            let waiting = AwaitedTask {
                task,
                // The pool of those that ran parts of it may be freed.
                lineage: if me.is_some() {
                    lineage
                } else {
                    &Lineage::new()
                },
                pool: me.map(Member::shared),
                entry: None,
            };
            let help = me.is_some() && !std::thread::panicking();
            wait::here(me, &Policy::DEFAULT, &waiting, help);
        };
        match &task.pool {
            Some(pool) if activity.is_some() => seat::inside(pool, inside),
            Some(pool) => seat::at(pool, (), |(), _, me, _| inside(Some(me)))
                .unwrap_or_else(|()| inside(None)),
            None => inside(None),
        }
    }

    /// Whether a thread has started the task. None claims an activity but its resolver.
    fn is_claimed(&self) -> bool {
        self.task.activity.is_none() && self.task.completion.stage.is_claimed()
    }

    /// Returns an activity that the waiter advances, and its pool.
    fn steps(&self) -> Option<(&dyn Activity, &Shared)> {
        let activity = self
            .task
            .activity
            .as_deref()
            .filter(|_| self.entry.is_none());
        activity.zip(self.pool)
    }

    fn outside(&self) -> Option<&Shared> {
        self.pool.filter(|_| self.entry.is_some())
    }
}

impl Awaited for AwaitedTask<'_> {
    type Outcome = ();

    const IS: WaitsFor = WaitsFor::Task;

    fn lineage(&self) -> &Lineage {
        self.lineage
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        // Code outside of this crate says where an activity runs.
        let is_there =
            |member: *const Member| self.pool.is_none_or(|pool| pool.members.contains(member));
        let taker = self.lineage.taker.get().filter(|_| nth == 0);
        taker.filter(|(member, _)| is_there(member.as_ptr()))
    }

    fn unstarted(&self) -> Option<Unstarted> {
        let is_started = self.is_claimed() || self.taker(0).is_some();
        (!is_started).then_some(Unstarted::new(self.pool?, self.entry?))
    }

    fn has_steps(&self) -> bool {
        self.steps().is_some()
    }

    fn is_due(&self) -> bool {
        self.steps().is_some_and(|(activity, _)| activity.is_due())
    }

    fn advance(&self) {
        let Some((activity, pool)) = self.steps() else {
            return;
        };
        Snapshot::NONE.around(|| {
            if pool.ending.tasks_ended() {
                activity.abandon();
            } else {
                activity.advance();
            }
        });
    }

    /// Also if no thread has claimed the task, and the pool has none any more that would.
    fn outcome(&self) -> Option<()> {
        let is_left = |pool: &Shared| !pool.hands_over() && !self.is_claimed();
        let is_over = self.task.completion.stage.is_done() || self.outside().is_some_and(is_left);
        is_over.then_some(())
    }

    fn sleep(&self, parker: &Arc<Parker>, park: impl FnOnce()) {
        if self.task.completion.leave_waker(&parker.waker()) {
            // The worker that answers may have left its deputy asleep (nap.rs, C3 and C4): none
            // that starves answers.
            let answers = self.outside().filter(|pool| !pool.permits.starves());
            answers.inspect(|pool| pool.end_nap());
            Shared::sleep_outside(self.outside(), parker, || {
                if self.outcome().is_none() {
                    park();
                }
            });
        }
    }
}

//! How a thread waits for a task, a call that it has handed over, or a promise.

use super::resolver::Activity;
use crate::{
    carry::Snapshot,
    join::{
        awaited::{Awaited, Unstarted},
        job::Lineage,
        member::{Member, site::WaitsFor},
        wait,
    },
    pool::{permits::Lent, shared::Shared},
    protocol::{completion::Completion, parker::Parker},
};
use std::{ptr::NonNull, sync::Arc};

/// What a thread waits for: the end of `completion`.
pub(super) struct AwaitedCompletion<'c> {
    completion: &'c Completion,
    /// The origin of the jobs to help with.
    lineage: &'c Lineage,
    /// The pool whose threads start the work if the waiter may not, and the address of the work's
    /// entry in a queue there.
    elsewhere: Option<Unstarted<'c>>,
    /// They need no permit for it.
    lent: Option<Lent<'c>>,
    /// An activity that the waiter advances, and its member in the activity's pool.
    steps: Option<(&'c dyn Activity, &'c Member)>,
}

impl<'c> AwaitedCompletion<'c> {
    pub(super) fn new(completion: &'c Completion, lineage: &'c Lineage) -> Self {
        AwaitedCompletion {
            completion,
            lineage,
            elsewhere: None,
            lent: None,
            steps: None,
        }
    }

    /// Waits for threads of `pool`, if any, to start the work that is queued there as `entry`, or
    /// until it has none.
    pub(super) fn of_pool<T: ?Sized>(mut self, pool: Option<&'c Shared>, entry: *const T) -> Self {
        self.elsewhere = pool.map(|pool| (pool, entry.addr()));
        // What has started is not queued any more; no thread claims an activity.
        let pool = pool.filter(|_| !self.completion.stage.is_claimed());
        self.lent = pool.and_then(|pool| pool.lend_permit(entry.addr()));
        self
    }

    /// Waits for an activity of the pool of `me`, and advances it meanwhile.
    pub(super) fn of_activity(mut self, activity: &'c dyn Activity, me: &'c Member) -> Self {
        self.steps = Some((activity, me));
        self
    }

    /// Waits where the calling thread is, without helping ([`wait::here`]).
    pub(super) fn wait_here(&self) {
        wait::here(None, self, false);
    }
}

impl Awaited for AwaitedCompletion<'_> {
    fn is(&self) -> WaitsFor {
        WaitsFor::Task
    }

    fn lineage(&self) -> &Lineage {
        self.lineage
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        let pool = self.steps.map(|(_, me)| me.shared());
        let pool = pool.or(self.elsewhere.map(|(pool, _)| pool));
        // Code outside of this crate says where an activity runs.
        let is_there =
            |member: *const Member| pool.is_none_or(|pool| pool.members.contains(member));
        let taker = self.lineage.get().filter(|_| nth == 0);
        taker.filter(|(member, _)| is_there(member.as_ptr()))
    }

    fn unstarted(&self) -> Option<Unstarted<'_>> {
        // No thread claims an activity.
        let is_started = || self.completion.stage.is_claimed() || self.taker(0).is_some();
        self.elsewhere.filter(|_| !is_started())
    }

    fn step_is_due(&self) -> Option<bool> {
        self.steps.map(|(activity, _)| activity.is_due())
    }

    fn advance(&self) {
        let Some((activity, me)) = self.steps else {
            return;
        };
        Snapshot::NONE.around(|| {
            if me.shared().begin_step(me) {
                activity.advance();
                me.queues.pool().end_task();
            } else {
                activity.abandon();
            }
        });
    }

    /// Also if no thread has claimed the work, and the pool has none any more that would.
    fn is_over(&self) -> bool {
        let stage = &self.completion.stage;
        let is_left = |(pool, _): (&Shared, _)| !pool.hands_over() && !stage.is_claimed();
        stage.is_done() || self.elsewhere.is_some_and(is_left)
    }

    fn sleep(&self, parker: &Arc<Parker>, park: &mut dyn FnMut()) {
        let pool = self.elsewhere.map(|(pool, _)| pool);
        // The worker that answers may have left its deputy asleep: none that starves answers.
        let end_nap = || {
            let answers = pool.filter(|pool| !pool.permits.starves());
            answers.inspect(|pool| pool.end_nap());
        };
        let mut park = || {
            if !self.is_over() {
                park();
            }
        };
        let sleep = || Shared::sleep_outside(pool, parker, &mut park);
        self.completion.sleep(&parker.waker(), end_nap, sleep);
    }
}

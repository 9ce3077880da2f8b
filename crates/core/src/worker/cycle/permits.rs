//! What workers do that need permits (pool/permits.rs).

use super::Worker;
use crate::{
    join::steal,
    pool::{
        find,
        permits::{HOLD, NAP, NAP_MAX},
    },
    protocol::idle::Idler,
};
use std::cell::Cell;

/// A worker's permit.
#[derive(Default)]
pub(super) struct Permit {
    is_held: Cell<bool>,
    /// When the worker gives one back, if it has put one by and some are taken.
    due: Cell<Option<u64>>,
    /// Whether it has seen work and found no permit.
    lacks: Cell<bool>,
}

impl Worker<'_> {
    /// Returns whether it may run any job or task: takes a permit, if it needs one and sees work.
    pub(super) fn is_permitted(&self) -> bool {
        let shared = self.shared;
        if !shared.permits.are_needed() {
            return true;
        }
        self.permit.lacks.set(false);
        if self.permit.is_held.get() {
            if !shared.permits.may_be_overdrawn() || !shared.settle_overdraft() {
                return true;
            }
            self.permit.is_held.set(false);
        }
        self.sees_work(shared.now()) && self.take_permit()
    }

    /// Returns whether it has seen work and found no permit.
    pub(super) fn lacks_permit(&self) -> bool {
        self.permit.lacks.get()
    }

    /// Returns whether it may go on with another task as it is.
    pub(super) fn keeps_permit(&self) -> bool {
        !self.lacks_permit() && !self.shared.permits.may_be_overdrawn()
    }

    fn take_permit(&self) -> bool {
        let is_taken = self.shared.take_permit();
        self.permit.is_held.set(is_taken);
        self.permit.lacks.set(!is_taken);
        if is_taken {
            self.permit.due.set(None);
        }
        is_taken
    }

    /// Runs the next call or task that needs no permit. Returns false if there is none.
    pub(super) fn work_unpermitted(&mut self) -> bool {
        if !self.me.queues.inbox.is_empty() {
            self.me.counters.looks.add_one();
            self.pay_permit();
            self.answer();
            return true;
        }
        let task = self.lacks_permit().then(|| find::next_awaited(self.me));
        let Some((entry, task)) = task.flatten() else {
            return false;
        };
        self.me.counters.looks.add_one();
        self.pay_permit();
        // It lacks one still, so it runs no more than this task before it looks at its permit.
        self.permit.is_held.set(true);
        self.run_tasks(task);
        self.shared.permits.has_run(self.me.index, entry);
        true
    }

    /// As the leader that starves: naps until it has a permit, or there is something that needs
    /// none, or nothing.
    pub(super) fn starve(&mut self) {
        let shared = self.shared;
        // It sleeps as beside a dormant leader.
        self.deputy_may_sleep = true;
        let (mut nap, mut answers) = (NAP, shared.members.answers());
        loop {
            let (may_go_on, _) = shared.idle.nap.take(self.me.index, u64::MAX, || {
                shared.starve();
                if !self.may_idle() || self.take_permit() || find::is_any_awaited(self.me) {
                    return true;
                }
                self.ask(steal::ask_for_nap);
                self.park(Some(nap));
                false
            });
            if may_go_on {
                break;
            }
            let before = std::mem::replace(&mut answers, shared.members.answers());
            if nap == NAP_MAX && before == answers && !self.sees_work(shared.now()) {
                self.permit.lacks.set(false);
                break;
            }
            nap = (nap * 2).min(NAP_MAX);
        }
        shared.permits.feed();
    }

    /// Before it parks at `now`, for `nap`: puts its permit by. Returns for how long it may park.
    pub(super) fn put_permit_by(&self, nap: Option<u64>, now: u64) -> Option<u64> {
        if self.permit.is_held.take() && self.shared.put_permit_by() {
            self.permit.due.set(Some(now.saturating_add(HOLD)));
        }
        self.pay_permit_at(now);
        let left = self.permit.due.get().map(|due| due.saturating_sub(now));
        nap.into_iter().chain(left).min()
    }

    /// Gives a permit back if that is due.
    pub(super) fn pay_permit_at(&self, now: u64) {
        if self.permit.due.get().is_some_and(|due| due <= now) {
            self.pay_permit();
        }
    }

    /// Gives a permit back if that will be due.
    fn pay_permit(&self) {
        if self.permit.due.take().is_some() {
            self.shared.give_permit_back();
        }
    }

    /// At its end: gives back all that are put by, its own among them. Others that lack one may
    /// end, too.
    pub(super) fn end_permit(&self) {
        let shared = self.shared;
        if !shared.permits.are_needed() {
            return;
        }
        if self.permit.is_held.take() {
            shared.put_permit_by();
        }
        while shared.give_permit_back() {}
        shared.end_starving();
    }

    /// As one that lacks a permit, where it is off: naps. It runs no task, so it counts as busy.
    pub(super) fn lack(&self) {
        self.shared.as_busy(|| _ = self.park(Some(NAP_MAX)));
    }
}

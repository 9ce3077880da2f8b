//! What the watch sees in a pool.
//!
//! All of it is read while the threads go on, from hints of theirs. The queues are read under their
//! locks, one after the other; no user code runs there but the global allocator's.

use super::{Stall, StalledThread, WaitingWork};
use crate::{
    join::member::{
        Member,
        site::{Line, WaitsFor},
    },
    pool::{shared::Shared, threads::GUEST},
};
use std::time::Duration;

impl Shared {
    /// Returns whether anything may wait for a thread that has been published. (A scope that is
    /// queued gets further tasks without another publication.)
    pub(super) fn may_stall(&self) -> bool {
        let may = |m: &Member| {
            !m.queues.tasks.is_empty() || !m.queues.inbox.is_empty() || m.offers_in_vain()
        };
        !self.reserve.inbox.is_empty() || self.members.iter().any(may)
    }

    /// Returns whether a task or a job waits, which any thread may take.
    pub(super) fn has_waiting_tasks(&self) -> bool {
        let waits = |m: &Member| m.queues.tasks.any_waits() || m.offers_in_vain();
        self.members.iter().any(waits)
    }

    /// If a task, a job or a call waits: returns how often the threads that may take it have looked
    /// for work so far. These are all threads, or, if only calls wait, those that are called.
    pub(super) fn waiting_looks(&self) -> Option<u64> {
        let for_all = self.has_waiting_tasks();
        // The reserve is one of the guests.
        let for_reserve = self.reserve.inbox.calls.any_waits();
        let may_take = |m: &&Member| {
            for_all || m.queues.inbox.calls.any_waits() || (for_reserve && m.index == GUEST)
        };
        let takers = self.members.iter().filter(may_take);
        let looks = takers.map(|m| m.counters.looks.get());
        looks.reduce(u64::wrapping_add)
    }

    /// Returns the members of the pool's threads, and of those from outside, that take part.
    pub(super) fn threads_there(&self) -> Vec<&Member> {
        let sits = |m: &&Member| m.demand.flag.is_attached();
        let takes_part = |m: &&Member| m.site.is_inside() || m.times.is_working();
        let spare_of = |m: &Member| self.threads.spare(m.index);
        let is_on = |m: &&Member| spare_of(m).is_none_or(|spare| self.spares.is_on(spare));
        let there = self.members.iter().filter(sits).filter(takes_part);
        there.filter(is_on).collect()
    }

    /// Describes a stall that has lasted for so long.
    pub(super) fn describe_stall(&self, lasts: Duration) -> Stall {
        let mut threads: Vec<StalledThread> = Vec::new();
        for thread in self.threads_there().into_iter().map(|m| self.describe(m)) {
            // Not by sort, whose code is large; those from outside are last.
            let place = |thread: &StalledThread| thread.index.unwrap_or(usize::MAX);
            let at = threads.partition_point(|other| place(other) <= place(&thread));
            threads.insert(at, thread);
        }
        let mut waiting: Vec<WaitingWork> = Vec::new();
        let mut add = |call: Option<Line>, is_call| {
            let same = |work: &&mut WaitingWork| (work.call, work.is_call) == (call, is_call);
            match waiting.iter_mut().find(same) {
                Some(work) => work.count += 1,
                None => waiting.push(WaitingWork {
                    call,
                    is_call,
                    count: 1,
                }),
            }
        };
        for member in self.members.iter() {
            member.queues.tasks.each_waits(&mut add);
        }
        for inbox in self.inboxes() {
            inbox.calls.each_waits(&mut |call, _| add(call, true));
        }
        Stall {
            lasts,
            num_threads: self.threads.count(),
            threads,
            waiting,
            jobs: self.members.iter().map(Member::offered_jobs).sum(),
        }
    }

    fn describe(&self, member: &Member) -> StalledThread {
        let (site, is_own) = (&member.site, member.index != GUEST);
        let is_idle = member.is_idle();
        let is_in_call = !is_idle && site.since() > 0;
        let for_long = || Duration::from_nanos(self.now().saturating_sub(site.since()));
        StalledThread {
            name: site.name(),
            index: is_own.then(|| self.threads.index_of(member.index)),
            call: site.line().filter(|_| is_in_call),
            lasts: is_in_call.then(for_long),
            waits_for: if is_idle {
                WaitsFor::Work
            } else {
                site.waits_for()
            },
        }
    }
}

impl Member {
    /// Returns whether the seated thread has nothing to do. (One that waits looks for work, too.)
    pub(super) fn is_idle(&self) -> bool {
        self.times.is_searching() && self.site.waits_for() == WaitsFor::Program
    }

    /// Returns whether it offers jobs to which the seated thread does not come back by itself. All
    /// others are no waiting work: it runs them.
    fn offers_in_vain(&self) -> bool {
        !self.offers.is_empty() && self.site.waits_for() == WaitsFor::Blocking
    }

    fn offered_jobs(&self) -> usize {
        let slots = self.offers.by_age();
        slots.filter(|slot| !slot.is_empty()).count()
    }
}

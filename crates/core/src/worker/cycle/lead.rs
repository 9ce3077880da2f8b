//! What the leader of the idle workers does (protocol/idle.rs).

use super::Worker;
use crate::{
    join::{
        member::Member,
        remote::{self, Attempt, Frames},
        steal,
    },
    policy::roles::Role,
    pool::threads::GUEST,
    protocol::{idle::Idler, primitive::has_heavy_barrier},
};
use std::cell::Cell;

impl Worker<'_> {
    /// Goes dormant at once after long jobs; naps for some time after others.
    pub(super) fn lead(&mut self) {
        let shared = self.shared;
        let mut answers = shared.members.answers();
        let mut quiet_since = shared.now();
        let mut woken = false;
        while self.may_idle() && self.role() == Role::Leader {
            self.appoint_deputy();
            if self.look_around(shared.policy.spin_tiny) {
                return;
            }
            if self.lacks_permit() {
                self.starve();
                continue;
            }
            // The job that woke us is gone: it was too short to wake a worker for.
            if std::mem::take(&mut woken) {
                self.learn_to_nap(true);
            }
            if self.nap > 0 && self.promote_silent() == Attempt::Given {
                return;
            }
            if self.nap == 0 {
                self.go_dormant();
                woken = true;
                quiet_since = shared.now();
                continue;
            }
            let (now, cut) = shared.idle.nap.take(self.me.index, self.cut_after, || {
                self.ask(steal::ask_for_nap);
                self.park(Some(self.nap))
            });
            self.cut_after = shared.policy.cut_after(self.cut_after, self.nap, cut);
            self.learn_to_nap(!cut);
            let heard = shared.members.answers();
            if heard != answers {
                (answers, quiet_since) = (heard, now);
            } else if now.saturating_sub(quiet_since) >= shared.policy.dormant_after() {
                self.nap = 0;
            }
        }
    }

    pub(super) fn learn_to_nap(&mut self, in_vain: bool) {
        self.nap = if in_vain {
            self.shared.policy.leader_nap(self.nap)
        } else {
            0
        };
    }

    /// Sleeps until a tick of another thread wakes us. See dormancy.rs for the order of the steps.
    fn go_dormant(&mut self) {
        let shared = self.shared;
        self.thief.forget();
        let is_over = || shared.ending.is_terminating() || self.is_not_needed() || self.may_leave();
        let leader = &shared.idle.leader;
        // Threads that have forked before they were asked may not answer for long: for how long to
        // sleep before the next attempt to promote a frame of theirs, and when that is.
        let attempt = Cell::new(None);
        let arm = || {
            self.arm();
            // A barrier would interrupt the threads. So one that was forking may seem to have no
            // frame; its writes are visible before a long nap ends.
            let have_frames = self.others().map(remote::may_have_frames);
            let have_frames = has_heavy_barrier().then(|| have_frames.max()).flatten();
            let nap = have_frames.map(|some| match some {
                true => shared.policy.nap,
                false => shared.policy.nap_max,
            });
            attempt.set(nap.map(|nap| (nap, shared.now().saturating_add(nap))));
        };
        let park = || {
            let now = shared.now();
            match attempt.get() {
                None => _ = self.park(None),
                Some((_, at)) if now < at => _ = self.park(Some(at - now)),
                Some((nap, _)) => match self.promote_silent() {
                    Attempt::Given => _ = leader.wake(),
                    Attempt::Nothing => attempt.set(None),
                    Attempt::Again => {
                        let nap = shared.policy.longer_nap(nap);
                        attempt.set(Some((nap, now + nap)));
                    }
                },
            }
        };
        let offered = || shared.members.offer_anything(self.me);
        leader.sleep(arm, offered, is_over, park);
        // A thread that is not needed resigns, and its successor sleeps in its place. It may be
        // needed again by now, so it goes by what has ended its sleep.
        if !self.has_left.get() {
            leader.wake();
        }
        self.deputy_may_sleep = true;
    }

    /// Promotes a frame of a thread that does not answer, if there is one.
    fn promote_silent(&self) -> Attempt {
        let now = self.shared.now();
        let mut result = Attempt::Nothing;
        for member in self.others() {
            match remote::promote_if_silent(member, now, Frames::All) {
                Attempt::Given => return Attempt::Given,
                Attempt::Again => result = Attempt::Again,
                Attempt::Nothing => {}
            }
        }
        result
    }

    /// Returns the members of threads that are not idle.
    fn others(&self) -> impl Iterator<Item = &Member> {
        let idle = &self.shared.idle;
        let has_role = |index| idle.roles(|roles| roles.of(index)) != Role::Busy;
        let is_idle = move |m: &Member| m.index != GUEST && has_role(m.index);
        let members = self.shared.members.iter();
        members.filter(move |m| m.demand.flag.is_attached() && !is_idle(m))
    }

    /// Raises the attention of all threads, before we sleep, and reduces the experience with them.
    fn arm(&self) {
        let shared = self.shared;
        let now = shared.now();
        for member in shared
            .members
            .iter()
            .filter(|m| m.demand.flag.is_attached())
        {
            let interval = shared.policy.shorter(member.demand.interval());
            member.demand.set_interval(interval);
            member.ask(shared.demand_of(1, interval), now);
        }
    }
}

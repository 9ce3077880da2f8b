//! Waiting for a job that a thief has taken, and helping inside it. Mirrors `wait.rs`, but for the
//! turns of those that have waited for long: here they all look.

use sumac::policy::{self, Policy, Thief};

use super::{Begun, Sumac, Then};
use crate::sim::engine::{Doing, Engine, Offered};

/// How many times to go on from a taker to the one that has taken a part of its work.
const HOPS: usize = 64;

/// A wait that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    thief: Thief,
    nap: u64,
    idle_since: u64,
    looks_until: u64,
    outermost: bool,
    asleep: bool,
}

impl Wait {
    /// After helping with a job that took so long.
    pub(super) fn learn(&mut self, policy: &Policy, duration: u64, now: u64) {
        self.thief
            .learn(policy, duration, 0, (0, 0), policy.interval_min);
        self.nap = policy.wait_nap_min;
        self.idle_since = now;
    }
}

impl Sumac {
    /// Begins to wait.
    pub(super) fn wait(&mut self, e: &mut Engine<'_>, worker: usize, offered: Offered) {
        let wait = Wait {
            thief: Thief::new(),
            nap: self.policy.wait_nap_min,
            idle_since: e.now,
            looks_until: 0,
            outermost: offered.outermost,
            asleep: false,
        };
        self.seats[worker].waits.push(wait);
        e.wait(worker, offered.job, offered.after);
        self.wait_on(e, worker);
    }

    fn this(&mut self, worker: usize) -> &mut Wait {
        self.seats[worker].waits.last_mut().expect("it waits")
    }

    /// A look at the job, and at those who work on it.
    pub(super) fn wait_on(&mut self, e: &mut Engine<'_>, worker: usize) {
        let job = e.waits_for(worker).expect("it waits");
        if e.jobs[job].done {
            let wait = self.seats[worker].waits.pop().expect("it waits");
            if wait.outermost {
                let demand = self.demand();
                self.leave_asked(worker, demand);
                e.raise(worker);
            }
            return e.waited(self, worker);
        }
        let mut wait = *self.this(worker);
        wait.asleep = false;
        let idle = e.now.saturating_sub(wait.idle_since);
        if idle >= self.policy.patience(self.seats[worker].interval) {
            if let Some((victim, found)) = self.find_descendant(e, worker, job, wait.thief.want) {
                let begun = Begun {
                    victim,
                    start: 0,
                    epoch: 0,
                    promotions: 0,
                    helping: true,
                    keeps_lead: false,
                };
                *self.this(worker) = wait;
                let then = Then::Start { job: found, begun };
                return self.promoting(e, worker, then, e.costs.steal);
            }
        }
        if idle < self.policy.wait_yield.max(self.policy.wait_spin) || e.now < wait.looks_until {
            *self.this(worker) = wait;
            return self.timer_after(e, worker, Then::Wait, Doing::Searching, e.costs.look);
        }
        wait.asleep = true;
        *self.this(worker) = wait;
        let nap = wait.nap.saturating_add(e.costs.overshoot);
        self.timer_after(e, worker, Then::WaitNapped, Doing::Parked, nap);
    }

    /// A nap is over.
    pub(super) fn wait_napped(&mut self, e: &mut Engine<'_>, worker: usize) {
        let policy = self.policy;
        let now = e.now;
        let wait = self.this(worker);
        wait.looks_until = now.saturating_add(policy::look(wait.nap));
        wait.nap = policy.longer_nap(wait.nap);
        self.wait_on(e, worker);
    }

    /// Takes a job that lies in the one waited for, or asks for one.
    fn find_descendant(
        &mut self,
        e: &mut Engine<'_>,
        me: usize,
        job: usize,
        want: u32,
    ) -> Option<(usize, usize)> {
        let (mut victim, mut level) = e.jobs[job].taker?;
        for _ in 0..HOPS {
            let fits = |&offer: &usize| e.jobs[offer].level >= level && e.descends(offer, job);
            if let Some(found) = self.seats[victim].slots.iter().copied().find(fits) {
                self.remove_offer(victim, found);
                return Some((victim, found));
            }
            self.maybe_ask(e, victim, want);
            let seat = &self.seats[victim];
            let fits = |&(next, _, from): &(usize, u32, u32)| from >= level && next != me;
            (victim, level, _) = seat.taken_by.filter(fits)?;
        }
        None
    }

    /// Another worker has ended a job: what it takes to tell its owner, if that waits for it.
    pub(super) fn tell_owner(&mut self, e: &mut Engine<'_>, job: usize) -> u64 {
        let owner = e.jobs[job].owner;
        let starts = matches!(self.seats[owner].then, Then::Start { .. });
        if e.waits_for(owner) != Some(job) || starts {
            return 0;
        }
        if self.this(owner).asleep {
            e.counts.wakes += 1;
            self.timer_after(e, owner, Then::Wait, Doing::Parked, e.costs.wake);
            return e.costs.unpark;
        }
        self.timer_after(e, owner, Then::Wait, Doing::Searching, e.costs.line);
        0
    }
}

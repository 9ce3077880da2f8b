//! What the idle do: look, ask, take, sleep in their roles. Mirrors `cycle.rs`.

use super::{Begun, STRIDE, Sumac, Then};
use crate::sim::engine::{Doing, Engine};
use sumac::roles::Role;

impl Sumac {
    /// How long a look at the pool takes.
    pub(super) fn look_time(&self, e: &Engine<'_>) -> u64 {
        e.costs.look + (e.costs.look_member * self.seats.len() as f64) as u64
    }

    /// A look: takes what is offered, else asks; goes to sleep when the time is up.
    pub(super) fn look(&mut self, e: &mut Engine<'_>, worker: usize, until: u64, leading: bool) {
        if let Some((victim, job)) = self.find(worker) {
            return self.run(e, worker, victim, job);
        }
        let asked = self.ask_all(e, worker);
        if e.now >= until {
            return match leading {
                true => self.nap(e, worker),
                false => {
                    self.roles.take(worker);
                    self.play(e, worker);
                }
            };
        }
        let next = self.look_time(e) + asked * e.costs.line;
        self.timer_after(
            e,
            worker,
            Then::Look { until, leading },
            Doing::Searching,
            next,
        );
    }

    /// Takes the oldest offer of some member, beginning with another one each time.
    fn find(&mut self, me: usize) -> Option<(usize, usize)> {
        let turn = self.seats[me].turn;
        self.seats[me].turn = turn.wrapping_add(STRIDE);
        if self.offers == 0 {
            return None;
        }
        let first = turn % self.seats.len();
        let from_first = || self.order().skip(first).chain(self.order().take(first));
        let victim = from_first().find(|&member| {
            let seat = &self.seats[member];
            !seat.slots.is_empty()
        })?;
        self.offers -= 1;
        let job = self.seats[victim].slots.pop_front();
        job.map(|job| (victim, job))
    }

    /// Asks all that may be asked; how many that were.
    fn ask_all(&mut self, e: &mut Engine<'_>, me: usize) -> u64 {
        if e.now < self.next_ask {
            return 0;
        }
        let want = self.seats[me].thief.want;
        let mut asked = 0;
        let mut next = u64::MAX;
        for member in self.order() {
            if member != me {
                asked += u64::from(self.maybe_ask(e, member, want));
            }
            let seat = &self.seats[member];
            if seat.asked == 0 {
                let free = seat.asked_at.saturating_add(seat.interval);
                next = next.min(free);
            }
        }
        self.next_ask = next;
        asked
    }

    fn has_free_cpu(&self) -> bool {
        let running = self.seats.len() - 1 - self.idle;
        running + 1 < self.cpus
    }

    /// Begins a job that has just been taken; the role goes to another.
    fn run(&mut self, e: &mut Engine<'_>, worker: usize, victim: usize, job: usize) {
        self.idle -= 1;
        let hands_on = self.policy.refill(self.seats[victim].interval) && self.has_free_cpu();
        let keeps_lead = !hands_on && self.roles.of(worker) == Role::Leader;
        let mut cost = e.costs.steal;
        self.seats[worker].lead = None;
        self.seats[worker].roused = false;
        if keeps_lead {
            self.roles.set_leader_busy(worker, Some(e.now));
        } else if let Some(next) = self.roles.resign(worker) {
            self.unpark(e, next);
            cost += e.costs.unpark;
        }
        let begun = Begun {
            victim,
            start: 0,
            epoch: 0,
            promotions: 0,
            helping: false,
            keeps_lead,
        };
        self.promoting(e, worker, Then::Start { job, begun }, cost);
    }

    /// Wakes an idle worker, or sees to it that it does not fall asleep.
    pub(super) fn unpark(&mut self, e: &mut Engine<'_>, worker: usize) {
        e.counts.wakes += 1;
        if !e.is_parked(worker) {
            self.seats[worker].token = true;
        } else if !std::mem::replace(&mut self.seats[worker].woken, true) {
            self.timer_after(e, worker, Then::Awake, Doing::Parked, e.costs.wake);
        }
    }

    /// Sleeps, for at most so long.
    fn park(&mut self, e: &mut Engine<'_>, worker: usize, nap: Option<u64>) {
        self.seats[worker].then = Then::Awake;
        if std::mem::take(&mut self.seats[worker].token) {
            return e.after(worker, Doing::Searching, e.costs.look);
        }
        match nap {
            Some(nap) => e.after(worker, Doing::Parked, nap.saturating_add(e.costs.overshoot)),
            None => e.forever(worker, Doing::Parked),
        }
    }

    /// Begins to play its role.
    fn play(&mut self, e: &mut Engine<'_>, worker: usize) {
        match self.roles.of(worker) {
            Role::Leader => {
                if self.seats[worker].lead.is_none() {
                    self.seats[worker].lead = Some((self.answers, e.now));
                }
                let mut first = 0;
                if let Some(deputy) = self.roles.appoint_deputy() {
                    self.unpark(e, deputy);
                    first = e.costs.unpark;
                }
                let until = (e.now + first).saturating_add(self.policy.spin_after_nap);
                let then = Then::Look {
                    until,
                    leading: true,
                };
                self.timer_after(e, worker, then, Doing::Searching, first + 1);
            }
            Role::Deputy if self.dormant.is_some() => self.park(e, worker, None),
            Role::Deputy => {
                let busy = self.roles.leader_busy_since().is_some();
                self.park(e, worker, Some(self.policy.deputy_nap_of(busy)));
            }
            Role::Sleeper => self.park(e, worker, None),
            Role::Busy => {
                let spin = self.policy.spin_of(&self.seats[worker].thief);
                let then = Then::Look {
                    until: e.now.saturating_add(spin),
                    leading: false,
                };
                self.timer_after(e, worker, then, Doing::Searching, 1);
            }
        }
    }

    /// Found nothing: naps, or goes dormant.
    fn nap(&mut self, e: &mut Engine<'_>, worker: usize) {
        let seat = &mut self.seats[worker];
        if std::mem::take(&mut seat.roused) {
            seat.nap = self.policy.leader_nap(seat.nap);
        }
        match seat.nap {
            0 => self.go_dormant(e, worker),
            nap => self.park(e, worker, Some(nap)),
        }
    }

    /// Its nap is over, or it has been woken.
    pub(super) fn awake(&mut self, e: &mut Engine<'_>, worker: usize) {
        self.seats[worker].woken = false;
        match self.roles.of(worker) {
            Role::Deputy => {
                let since = self.roles.leader_busy_since();
                if let Some(since) = since.filter(|&since| self.policy.is_leader_lost(e.now, since))
                {
                    self.roles.take_over(worker, since);
                }
            }
            Role::Leader if !self.seats[worker].roused => {
                let seat = &mut self.seats[worker];
                seat.nap = self.policy.leader_nap(seat.nap);
                match seat.lead {
                    Some((heard, since)) if heard == self.answers => {
                        if e.now.saturating_sub(since) >= self.policy.dormant_after {
                            seat.nap = 0;
                        }
                    }
                    _ => seat.lead = Some((self.answers, e.now)),
                }
            }
            _ => {}
        }
        self.play(e, worker);
    }

    fn go_dormant(&mut self, e: &mut Engine<'_>, worker: usize) {
        self.seats[worker].thief = sumac::policy::Thief::new();
        self.seats[worker].lead = Some((self.answers, e.now));
        self.seats[worker].roused = true;
        for member in self.order() {
            let interval = self.policy.shorter(self.seats[member].interval);
            self.seats[member].interval = interval;
            let count = self.policy.demand(1, self.idle_and_busy(), interval);
            self.ask(e, member, count);
        }
        self.next_ask = 0;
        if self.offers > 0 {
            return self.play(e, worker);
        }
        self.dormant = Some(worker);
        self.park(e, worker, None);
    }
}

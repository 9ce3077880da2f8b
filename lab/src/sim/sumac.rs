//! sumac's scheduler, simulated: its decisions are made by `sumac::policy` and `sumac::roles`, its
//! steps mirror `cycle.rs`, `steal.rs`, `promote.rs`, `settle.rs` and `wait.rs` of the core.

mod idle;
mod wait;

use std::collections::VecDeque;

use sumac::policy::{self, Policy, STRIDE, Thief};
use sumac::roles::{Role, Roles};

use super::engine::{Doing, Engine, Offered, Scheduler};
use super::machine::Costs;
use wait::Wait;

/// What others see of a thread, and what it knows itself.
#[derive(Debug)]
struct Seat {
    asked: u32,
    asked_at: u64,
    interval: u64,
    epoch: u32,
    credit: u32,
    slots: VecDeque<usize>,
    /// Who took a job here last and runs it, how deep, and how deep the job lay here.
    taken_by: Option<(usize, u32, u32)>,
    /// With which member to begin the next look for a job.
    turn: usize,
    promotions: u64,
    thief: Thief,
    begun: Vec<Begun>,
    waits: Vec<Wait>,
    /// Woken before it slept.
    token: bool,
    /// Woken, and not awake yet.
    woken: bool,
    /// As leader: the ticks it has heard of, and since when nothing.
    lead: Option<(u64, u64)>,
    /// How long it naps as leader; 0 to go dormant at once.
    nap: u64,
    /// Whether it has just been dormant.
    roused: bool,
    then: Then,
}

/// A stolen job that runs.
#[derive(Clone, Copy, Debug)]
struct Begun {
    victim: usize,
    start: u64,
    epoch: u32,
    promotions: u64,
    helping: bool,
    keeps_lead: bool,
}

/// What a thread does when its timer rings.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Gives so many more.
    Give { left: u32, given: u32 },
    /// Publishes the job, and gives so many more.
    Publish { job: usize, left: u32, given: u32 },
    /// Goes on with the program.
    Resume,
    /// Goes on with the second half it has taken back.
    Back(Offered),
    /// Begins the job.
    Start { job: usize, begun: Begun },
    /// Looks for work until then; as leader between sleeps.
    Look { until: u64, leading: bool },
    /// The time of its nap is over, or it has been woken.
    Awake,
    /// Looks for the end of what it waits for, and for work inside that.
    Wait,
    /// The same after a nap.
    WaitNapped,
}

/// How a simulation of sumac begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Start {
    /// The pool has just been used: idle workers are looking for work
    Hot,
    /// The pool sleeps
    Cold,
}

/// A pool.
#[derive(Debug)]
pub(crate) struct Sumac {
    policy: Policy,
    start: Start,
    /// Promotes the newest joins instead of the oldest (which the core cannot do).
    newest: bool,
    seats: Vec<Seat>,
    roles: Roles,
    idle: usize,
    cpus: usize,
    dormant: Option<usize>,
    answers: u64,
    offers: usize,
    /// No worker may be asked before that.
    next_ask: u64,
}

impl Sumac {
    pub(crate) fn new(workers: usize, policy: Policy, start: Start, newest: bool) -> Sumac {
        let seat = |_| Seat {
            asked: 1,
            asked_at: 0,
            interval: policy.interval_min,
            epoch: 0,
            credit: 0,
            slots: VecDeque::new(),
            taken_by: None,
            turn: 0,
            promotions: 0,
            thief: Thief::new(),
            begun: Vec::new(),
            waits: Vec::new(),
            token: false,
            woken: false,
            lead: None,
            nap: 0,
            roused: false,
            then: Then::Resume,
        };
        Sumac {
            policy,
            start,
            newest,
            seats: (0..workers).map(seat).collect(),
            roles: Roles::new(workers),
            idle: workers - 1,
            cpus: workers,
            dormant: None,
            answers: 0,
            offers: 0,
            next_ask: 0,
        }
    }

    /// The order in which members are looked at: the caller, then the newest worker first.
    fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let workers = self.seats.len();
        std::iter::once(0).chain((1..workers).rev())
    }

    fn idle_and_busy(&self) -> (usize, usize) {
        (self.idle, self.seats.len() - self.idle)
    }

    fn demand(&self) -> u32 {
        self.policy
            .demand(1, self.idle_and_busy(), self.policy.interval_min)
    }

    fn leave_asked(&mut self, member: usize, count: u32) {
        let asked = &mut self.seats[member].asked;
        *asked = (*asked).max(count);
    }

    fn ask(&mut self, e: &mut Engine<'_>, member: usize, count: u32) {
        self.seats[member].asked_at = e.now;
        self.leave_asked(member, count);
        e.raise(member);
    }

    /// Asks a member that may be asked. Whether it was.
    fn maybe_ask(&mut self, e: &mut Engine<'_>, member: usize, want: u32) -> bool {
        let seat = &self.seats[member];
        let may = seat.asked == 0 && policy::may_ask(e.now, seat.asked_at, seat.interval);
        if may {
            let count = self
                .policy
                .demand(want, self.idle_and_busy(), seat.interval);
            self.ask(e, member, count);
        }
        may
    }

    fn timer_after(
        &mut self,
        e: &mut Engine<'_>,
        worker: usize,
        then: Then,
        doing: Doing,
        ns: u64,
    ) {
        self.seats[worker].then = then;
        e.after(worker, doing, ns);
    }

    fn promoting(&mut self, e: &mut Engine<'_>, worker: usize, then: Then, ns: u64) {
        self.timer_after(e, worker, then, Doing::Promoting, ns);
    }

    /// One step of a tick.
    fn give(&mut self, e: &mut Engine<'_>, worker: usize, left: u32, given: u32) {
        let full = self.seats[worker].slots.len() >= self.policy.want_max() as usize;
        if left > 0 && !full {
            if let Some(job) = e.promote(worker, self.newest) {
                let (left, given) = (left - 1, given + 1);
                let then = Then::Publish { job, left, given };
                return self.promoting(e, worker, then, e.costs.promotion);
            }
            self.leave_asked(worker, left);
            e.raise(worker);
        }
        self.answers += 1;
        let leader = (given > 0 || full).then(|| self.dormant.take()).flatten();
        match leader {
            Some(leader) => {
                self.unpark(e, leader);
                self.promoting(e, worker, Then::Resume, e.costs.unpark);
            }
            None => e.resume(self, worker),
        }
    }

    fn publish(&mut self, worker: usize, job: usize) {
        self.seats[worker].slots.push_back(job);
        self.seats[worker].promotions += 1;
        self.offers += 1;
    }

    /// Takes an offer out of its slot.
    fn remove_offer(&mut self, member: usize, job: usize) -> bool {
        let slots = &mut self.seats[member].slots;
        let place = slots.iter().position(|&offer| offer == job);
        place.inspect(|&place| {
            slots.remove(place);
            self.offers -= 1;
        });
        place.is_some()
    }

    fn begin(&mut self, e: &mut Engine<'_>, worker: usize, job: usize, begun: Begun) {
        let Begun {
            victim, helping, ..
        } = begun;
        let worth = self.policy.refill(self.seats[victim].interval);
        let idle_asks = self.seats[victim].asked == 0 && worth;
        let demand = if helping { 1 } else { self.demand() };
        if idle_asks {
            self.ask(e, victim, demand);
        }
        if helping || worth {
            self.leave_asked(worker, demand);
            e.raise(worker);
        }
        e.counts.steals += 1;
        let promotions = self.seats[worker].promotions;
        let begun = Begun {
            start: e.now,
            promotions,
            epoch: self.seats[victim].epoch,
            ..begun
        };
        self.seats[worker].begun.push(begun);
        let level = e.workers[worker].runs.len() as u32 + 1;
        self.seats[victim].taken_by = Some((worker, level, e.jobs[job].level));
        e.run_job(worker, job);
    }
}

impl Scheduler for Sumac {
    fn join_cost(costs: &Costs) -> f64 {
        costs.sumac_join
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        self.seats[0].asked = self.demand();
        for (worker, seat) in self.seats.iter_mut().enumerate() {
            seat.turn = worker.wrapping_mul(STRIDE);
        }
        e.raise(0);
        for worker in 1..self.seats.len() {
            e.raise(worker);
            match self.start {
                Start::Hot => {
                    let later = 1 + e.random(e.costs.look as usize + 1) as u64;
                    let until = self.policy.spin_of(&self.seats[worker].thief);
                    let then = Then::Look {
                        until,
                        leading: false,
                    };
                    self.timer_after(e, worker, then, Doing::Searching, later);
                }
                Start::Cold => {
                    if self.roles.take(worker) == Role::Leader {
                        self.dormant = Some(worker);
                    }
                    self.seats[worker].then = Then::Awake;
                    e.forever(worker, Doing::Parked);
                }
            }
        }
    }

    fn poll(&mut self, e: &mut Engine<'_>, worker: usize) -> bool {
        e.workers[worker].raised = false;
        e.counts.ticks += 1;
        let left = std::mem::take(&mut self.seats[worker].asked);
        self.next_ask = 0;
        let given = 0;
        self.promoting(e, worker, Then::Give { left, given }, e.costs.tick);
        true
    }

    fn settle(&mut self, e: &mut Engine<'_>, worker: usize, offered: Offered) {
        if offered.outermost {
            let epoch = &mut self.seats[worker].epoch;
            *epoch = epoch.wrapping_add(1);
        }
        if !self.remove_offer(worker, offered.job) {
            return self.wait(e, worker, offered);
        }
        e.counts.reclaims += 1;
        if self.seats[worker].credit > 0 {
            self.seats[worker].credit -= 1;
            self.leave_asked(worker, 1);
            e.raise(worker);
        }
        self.promoting(e, worker, Then::Back(offered), e.costs.reclaim);
    }

    fn finished(&mut self, e: &mut Engine<'_>, worker: usize, job: usize) {
        let seat = &mut self.seats[worker];
        let begun = seat.begun.pop().expect("the job was begun");
        let duration = e.now - begun.start;
        let taken_by = &mut self.seats[begun.victim].taken_by;
        if taken_by.is_some_and(|(taker, ..)| taker == worker) {
            *taken_by = None;
        }
        let after = self.tell_owner(e, job);
        if begun.helping {
            let seat = &mut self.seats[worker];
            let wait = seat.waits.last_mut().expect("who helps waits");
            wait.learn(&self.policy, duration, e.now);
            return self.timer_after(e, worker, Then::Wait, Doing::Promoting, after);
        }
        let (epoch, interval) = {
            let victim = &self.seats[begun.victim];
            (victim.epoch, victim.interval)
        };
        let seat = &mut self.seats[worker];
        let promotions = seat.promotions - begun.promotions;
        let epochs = (begun.epoch, epoch);
        let advice = seat
            .thief
            .learn(&self.policy, duration, promotions, epochs, interval);
        let want = seat.thief.want;
        seat.nap = match seat.thief.last_tiny {
            Some(_) => self.policy.leader_nap(seat.nap),
            None => 0,
        };
        seat.credit = seat.credit.max(advice.credit);
        let victim = &mut self.seats[begun.victim];
        victim.credit = victim.credit.max(advice.credit);
        victim.interval = advice.interval;
        self.next_ask = 0;
        if advice.ask_now {
            self.ask(e, begun.victim, want);
        }
        if begun.keeps_lead {
            self.roles.set_leader_busy(worker, None);
        }
        self.idle += 1;
        let until = e.now + after + self.policy.spin_of(&self.seats[worker].thief);
        let leading = false;
        self.timer_after(
            e,
            worker,
            Then::Look { until, leading },
            Doing::Searching,
            after + e.costs.look,
        );
    }

    fn timer(&mut self, e: &mut Engine<'_>, worker: usize) {
        match self.seats[worker].then {
            Then::Give { left, given } => self.give(e, worker, left, given),
            Then::Publish { job, left, given } => {
                self.publish(worker, job);
                self.give(e, worker, left, given);
            }
            Then::Resume => e.resume(self, worker),
            Then::Back(offered) => e.run_back(self, worker, offered),
            Then::Start { job, begun } => self.begin(e, worker, job, begun),
            Then::Look { until, leading } => self.look(e, worker, until, leading),
            Then::Awake => self.awake(e, worker),
            Then::Wait => self.wait_on(e, worker),
            Then::WaitNapped => self.wait_napped(e, worker),
        }
    }
}

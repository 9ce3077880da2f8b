//! Spice's and chili's heartbeat, simulated as published: a thread of its own sets one worker's
//! flag after the other, each every 100 µs as far as the system's sleeps allow; a worker that sees
//! its flag shares its oldest join, if it shares none yet, and wakes one sleeper; a worker without
//! work sleeps at once; who waits runs any shared job.

use super::engine::{Doing, Engine, Offered, Scheduler};
use super::machine::Costs;

/// How often each worker's flag is set.
pub(crate) const HEARTBEAT: u64 = 100_000;

#[derive(Clone, Copy, Debug)]
enum Then {
    Resume,
    Back(Offered),
    /// Looks for a shared job.
    Look,
    Start(usize),
    Sleeping,
}

/// A pool.
#[derive(Debug)]
pub(crate) struct Spice {
    heartbeat: u64,
    newest: bool,
    /// Each worker's shared job, and when it was shared.
    shared: Vec<Option<(u64, usize)>>,
    then: Vec<Then>,
    sleepers: Vec<usize>,
    clock: u64,
    next: usize,
}

impl Spice {
    pub(crate) fn new(workers: usize, heartbeat: u64, newest: bool) -> Spice {
        Spice {
            heartbeat,
            newest,
            shared: vec![None; workers],
            then: vec![Then::Look; workers],
            sleepers: (1..workers).rev().collect(),
            clock: 0,
            next: 0,
        }
    }

    fn after(&mut self, e: &mut Engine<'_>, worker: usize, then: Then, doing: Doing, ns: u64) {
        self.then[worker] = then;
        e.after(worker, doing, ns);
    }

    fn beat_later(&self, e: &mut Engine<'_>) {
        let workers = self.shared.len();
        let sleep = self.heartbeat / workers as u64 + e.costs.overshoot;
        e.after(workers, Doing::Parked, sleep);
    }

    /// Takes the job that was shared first, or sleeps.
    fn look(&mut self, e: &mut Engine<'_>, worker: usize) {
        if let Some(job) = e.waits_for(worker) {
            if e.jobs[job].done {
                return e.waited(self, worker);
            }
        }
        let shared = self.shared.iter().enumerate();
        let oldest = shared
            .filter_map(|(owner, shared)| shared.map(|(time, job)| (time, owner, job)))
            .min();
        if let Some((_, owner, job)) = oldest {
            self.shared[owner] = None;
            let cost = e.costs.lock + e.costs.steal;
            return self.after(e, worker, Then::Start(job), Doing::Promoting, cost);
        }
        self.then[worker] = Then::Sleeping;
        if e.waits_for(worker).is_none() {
            self.sleepers.push(worker);
        }
        e.forever(worker, Doing::Parked);
    }
}

impl Scheduler for Spice {
    const HELPERS: usize = 1;

    fn join_cost(costs: &Costs) -> f64 {
        costs.spice_join
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        for worker in 1..self.shared.len() {
            self.then[worker] = Then::Sleeping;
            e.forever(worker, Doing::Parked);
        }
        self.beat_later(e);
    }

    fn poll(&mut self, e: &mut Engine<'_>, worker: usize) -> bool {
        e.workers[worker].raised = false;
        e.counts.ticks += 1;
        let mut cost = e.costs.lock + e.costs.tick;
        if self.shared[worker].is_none() {
            if let Some(job) = e.promote(worker, self.newest) {
                self.clock += 1;
                self.shared[worker] = Some((self.clock, job));
                cost += e.costs.promotion;
                if let Some(sleeper) = self.sleepers.pop() {
                    e.counts.wakes += 1;
                    cost += e.costs.unpark;
                    self.after(e, sleeper, Then::Look, Doing::Parked, e.costs.wake);
                }
            }
        }
        self.after(e, worker, Then::Resume, Doing::Promoting, cost);
        true
    }

    fn settle(&mut self, e: &mut Engine<'_>, worker: usize, offered: Offered) {
        if self.shared[worker].is_some_and(|(_, job)| job == offered.job) {
            self.shared[worker] = None;
            e.counts.reclaims += 1;
            let cost = e.costs.lock + e.costs.reclaim;
            return self.after(e, worker, Then::Back(offered), Doing::Promoting, cost);
        }
        e.wait(worker, offered.job, offered.after);
        self.after(e, worker, Then::Look, Doing::Searching, e.costs.lock);
    }

    fn finished(&mut self, e: &mut Engine<'_>, worker: usize, job: usize) {
        let owner = e.jobs[job].owner;
        let mut cost = e.costs.lock;
        let sleeps = matches!(self.then[owner], Then::Sleeping);
        if sleeps && e.waits_for(owner) == Some(job) {
            e.counts.wakes += 1;
            cost += e.costs.unpark;
            self.after(e, owner, Then::Look, Doing::Parked, e.costs.wake);
        }
        self.after(e, worker, Then::Look, Doing::Searching, cost);
    }

    fn timer(&mut self, e: &mut Engine<'_>, worker: usize) {
        if worker == self.shared.len() {
            e.raise(self.next);
            self.next = (self.next + 1) % self.shared.len();
            return self.beat_later(e);
        }
        match self.then[worker] {
            Then::Resume => e.resume(self, worker),
            Then::Back(offered) => e.run_back(self, worker, offered),
            Then::Look | Then::Sleeping => self.look(e, worker),
            Then::Start(job) => {
                e.counts.steals += 1;
                e.run_job(worker, job);
            }
        }
    }
}

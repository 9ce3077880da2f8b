//! Work stealing as rayon does it, simulated: every join pushes its second half on its worker's
//! deque and pops it again; the idle look at all deques from a random one on and take the oldest
//! half; a worker that waits takes any. While one works none falls asleep, since every push tells
//! those about to (a simplification); sleepers are woken one by one by pushes. A look at a deque
//! takes its cache line from its owner.

use super::engine::{Doing, Engine, Offered, Scheduler};
use super::machine::Costs;
use super::sumac::Start;

#[derive(Clone, Copy, Debug)]
enum Then {
    Resume,
    Look,
    Start(usize),
}

/// A pool.
#[derive(Debug)]
pub(crate) struct Rayon {
    start: Start,
    newest: bool,
    then: Vec<Then>,
    sleepers: Vec<usize>,
}

impl Rayon {
    pub(crate) fn new(workers: usize, start: Start, newest: bool) -> Rayon {
        Rayon {
            start,
            newest,
            then: vec![Then::Look; workers],
            sleepers: Vec::new(),
        }
    }

    fn after(&mut self, e: &mut Engine<'_>, worker: usize, then: Then, doing: Doing, ns: u64) {
        self.then[worker] = then;
        e.after(worker, doing, ns);
    }

    fn look(&mut self, e: &mut Engine<'_>, worker: usize) {
        if let Some(job) = e.waits_for(worker) {
            if e.jobs[job].done {
                return e.waited(self, worker);
            }
        }
        let workers = self.then.len();
        let first = e.random(workers);
        for victim in (first..workers).chain(0..first) {
            if victim == worker {
                continue;
            }
            e.locate(victim);
            if let Some(job) = e.promote(victim, self.newest) {
                e.hold_up(victim, e.costs.line);
                let then = Then::Start(job);
                return self.after(e, worker, then, Doing::Promoting, e.costs.steal);
            }
            e.hold_up(victim, e.costs.line);
        }
        let pause = e.costs.look + e.costs.give_way + (e.costs.look_member * workers as f64) as u64;
        self.after(e, worker, Then::Look, Doing::Searching, pause);
    }
}

impl Scheduler for Rayon {
    fn join_cost(costs: &Costs) -> f64 {
        costs.rayon_join
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        for worker in 1..self.then.len() {
            match self.start {
                Start::Hot => {
                    let later = 1 + e.random(200) as u64;
                    e.after(worker, Doing::Searching, later);
                }
                Start::Cold => self.sleepers.push(worker),
            }
        }
        if !self.sleepers.is_empty() {
            e.raise(0);
        }
    }

    /// A push, while a worker sleeps.
    fn poll(&mut self, e: &mut Engine<'_>, worker: usize) -> bool {
        let Some(sleeper) = self.sleepers.pop() else {
            e.workers[worker].raised = false;
            return false;
        };
        e.counts.wakes += 1;
        self.after(e, sleeper, Then::Look, Doing::Parked, e.costs.wake);
        self.after(e, worker, Then::Resume, Doing::Promoting, e.costs.unpark);
        true
    }

    fn settle(&mut self, e: &mut Engine<'_>, worker: usize, offered: Offered) {
        e.wait(worker, offered.job, offered.after);
        self.look(e, worker);
    }

    fn finished(&mut self, e: &mut Engine<'_>, worker: usize, _job: usize) {
        self.after(e, worker, Then::Look, Doing::Searching, e.costs.look);
    }

    fn timer(&mut self, e: &mut Engine<'_>, worker: usize) {
        match self.then[worker] {
            Then::Resume => e.resume(self, worker),
            Then::Look => self.look(e, worker),
            Then::Start(job) => {
                e.counts.steals += 1;
                if !self.sleepers.is_empty() {
                    e.raise(worker);
                }
                e.run_job(worker, job);
            }
        }
    }
}

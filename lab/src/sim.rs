//! The simulator: what schedulers would do on machines that are not at hand.
//!
//! # The model
//!
//! A discrete-event simulation of P workers, worker 0 being the caller, that run a series-parallel
//! program once.
//! * **The program** (`dag.rs`, `recorded.rs`) is described, not stored; parts that are not divided
//!   are run in closed form.
//! * **A worker** (`engine.rs`) has a stack of joins whose first half runs, as a thread has. Its
//!   polls are where a join's are: before the first half and after it. Nothing else of the hot path
//!   is simulated: it is a cost for each join.
//! * **sumac** (`sumac.rs`, `sumac/`): attention, demand, ticks, promotion of the oldest, slots,
//!   refill on take, credit, steals, reclaims, waits that help inside the job waited for, and the
//!   roles of the idle with their naps and wake-ups. All numbers and decisions come from
//!   `sumac::policy` and `sumac::roles`, which the scheduler itself uses; the steps around them are
//!   written down again here, and `lab sim --check` says how well.
//! * **Spice** (`spice.rs`) and **rayon** (`rayon.rs`) are there for comparison, from what is
//!   published about them.
//! * **The machine** (`machine.rs`): every worker has a processor; if there are fewer cores than
//!   workers, two share one; and the memory may serve only so many workers at full speed. All that
//!   work at a time have the same speed.
//!
//! One seed, one result: events are ordered by time and number, and all numbers are whole.
//!
//! # The costs
//!
//! [`Costs`] says what a join, a tick, a promotion, a steal, a look, a wake-up and so on take.
//! `--calibrate` measures here what can be measured from outside: joins (fib on one thread), the
//! way of a cache line between two cores, a wake-up on both its sides, how late naps end. The rest
//! are estimates of that order of magnitude. Costs are printed with every result in JSON.
//!
//! # What it leaves out
//!
//! * Caches: a stolen part is as fast as an own one, data do not move. NUMA.
//! * The operating system: no thread is preempted, and there are no more threads than processors.
//!   So it cannot show rayon on 32 threads of 16 processors, and says nothing of programs that are
//!   called from outside the pool.
//! * Contention: two that want the same slot, or the same lock, cost no more than one (rayon's
//!   deques, which take cache lines from their owners, excepted). Slots are a queue, not a ring.
//!   Looks at the pool are whole: who looks sees everything as it is at the end of the look.
//! * Loops, tasks, scopes and batches.
//! * A waiter's mistaken takes: the simulator knows from which job another descends without taking
//!   it.
//!
//! # What has been learnt from it
//!
//! Three things in the scheduler that two processors do not show, and that have been changed since:
//! * The idle took offers from members in a fixed order and asked each for as many jobs as workers
//!   were idle. So they took one member's tiny parts while others had large ones. Now each look
//!   begins with another member, and each is asked for its share ([`Policy::demand`]).
//! * In a list written as `join(leaf, rest)` a waiter found nothing to do while the taker of its
//!   job was still busy with the leaf, although another was dividing the rest: at most 2.6 of
//!   any number of workers were busy. Now members say who took a job from them last
//!   (`Member::note_taker`).
//! * Neither the interval nor the length of spins limits a balanced tree: takers refill what they
//!   take.

pub(crate) mod calibrate;
pub(crate) mod check;
mod dag;
mod engine;
pub(crate) mod figure;
mod machine;
mod outcome;
mod rayon;
mod recorded;
mod scene;
mod spice;
mod sumac;
#[cfg(test)]
mod tests;

pub(crate) use dag::{Dag, Node, Side, Split, UNIT};
pub(crate) use machine::{Costs, Machine};
pub(crate) use outcome::{Outcome, SPENT};
pub(crate) use recorded::Recorded;
pub(crate) use scene::Scene;
pub(crate) use sumac::Start;

use ::sumac::policy::Policy;

use engine::{Engine, Scheduler};

/// Whose scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Who {
    /// This library's
    Sumac,
    /// A heartbeat of 100 µs, as in Spice and chili
    Spice,
    /// Work stealing, as in rayon
    Rayon,
}

/// Which joins are given away first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Order {
    /// The oldest
    Oldest,
    /// The newest
    Newest,
}

/// All that a simulation depends on, besides the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) who: Who,
    pub(crate) workers: usize,
    pub(crate) policy: Policy,
    pub(crate) order: Order,
    pub(crate) start: Start,
    pub(crate) costs: Costs,
    pub(crate) machine: Machine,
    pub(crate) seed: u64,
}

impl Setup {
    /// What a join costs.
    pub(crate) fn join_cost(&self) -> f64 {
        match self.who {
            Who::Sumac => sumac::Sumac::join_cost(&self.costs),
            Who::Spice => spice::Spice::join_cost(&self.costs),
            Who::Rayon => rayon::Rayon::join_cost(&self.costs),
        }
    }

    /// Runs the program.
    pub(crate) fn simulate(&self, dag: &Dag) -> Result<Outcome, String> {
        let newest = self.order == Order::Newest;
        let (workers, start) = (self.workers, self.start);
        let engine = Engine::new(
            dag,
            workers,
            self.costs,
            self.machine,
            self.join_cost(),
            self.seed,
        );
        match self.who {
            Who::Sumac => engine.run(&mut sumac::Sumac::new(workers, self.policy, start, newest)),
            Who::Spice => engine.run(&mut spice::Spice::new(workers, spice::HEARTBEAT, newest)),
            Who::Rayon => engine.run(&mut rayon::Rayon::new(workers, start, newest)),
        }
    }
}

//! The simulator: what schedulers would do on machines that nobody here has.

pub(crate) mod calibrate;
pub(crate) mod check;
mod dag;
mod engine;
pub(crate) mod figure;
mod machine;
mod outcome;
mod rayon;
mod recorded;
mod roles;
mod spice;
mod sumac;
#[cfg(test)]
mod tests;

pub(crate) use dag::{Dag, Node, Side, Split, UNIT};
pub(crate) use machine::{Costs, Machine};
pub(crate) use outcome::{Outcome, SPENT};
pub(crate) use recorded::Recorded;
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

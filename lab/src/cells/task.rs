//! A visit, in the process that makes it: the problem is there, the pool is made, calls warm it up
//! until their length is known, then samples are taken in the way of all experiments, and the gauge
//! looks on.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sumac::Stats;

use super::events::Counters;
use super::gauge::Instruments;
use super::kind::{Kind, OUTSIDE, PAUSE};
use super::plan::Planned;
use crate::contender::Id;
use crate::experiment::{Entrant, Failure, Mode, Seat, plan, tuned};
use crate::problem::Problem;
use crate::program::Session;
use crate::results::{Cell, FailureKind, Measured, Outcome};
use crate::sample::Plan;

/// What a visit is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Where.
    pub(crate) cell: Cell,
    /// The process that waits for the outcome.
    pub(crate) asked_by: u32,
    samples: u32,
    visit: Duration,
    warm_up: Duration,
}

impl Task {
    /// A visit to a planned cell, for this process.
    pub(super) fn new(planned: &Planned) -> Task {
        Task {
            cell: planned.cell.clone(),
            asked_by: process::id(),
            samples: planned.samples,
            visit: planned.visit,
            warm_up: planned.warm_up,
        }
    }

    /// The value of a parameter, where the cell has it.
    pub(super) fn parameter(&self, name: &str) -> Option<u64> {
        let pairs = self.cell.parameters.split(',');
        let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name)?.1.parse().ok()
    }

    /// Makes the visit. A wrong answer is an outcome, all else that fails ends the process.
    pub(crate) fn run(&self) -> Result<Outcome, Failure> {
        let kind = Kind::find(&self.cell.problem).map_err(Failure::Usage)?;
        let parameter = |name: &str| self.parameter(name);
        match kind.run(&Session::Visit(self), self.cell.size, &parameter) {
            Ok(brought) => Ok(Outcome::Measured(Box::new(brought.visit()))),
            Err(wrong @ Failure::Wrong(..)) => Ok(Outcome::Failed {
                kind: FailureKind::WrongAnswer,
                message: wrong.to_string(),
            }),
            Err(failure) => Err(failure),
        }
    }

    /// Makes the visit with this problem.
    pub(crate) fn on<P: Problem>(&self, problem: &P) -> Result<Measured, Failure> {
        // Before the pool, whose threads inherit them.
        let events = Counters::open();
        let who = Id::named(&self.cell.contender);
        let seat = Seat {
            id: who.ok_or_else(|| Failure::Usage("there is no such contender".into()))?,
            threads: self.cell.threads,
        };
        let entrant = tuned::<P>(seat, &self.cell.tuning)?;
        let mut mode = Mode::HOT;
        if self.parameter(OUTSIDE.name) == Some(1) {
            mode = mode.outside();
        }
        if let Some(ms @ 1..) = self.parameter(PAUSE.name) {
            mode = mode.after(Duration::from_millis(ms));
        }
        let counting = Counting {
            entrant: &*entrant,
            calls: AtomicU64::new(0),
        };
        let usual = plan(problem, &counting, mode)?;
        let counted = || entrant.counted();
        let gauge = Instruments::new(&counted, events);
        let plan = Plan {
            warm: match usual.warm.is_zero() {
                true => usual.warm,
                false => usual.warm.max(self.warm_up),
            },
            samples: self.samples,
            limit: Some(self.visit),
            gauge: Some(&gauge),
            ..usual
        };
        let samples = entrant.visit(problem, &plan)?;
        let read = gauge.read();
        Ok(Measured {
            pieces: problem.pieces(),
            batch: plan.batch,
            samples,
            warm_up_calls: counting.calls.into_inner() + read.warm_up_calls,
            answer: problem.expected(),
            spent: read.spent,
            scheduler: read.scheduler,
            events: read.events,
        })
    }
}

/// An entrant whose calls are counted while its visits are planned.
struct Counting<'e, P> {
    entrant: &'e dyn Entrant<P>,
    calls: AtomicU64,
}

impl<P: Problem> Entrant<P> for Counting<'_, P> {
    fn seat(&self) -> Seat {
        self.entrant.seat()
    }

    fn visit(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, Failure> {
        let calls = u64::from(plan.samples) * u64::from(plan.batch);
        self.calls.fetch_add(calls, Relaxed);
        self.entrant.visit(problem, plan)
    }

    fn counted(&self) -> Option<Stats> {
        self.entrant.counted()
    }
}

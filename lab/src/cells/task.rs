//! A visit, in the process that makes it: the problem is there, the pool is made, calls warm it up
//! until their length is known, then samples are taken in the way of all experiments, and the gauge
//! looks on.

use std::time::Duration;

use super::events::Counters;
use super::gauge::Instruments;
use super::plan::Planned;
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Seat, entrant, plan};
use crate::problem::Problem;
use crate::results::{FailureKind, Measured, Outcome};
use crate::sample::Plan;
use crate::workload::{OUTSIDE, PAUSE, Parameters, all, find};

impl Planned {
    /// Makes the visit. A wrong answer is an outcome, all else that fails ends the process.
    pub(crate) fn visited(&self) -> Result<Outcome, Failure> {
        let problem = find(all(), &self.cell.problem).map_err(Failure::Usage)?;
        let problem = (problem.make)(self.parameters(), self.cell.size as usize);
        let outcome = match problem.visit(self) {
            Ok(measured) => Ok(Outcome::Measured(Box::new(measured))),
            Err(wrong @ Failure::Wrong(..)) => {
                Ok(Outcome::failed(FailureKind::WrongAnswer, wrong.to_string()))
            }
            Err(failure) => Err(failure),
        };
        // The process ends soon, and a large one takes long to take down.
        std::mem::forget(problem);
        outcome
    }

    fn parameters(&self) -> Parameters<'_> {
        Parameters(&self.cell.parameters)
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
        let entrant = entrant::<P>(seat, Some(&self.cell.tuning))?;
        let mut mode = Mode::HOT;
        if self.parameters().get(&OUTSIDE) == 1 {
            mode = mode.outside();
        }
        if let ms @ 1.. = self.parameters().get(&PAUSE) {
            mode = mode.after(Duration::from_millis(ms));
        }
        let (usual, calls) = plan(problem, &*entrant, mode)?;
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
            warm_up_calls: calls + read.warm_up_calls,
            answer: problem.expected(),
            ..read
        })
    }
}

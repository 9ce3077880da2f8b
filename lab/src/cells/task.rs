//! A visit, in the process that makes it: the problem is there, the pool is made, calls warm it up
//! until their length is known, then samples are taken in the way of all experiments, and the gauge
//! looks on.

use std::io;
use std::iter;
use std::time::Duration;

use sumac_record::Turns;

use super::gauge::gauged;
use super::plan::Planned;
use crate::contender::Id;
use crate::experiment::{Entrant, Failure, SETTLE, Seat, entrant, plan};
use crate::problem::Problem;
use crate::results::{FailureKind, Measured, Outcome};
use crate::sample::Plan;
use crate::workload::{PAUSE, Parameters, all, find};

/// `lab cell`, hidden: the visit whose cells come as JSON on stdin; their outcomes go as JSON to
/// stdout.
pub(crate) fn cell() -> Result<(), Failure> {
    let planned: Vec<Planned> = serde_json::from_reader(io::stdin().lock())
        .map_err(|why| Failure::Usage(format!("not a task: {why}")))?;
    println!("{}", serde_json::to_string(&visited(&planned)?)?);
    Ok(())
}

/// Makes a visit to one cell, or to several of one problem in turns. A wrong answer is an outcome,
/// all else that fails ends the process.
fn visited(planned: &[Planned]) -> Result<Vec<Outcome>, Failure> {
    let none = || Failure::Usage("there is no cell".into());
    let first = planned.first().ok_or_else(none)?;
    let problem = find(all(), &first.cell.problem).map_err(Failure::Usage)?;
    let problem = (problem.make)(first.parameters(), first.cell.size as usize);
    let outcomes = match problem.visit(planned) {
        Ok(measured) => Ok(measured
            .into_iter()
            .map(Box::new)
            .map(Outcome::Measured)
            .collect()),
        Err(wrong @ Failure::Wrong(..)) => {
            let failed = || Outcome::failed(FailureKind::WrongAnswer, wrong.to_string());
            Ok(iter::repeat_with(failed).take(planned.len()).collect())
        }
        Err(failure) => Err(failure),
    };
    // The process ends soon, and a large one takes long to take down.
    std::mem::forget(problem);
    outcomes
}

/// Makes the visit with this problem.
pub(crate) fn on<P: Problem>(planned: &[Planned], problem: &P) -> Result<Vec<Measured>, Failure> {
    let visit = |planned: &Planned| {
        let entrant = planned.entrant::<P>()?;
        let (usual, calls) = plan(problem, &*entrant, planned.pause())?;
        let plan = Plan {
            warm: match usual.warm.is_zero() {
                true => usual.warm,
                false => usual.warm.max(planned.warm_up),
            },
            samples: planned.samples,
            limit: Some(planned.visit),
            ..usual
        };
        Ok::<_, Failure>((entrant, plan, calls))
    };
    let visits = planned.iter().map(visit).collect::<Result<Vec<_>, _>>()?;
    let measured = |plan: &Plan<'_>, calls, samples| Measured {
        pieces: problem.pieces(),
        batch: plan.batch,
        samples,
        warm_up_calls: calls,
        answer: problem.expected(),
        ..Measured::default()
    };
    if let [(entrant, plan, calls)] = &visits[..] {
        let read = gauged(
            || entrant.counted(),
            |gauge| {
                let plan = Plan {
                    gauge: Some(gauge),
                    ..plan.clone()
                };
                entrant.visit(problem, &plan)
            },
        )?;
        return Ok(vec![Measured {
            spent: read.spent,
            scheduler: read.scheduler,
            ..measured(plan, calls + read.warm_up_calls, read.samples)
        }]);
    }
    // A turn is long enough for a pool that has slept to be as it is in the midst of a program.
    let turns = planned[0].samples.min(TURNS);
    let each = planned[0].samples.div_ceil(turns);
    let turns = Turns {
        time: planned[0].visit * visits.len() as u32,
        pause: SETTLE,
        ..Turns::of(turns as usize)
    };
    let samples = turns.take(visits.len(), |round, who| {
        let (entrant, plan, _) = &visits[who];
        let warm = match round {
            0 => plan.warm,
            _ => plan.warm.min(AGAIN),
        };
        let plan = Plan {
            warm,
            samples: each,
            ..plan.clone()
        };
        entrant.visit(problem, &plan)
    })?;
    let all = visits.iter().zip(samples);
    Ok(all
        .map(|((_, plan, calls), samples)| measured(plan, *calls, samples))
        .collect())
}

/// The turns of a contender in a visit, at most.
const TURNS: u32 = 5;
/// What untimed calls last at most in turns after the first: longer than the system takes to move a
/// woken thread to a processor of its own.
const AGAIN: Duration = Duration::from_millis(20);

impl Planned {
    fn parameters(&self) -> Parameters<'_> {
        Parameters(&self.cell.parameters)
    }

    fn entrant<P: Problem>(&self) -> Result<Box<dyn Entrant<P>>, Failure> {
        let who = Id::named(&self.cell.contender);
        let seat = Seat {
            id: who.ok_or_else(|| Failure::Usage("there is no such contender".into()))?,
            threads: self.cell.threads,
        };
        entrant::<P>(seat, &self.cell.tuning)
    }

    fn pause(&self) -> Option<Duration> {
        let ms = self.parameters().get(&PAUSE);
        (ms > 0).then(|| Duration::from_millis(ms))
    }
}

//! An experiment: one problem, several contenders, measured round by round in one process.
//! A round visits every contender once; who comes after whom changes from round to round. Between
//! visits there is a pause in which the last pool goes to sleep. Ratios are made from medians of
//! one experiment only.

mod entrant;
mod record;

pub(crate) use entrant::{Entrant, Failure, entrant, pool};
pub(crate) use record::{Record, Records};

use std::time::Duration;

pub(crate) use sumac_record::distinct;
use sumac_record::{Cell, Turns};

use crate::contender::Id;
use crate::problem::Problem;
use crate::progress::tell;
use crate::sample::Plan;

/// Slept between visits: longer than any contender's idle workers stay awake.
pub(crate) const SETTLE: Duration = Duration::from_millis(12);
/// Calls shorter than this are timed in batches.
const SHORT: Duration = Duration::from_micros(20);
/// What a batch lasts at least.
const BATCH: Duration = Duration::from_millis(1);
/// Calls longer than this need no warm-up of their own at each visit.
const LONG: Duration = Duration::from_millis(30);
/// What the samples of one visit last, about.
const VISIT: Duration = Duration::from_millis(8);
/// What one visit lasts, about, where every sample follows a pause.
const PAUSED_VISIT: Duration = Duration::from_millis(60);
/// The most samples of one visit.
const MOST_SAMPLES: u32 = 40;
/// The most threads that a pool is asked for.
const MOST_THREADS: usize = 1024;

/// When an experiment ends: after so many rounds, or when its time is up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Rounds at most.
    pub(crate) rounds: usize,
    /// Time for the rounds.
    pub(crate) time: Duration,
}

/// A contender with its number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    /// Who.
    pub(crate) id: Id,
    /// On how many threads.
    pub(crate) threads: usize,
}

/// Every contender at every number of threads; the sequential ones once.
pub(crate) fn seats(ids: &[Id], threads: &[usize]) -> Vec<Seat> {
    let all = ids.iter().flat_map(|&id| {
        let counts = if id.is_sequential() { &[1] } else { threads };
        counts.iter().map(move |&threads| Seat { id, threads })
    });
    distinct(all)
}

/// A number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=MOST_THREADS).contains(&n) => Ok(n),
        _ => Err(format!(
            "a number of threads is between 1 and {MOST_THREADS}"
        )),
    }
}

/// An experiment in this process: how long pools rest before each call, which else follow each
/// other; who takes part; for how long.
#[derive(Clone, Copy)]
pub(crate) struct Rounds<'a> {
    pub(crate) pause: Option<Duration>,
    pub(crate) seats: &'a [Seat],
    pub(crate) limits: Limits,
}

impl<'a> Rounds<'a> {
    /// Of calls back to back.
    pub(crate) fn hot(seats: &'a [Seat], limits: Limits) -> Rounds<'a> {
        Rounds {
            pause: None,
            seats,
            limits,
        }
    }

    /// Runs it with this problem.
    pub(crate) fn measure<P: Problem>(&self, name: &str, problem: &P) -> Result<Records, Failure> {
        tell(name);
        let entrants = self.seats.iter().map(|&seat| entrant(seat, ""));
        let entrants = entrants.collect::<Result<Vec<Box<dyn Entrant<P>>>, _>>()?;
        let plans = entrants
            .iter()
            .map(|entrant| plan(problem, &**entrant, self.pause));
        let plans = plans.collect::<Result<Vec<_>, _>>()?;
        let samples = rounds(entrants.len(), self.limits, 0, |_, place| {
            entrants[place].visit(problem, &plans[place].0)
        })?;
        let all = self.seats.iter().zip(plans).zip(samples);
        let records = all.map(|((seat, (plan, _)), samples)| {
            let cell = Cell {
                parameters: self.condition(),
                ..Cell::of(name, &seat.id.name(), seat.threads)
            };
            Record::new(cell, plan.batch, samples)
        });
        Ok(Records(records.collect()))
    }

    /// How a call finds its pool.
    pub(crate) fn condition(&self) -> String {
        match self.pause {
            Some(pause) => format!("after {} ms", pause.as_secs_f64() * 1e3),
            None => "hot".into(),
        }
    }
}

/// Visits every place once in each round, as many rounds as the limits allow, and puts each place's
/// samples together. The first `warm_up` rounds do not count.
pub(crate) fn rounds(
    places: usize,
    Limits { rounds, time }: Limits,
    warm_up: usize,
    visit: impl FnMut(usize, usize) -> Result<Vec<f64>, Failure>,
) -> Result<Vec<Vec<f64>>, Failure> {
    let turns = Turns {
        rounds,
        warm_up,
        time,
        pause: SETTLE,
    };
    turns.take(places, visit)
}

/// Finds out how long a call lasts, and plans the visits by it; answers too how many calls that
/// took.
pub(crate) fn plan<P: Problem>(
    problem: &P,
    entrant: &dyn Entrant<P>,
    pause: Option<Duration>,
) -> Result<(Plan<'static>, u64), Failure> {
    let mut plan = Plan {
        warm: Duration::ZERO,
        pause: None,
        batch: 1,
        samples: 1,
        limit: None,
        gauge: None,
    };
    let mut calls = 0;
    let mut quickest = |plan: &Plan<'_>| {
        calls += u64::from(plan.samples) * u64::from(plan.batch);
        let samples = entrant.visit(problem, plan)?;
        let least = samples.into_iter().fold(f64::INFINITY, f64::min);
        Ok::<_, Failure>(Duration::from_nanos(least as u64))
    };
    let mut lasted = quickest(&plan)?;
    if lasted < BATCH {
        // The first call found everything cold.
        plan.samples = 10;
        lasted = quickest(&plan)?;
    }
    let alone = problem.reset();
    while !alone && lasted < SHORT && lasted * plan.batch < BATCH {
        plan.batch *= 4;
        lasted = quickest(&plan)?;
    }
    let lasted = lasted.max(Duration::from_nanos(1));
    plan.batch = 1;
    plan.warm = if lasted < LONG { BATCH } else { Duration::ZERO };
    plan.pause = pause;
    if lasted < SHORT && !alone && pause.is_none() {
        plan.batch = times(BATCH, lasted) + 1;
    }
    plan.samples = match pause {
        Some(pause) => times(PAUSED_VISIT, pause + lasted),
        None => times(VISIT, lasted * plan.batch),
    };
    plan.samples = plan.samples.min(MOST_SAMPLES);
    Ok((plan, calls))
}

/// How often `part` fits into `whole`, once at least.
fn times(whole: Duration, part: Duration) -> u32 {
    let part = part.as_nanos().max(1);
    u32::try_from(whole.as_nanos() / part)
        .unwrap_or(u32::MAX)
        .max(1)
}

#[cfg(test)]
mod tests;

//! Taking samples: the loop around the clock that every contender runs, each on its own ground. A
//! sample is the time of one call, or the mean of a batch where a call is too short for the clock.
//! Every call's answer is checked: in a batch inside the timed region, by one comparison; after a
//! call that is timed alone outside of it, as is all that makes the input new before.

use std::thread;
use std::time::{Duration, Instant};

use sumac_record::clear_registers;

use crate::problem::Problem;

/// What looks on while samples are taken: is called before the first and after the last one, with
/// the number of calls of warm-up.
pub(crate) type Gauge<'g> = dyn Fn(u64) + Sync + 'g;

/// What one visit to a contender does.
#[derive(Clone)]
pub(crate) struct Plan<'g> {
    /// Untimed calls are made for at least this long, none if it is zero.
    pub(crate) warm: Duration,
    /// Slept before every sample, which is then one call.
    pub(crate) pause: Option<Duration>,
    /// Calls per sample.
    pub(crate) batch: u32,
    /// Samples per visit.
    pub(crate) samples: u32,
    /// After so long no further sample is begun, once there are `LEAST_SAMPLES`.
    pub(crate) limit: Option<Duration>,
    /// Who looks on.
    pub(crate) gauge: Option<&'g Gauge<'g>>,
}

/// Samples that are taken even if time is up.
const LEAST_SAMPLES: usize = 3;

/// A call did not return what it must.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongAnswer {
    /// What it returned.
    pub(crate) got: u64,
    /// What it must return.
    pub(crate) expected: u64,
}

/// Takes the samples, in nanoseconds per call.
pub(crate) fn take<P: Problem>(
    plan: &Plan<'_>,
    problem: &P,
    mut call: impl FnMut() -> u64,
) -> Result<Vec<f64>, WrongAnswer> {
    carry_out(plan, &mut |calls, pause| {
        if calls > 1 {
            let expected = problem.expected();
            clear_registers();
            let start = Instant::now();
            for _ in 0..calls {
                check(problem.answer(call()), expected)?;
            }
            return Ok(start.elapsed());
        }
        problem.reset();
        if let Some(pause) = pause {
            thread::sleep(pause);
        }
        clear_registers();
        let start = Instant::now();
        let returned = call();
        let lasted = start.elapsed();
        check(problem.answer(returned), problem.expected())?;
        Ok(lasted)
    })
}

/// How long so many calls last. One call may come after a pause; what else comes before it and
/// after it is not timed either. It is all that is compiled for each contender with each problem.
type Timed<'t> = dyn FnMut(u32, Option<Duration>) -> Result<Duration, WrongAnswer> + 't;

fn carry_out(plan: &Plan<'_>, timed: &mut Timed<'_>) -> Result<Vec<f64>, WrongAnswer> {
    let warm_up_calls = warm_up(plan.warm, timed)?;
    if let Some(gauge) = plan.gauge {
        gauge(warm_up_calls);
    }
    let begun = Instant::now();
    let mut samples = Vec::with_capacity(plan.samples as usize);
    for _ in 0..plan.samples {
        let late = |limit| begun.elapsed() >= limit;
        if samples.len() >= LEAST_SAMPLES && plan.limit.is_some_and(late) {
            break;
        }
        let lasted = timed(plan.batch, plan.pause)?;
        samples.push(lasted.as_nanos() as f64 / f64::from(plan.batch));
    }
    if let Some(gauge) = plan.gauge {
        gauge(warm_up_calls);
    }
    Ok(samples)
}

/// Untimed calls for at least so long, none for no time; answers how many.
fn warm_up(least: Duration, timed: &mut Timed<'_>) -> Result<u64, WrongAnswer> {
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < least {
        timed(1, None)?;
        calls += 1;
    }
    Ok(calls)
}

#[inline]
fn check(got: u64, expected: u64) -> Result<(), WrongAnswer> {
    if got == expected {
        Ok(())
    } else {
        Err(WrongAnswer { got, expected })
    }
}

//! Taking samples: the loop around the clock that every contender runs, each on its own ground.
//! A sample is the time of one call, or the mean of a batch where a call is too short for the
//! clock. Every call's answer is checked: in a batch inside the timed region, by one comparison; after
//! a call that is timed alone outside of it, as is all that makes the input new before.

use std::thread;
use std::time::{Duration, Instant};

use crate::problem::Problem;

/// Where the clock starts: with the caller inside the pool already, or outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Entry {
    /// One entry around all calls
    Inside,
    /// Every call enters and leaves
    Outside,
}

/// What one visit to a contender does.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Where the clock starts.
    pub(crate) entry: Entry,
    /// Untimed calls are made for at least this long, none if it is zero.
    pub(crate) warm: Duration,
    /// Slept before every sample, which is then one call.
    pub(crate) pause: Option<Duration>,
    /// Calls per sample.
    pub(crate) batch: u32,
    /// Samples per visit.
    pub(crate) samples: u32,
}

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
    plan: &Plan,
    problem: &P,
    mut call: impl FnMut() -> u64,
) -> Result<Vec<f64>, WrongAnswer> {
    if !plan.warm.is_zero() {
        warm_up(plan.warm, problem, &mut call)?;
    }
    let expected = problem.expected();
    let mut samples = Vec::with_capacity(plan.samples as usize);
    for _ in 0..plan.samples {
        if plan.batch == 1 {
            samples.push(alone(plan.pause, problem, &mut call)?);
            continue;
        }
        let start = Instant::now();
        for _ in 0..plan.batch {
            check(problem.answer(call()), expected)?;
        }
        samples.push(start.elapsed().as_nanos() as f64 / f64::from(plan.batch));
    }
    Ok(samples)
}

/// One call, what comes before it and after it not timed.
fn alone<P: Problem>(
    pause: Option<Duration>,
    problem: &P,
    call: &mut impl FnMut() -> u64,
) -> Result<f64, WrongAnswer> {
    problem.reset();
    if let Some(pause) = pause {
        thread::sleep(pause);
    }
    let start = Instant::now();
    let returned = call();
    let lasted = start.elapsed();
    check(problem.answer(returned), problem.expected())?;
    Ok(lasted.as_nanos() as f64)
}

fn warm_up<P: Problem>(
    least: Duration,
    problem: &P,
    call: &mut impl FnMut() -> u64,
) -> Result<(), WrongAnswer> {
    let start = Instant::now();
    loop {
        alone(None, problem, call)?;
        if start.elapsed() >= least {
            return Ok(());
        }
    }
}

#[inline]
fn check(got: u64, expected: u64) -> Result<(), WrongAnswer> {
    if got == expected {
        Ok(())
    } else {
        Err(WrongAnswer { got, expected })
    }
}

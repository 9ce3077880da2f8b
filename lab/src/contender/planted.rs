//! Contenders with a fault, with which tests see that the lab catches them. The fault is the
//! tuning. No command line knows them; experiments do where `LAB_PLANTED` is in the environment.

use std::error::Error;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use super::baseline::plain;
use super::{Baseline, Contender, once};
use crate::problem::Problem;
use crate::sample::{self, Plan, WrongAnswer};

/// How long the slow one dawdles at every call.
const DAWDLE: Duration = Duration::from_millis(2);

/// The plain program with a fault.
pub(crate) enum Planted {
    /// Every call takes longer.
    Slow,
    /// Of a thousand answers one is wrong.
    Wrong(AtomicUsize),
    /// The process ends.
    Crash,
    /// Calls do not return.
    Hang,
}

impl Planted {
    /// The name that experiments use.
    pub(crate) const NAME: &str = "planted";

    /// Whether experiments may ask for them.
    pub(crate) fn allowed() -> bool {
        std::env::var_os("LAB_PLANTED").is_some()
    }

    fn call<P: Problem>(&self, problem: &P) -> u64 {
        let mut fault = 0;
        match self {
            Planted::Slow => thread::sleep(DAWDLE),
            Planted::Wrong(calls) => fault = u64::from(calls.fetch_add(1, Relaxed) % 1000 == 999),
            Planted::Crash => process::abort(),
            Planted::Hang => loop {
                thread::park();
            },
        }
        once::<Baseline, P>(problem, &mut ()) ^ fault
    }
}

impl Contender for Planted {
    type Cx<'s> = ();

    fn pool(_threads: usize, tuning: &str) -> Result<Self, Box<dyn Error>> {
        match tuning {
            "slow" => Ok(Planted::Slow),
            "wrong" => Ok(Planted::Wrong(AtomicUsize::new(0))),
            "crash" => Ok(Planted::Crash),
            "hang" => Ok(Planted::Hang),
            _ => Err(format!("there is no fault called {tuning}").into()),
        }
    }

    plain!(cx, a, b => (a(cx), b(cx)));

    fn run<P: Problem>(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, WrongAnswer> {
        sample::take(plan, problem, || self.call(problem))
    }
}

//! Contenders with a fault, with which tests see that the lab catches them. The fault is the
//! tuning. No command line knows them; experiments do where `LAB_PLANTED` is in the environment.

use std::error::Error;
use std::process;
use std::thread;
use std::time::Duration;

use super::baseline::plain;
use super::{Baseline, Contender, once};
use crate::problem::Problem;
use crate::sample::{self, Plan, WrongAnswer};

/// How long the slow one dawdles at every call.
const DAWDLE: Duration = Duration::from_millis(2);

/// The plain program with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    /// Every call takes longer.
    Slow,
    /// Answers are wrong.
    Wrong,
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

    fn call<P: Problem>(self, problem: &P) -> u64 {
        match self {
            Planted::Slow => thread::sleep(DAWDLE),
            Planted::Wrong => return once::<Baseline, P>(problem, &mut ()) ^ 1,
            Planted::Crash => process::abort(),
            Planted::Hang => loop {
                thread::park();
            },
        }
        once::<Baseline, P>(problem, &mut ())
    }
}

impl Contender for Planted {
    type Cx<'s> = ();

    fn with_threads(_threads: usize) -> Result<Self, Box<dyn Error>> {
        Err("a planted contender has a fault".into())
    }

    fn tuned(_threads: usize, tuning: &str) -> Result<Self, Box<dyn Error>> {
        match tuning {
            "slow" => Ok(Planted::Slow),
            "wrong" => Ok(Planted::Wrong),
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

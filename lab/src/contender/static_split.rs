//! The parallel baseline: the problem divided by hand into as many parts as there are threads, each
//! part being plain recursion; nothing is balanced while it runs. The helpers are ordinary threads
//! that live for one visit, on a core each where there are enough. Two counters hand them each
//! call; between calls they spin for some microseconds, then park.

use std::error::Error;
use std::hint;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use std::thread::{self, Thread};

use super::Contender;
use super::baseline::plain;
use crate::problem::Problem;
use crate::sample::{self, Plan, WrongAnswer};

/// How often a waiting thread looks before it parks, where every thread has a core.
const LOOKS: usize = 500;

/// The number of parts.
pub(crate) struct StaticSplit {
    threads: usize,
}

impl Contender for StaticSplit {
    type Cx<'s> = ();

    fn pool(threads: usize, _tuning: &str) -> Result<Self, Box<dyn Error>> {
        Ok(StaticSplit { threads })
    }

    plain!(cx, a, b => (a(cx), b(cx)));

    fn run<P: Problem>(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, WrongAnswer> {
        // The caller, too, is a thread that lasts as long as it is pinned.
        thread::scope(|s| s.spawn(|| self.divided(problem, plan)).join()).expect("no part panics")
    }
}

impl StaticSplit {
    fn divided<P: Problem>(&self, problem: &P, plan: &Plan<'_>) -> Result<Vec<f64>, WrongAnswer> {
        let crew = &Crew::new(self.threads);
        // Where a thread has no core of its own, the kernel often wakes a helper on its caller's core,
        // where the two take turns. One that cannot be pinned is slower, not wrong.
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        let pin = |part: usize| {
            let core = cores.get(part).filter(|_| cores.len() >= self.threads);
            core.map(|&core| core_affinity::set_for_current(core));
        };
        let pin = &pin;
        pin(0);
        thread::scope(|s| {
            let helper = |part| {
                let work = move || {
                    pin(part);
                    crew.help(|| problem.part(part, self.threads));
                };
                s.spawn(work).thread().clone()
            };
            let helpers: Vec<Thread> = (1..self.threads).map(helper).collect();
            let samples = sample::take(plan, problem, || {
                crew.call(&helpers, || problem.part(0, self.threads))
            });
            crew.dismiss(&helpers);
            samples
        })
    }
}

/// What the caller and its helpers share.
///
/// A call: the caller sets `unfinished`, moves `turn`, and wakes the helpers that have parked; each
/// helper adds its part to `sum` and counts itself out of `unfinished`; the last one wakes the
/// caller.
struct Crew {
    caller: Thread,
    looks: usize,
    turn: AtomicUsize,
    unfinished: AtomicUsize,
    sum: AtomicU64,
}

impl Crew {
    /// The turn after which there is no other.
    const OVER: usize = usize::MAX;

    fn new(threads: usize) -> Crew {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Crew {
            caller: thread::current(),
            looks: if threads <= cores { LOOKS } else { 0 },
            turn: AtomicUsize::new(0),
            unfinished: AtomicUsize::new(0),
            sum: AtomicU64::new(0),
        }
    }

    fn call(&self, helpers: &[Thread], own_part: impl FnOnce() -> u64) -> u64 {
        self.sum.store(0, Relaxed);
        self.unfinished.store(helpers.len(), Relaxed);
        self.turn.fetch_add(1, Release);
        helpers.iter().for_each(Thread::unpark);
        let own = own_part();
        self.wait(|| self.unfinished.load(Acquire) == 0);
        own.wrapping_add(self.sum.load(Relaxed))
    }

    fn dismiss(&self, helpers: &[Thread]) {
        self.turn.store(Crew::OVER, Release);
        helpers.iter().for_each(Thread::unpark);
    }

    fn help(&self, part: impl Fn() -> u64) {
        let mut seen = 0;
        loop {
            self.wait(|| self.turn.load(Acquire) != seen);
            seen = self.turn.load(Acquire);
            if seen == Crew::OVER {
                return;
            }
            self.sum.fetch_add(part(), Relaxed);
            if self.unfinished.fetch_sub(1, Release) == 1 {
                self.caller.unpark();
            }
        }
    }

    fn wait(&self, ready: impl Fn() -> bool) {
        for _ in 0..self.looks {
            if ready() {
                return;
            }
            hint::spin_loop();
        }
        while !ready() {
            thread::park();
        }
    }
}

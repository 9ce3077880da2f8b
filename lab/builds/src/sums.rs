//! Who is measured, and a measurement: a pool, so many calls inside it, and the time they took.

use std::error::Error;
use std::hint::black_box;
use std::num::NonZero;
use std::time::Instant;

use sumac::prelude::*;

use crate::tree::{self, NODES, Node, SUM};

/// Who is measured: the tree by plain recursion, by `sumac::Scope::join`, by `sumac::join`, by
/// chili's join and by rayon's; ten numbers by sumac's `par_iter().map().sum()`.
pub const CONTENDERS: [&str; 6] = ["plain", "scope", "join", "chili", "rayon", SUM_OF_TEN];
const SUM_OF_TEN: &str = "sum";

/// How often to call where so many calls of the tree are made: more often what is shorter.
pub fn calls_of(who: &str, calls: u64) -> u64 {
    if who == SUM_OF_TEN {
        500 * calls
    } else {
        calls
    }
}

/// What a call is divided by: the nodes of the tree, or the one loop.
pub fn pieces_of(who: &str) -> u64 {
    if who == SUM_OF_TEN { 1 } else { NODES }
}

/// What to measure.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Work {
    /// Who: its place in `CONTENDERS`.
    pub contender: usize,
    /// On how many threads, the caller included.
    pub threads: usize,
    /// Calls before the clock starts.
    pub warm_up: u64,
    /// Calls that are timed.
    pub calls: u64,
}

/// Measures: the nanoseconds of all timed calls. Called alike whether linked or loaded.
pub type Measure = extern "C" fn(Work) -> u64;

/// Measures. A wrong answer, or a pool that cannot be made, ends the process.
pub extern "C" fn measure(work: Work) -> u64 {
    times(CONTENDERS[work.contender], work).expect("a pool can be made")
}

fn times(who: &str, work: Work) -> Result<u64, Box<dyn Error>> {
    let tree = Node::tree();
    let tree = || black_box(&*tree);
    let pool = || {
        let pool = sumac::ThreadPoolBuilder::new().num_threads(work.threads);
        pool.build()
    };
    Ok(match who {
        "plain" => time(work, SUM, || tree::plain(tree())),
        "scope" => {
            let pool = pool()?;
            let mut scope = pool.scope();
            time(work, SUM, || tree::scope(tree(), &mut scope))
        }
        "join" => pool()?.install(|| time(work, SUM, || tree::join(tree()))),
        "chili" => {
            let pool = chili::ThreadPool::with_config(chili::Config {
                thread_count: NonZero::new(work.threads),
                ..chili::Config::default()
            });
            let mut scope = pool.scope();
            time(work, SUM, || tree::chili(tree(), &mut scope))
        }
        "rayon" => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(work.threads);
            let pool = pool.build()?;
            pool.install(|| time(work, SUM, || tree::rayon(tree())))
        }
        _ => {
            let numbers: [u64; 10] = black_box([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
            pool()?.install(|| time(work, 385, || squares(black_box(&numbers))))
        }
    })
}

#[inline(never)]
fn squares(numbers: &[u64]) -> u64 {
    numbers.par_iter().map(|number| number * number).sum()
}

/// The nanoseconds of all timed calls.
fn time(work: Work, expected: u64, mut call: impl FnMut() -> u64) -> u64 {
    let mut calls = |number| {
        for _ in 0..number {
            assert_eq!(call(), expected, "a wrong answer");
        }
    };
    calls(work.warm_up);
    let start = Instant::now();
    calls(work.calls);
    start.elapsed().as_nanos() as u64
}

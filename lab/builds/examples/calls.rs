//! How long calls take that eight threads make from outside into a pool of two.
//!
//! ```text
//! cargo run --release -p sumac-builds --example calls [--json] [ROUNDS]
//! ```
//!
//! * `beside long ones`: each thread calls every millisecond or so with 100 µs of work, and one of
//!   them now and then with 20 ms, which is not timed.
//! * `spaced`: each sleeps for a millisecond or so after each call.
//! * `back to back`: none sleeps, so there are always more of them than processors.
//! * `beside a fold`: one thread calls once, while another one's call of half a second occupies the
//!   pool.
//! * `sum` is a parallel iterator's sum of 1,000 numbers, `tree` the sum of a tree of 1,023 nodes
//!   with a join at each.
//!
//! The contenders take turns in one process; `alone` computes without a pool. A sample is the
//! median of a turn's calls; the 99th percentile and the longest are those of all calls. Answers
//! are compared, which the clock does not see.

mod work;

use fastrand::Rng;
use std::{
    error::Error,
    hint::black_box,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};
use sumac::{Callers, ThreadPool};
use sumac_record::{Asked, Cell, Measured, Records, Turns, stats::quantile};
use work::{on_caller, on_rayon, on_sumac, steps_per_microsecond};

const CLIENTS: u64 = 8;
const THREADS: usize = 2;
const NUMBERS: usize = 1000;
const NODES: usize = 1023;
/// Leaves of 5 µs.
const SHORT: usize = 20;
const LONG: usize = 4000;
/// A second of work, and when the one call beside it begins.
const FOLD: usize = 200_000;
const LATER: Duration = Duration::from_millis(100);
/// After so many short calls, the first client has a long one.
const BETWEEN: usize = 40;

/// Sums by a runtime's join and iterator: of a tree that lies in a slice as in a heap, and flat.
macro_rules! sums {
    ($module:ident, $library:ident) => {
        mod $module {
            use $library::prelude::*;

            pub(super) fn flat(numbers: &[u64]) -> u64 {
                numbers.par_iter().sum()
            }

            pub(super) fn tree(nodes: &[u64], root: usize) -> u64 {
                let Some(own) = nodes.get(root) else {
                    return 0;
                };
                let (left, right) =
                    $library::join(|| tree(nodes, 2 * root + 1), || tree(nodes, 2 * root + 2));
                own + left + right
            }
        }
    };
}

sums!(by_rayon, rayon);
sums!(by_sumac, sumac);

fn plain_tree(nodes: &[u64], root: usize) -> u64 {
    let Some(own) = nodes.get(root) else {
        return 0;
    };
    own + plain_tree(nodes, 2 * root + 1) + plain_tree(nodes, 2 * root + 2)
}

/// What clients do, by each contender in turn.
struct Shape<'s> {
    name: &'static str,
    parameters: &'static str,
    /// How long a turn lasts.
    turn: Duration,
    is_spaced: bool,
    is_fold: bool,
    calls: [Box<dyn Fn() + Sync + 's>; 4],
    /// What the first client calls now and then; or what is called once, for one call beside it.
    long: [Option<Box<dyn Fn() + Sync + 's>>; 4],
}

const CONTENDERS: [&str; 4] = ["sumac", "sumac, callers wait", "rayon", "alone"];

impl Shape<'_> {
    /// The nanoseconds of all calls of a turn.
    fn turn(&self, who: usize) -> Vec<f64> {
        let (call, long) = (&self.calls[who], &self.long[who]);
        if let Some(fold) = long.as_ref().filter(|_| self.is_fold) {
            return thread::scope(|threads| {
                threads.spawn(fold);
                thread::sleep(LATER);
                let begin = Instant::now();
                call();
                vec![begin.elapsed().as_nanos() as f64]
            });
        }
        let end = Instant::now() + self.turn;
        let client = |seed| {
            let (mut times, mut random) = (Vec::new(), Rng::with_seed(seed));
            while Instant::now() < end {
                let begin = Instant::now();
                call();
                times.push(begin.elapsed().as_nanos() as f64);
                if self.is_spaced {
                    thread::sleep(Duration::from_micros(random.u64(500..1500)));
                }
                if let Some(long) = long.as_ref().filter(|_| seed == 1) {
                    if times.len() % BETWEEN == 0 {
                        long();
                    }
                }
            }
            times
        };
        thread::scope(|threads| {
            let clients: Vec<_> = (1..=CLIENTS)
                .map(|seed| threads.spawn(move || client(seed)))
                .collect();
            let times = clients
                .into_iter()
                .map(|client| client.join().expect("all answers are right"));
            times.flatten().collect()
        })
    }

    fn measure(&self, rounds: usize, records: &mut Records) -> Result<(), Box<dyn Error>> {
        let turn = |_, who| Ok::<_, Box<dyn Error>>(vec![self.turn(who)]);
        let taken = Turns::of(rounds).take(CONTENDERS.len(), turn)?;
        for (who, mut turns) in CONTENDERS.into_iter().zip(taken) {
            let sorted = |times: &mut Vec<f64>| times.sort_unstable_by(f64::total_cmp);
            turns.iter_mut().for_each(sorted);
            let samples = turns.iter().map(|times| quantile(times, 0.5)).collect();
            let mut all = turns.concat();
            sorted(&mut all);
            let further = [
                ("p99", quantile(&all, 0.99)),
                ("longest", quantile(&all, 1.0)),
            ];
            let further = further.map(|(name, value)| (name.to_owned(), value));
            let measured = Measured {
                pieces: 1,
                batch: u32::try_from(all.len() / rounds)?,
                samples,
                further: further.into(),
                ..Measured::default()
            };
            let parameters = self.parameters.into();
            let cell = Cell::of(self.name, who, THREADS);
            records.push(Cell { parameters, ..cell }, measured);
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    Asked::run("calls", 10, |asked, records| measure(asked.rounds, records))
}

fn measure(rounds: usize, records: &mut Records) -> Result<(), Box<dyn Error>> {
    let builder = || sumac::ThreadPoolBuilder::new().num_threads(THREADS);
    let [takes_part, waits]: &[ThreadPool; 2] = &[
        builder().build()?,
        builder().callers(Callers::Wait).build()?,
    ];
    let rayon = rayon::ThreadPoolBuilder::new().num_threads(THREADS);
    let rayon = &rayon.build()?;
    let steps = (5.0 * steps_per_microsecond()) as usize;
    let leaves = |n: usize| -> [Box<dyn Fn() + Sync + '_>; 4] {
        [
            Box::new(move || takes_part.install(|| on_sumac(0..n, steps))),
            Box::new(move || waits.install(|| on_sumac(0..n, steps))),
            Box::new(move || rayon.install(|| on_rayon(0..n, steps))),
            Box::new(move || on_caller(0..n, steps)),
        ]
    };
    let numbers: &[u64] = &(1..=NODES as u64).collect::<Vec<_>>();
    type Sum = fn(&[u64]) -> u64;
    let sums =
        |n: usize, [by_sumac, by_rayon, alone]: [Sum; 3]| -> [Box<dyn Fn() + Sync + '_>; 4] {
            let numbers = &numbers[..n];
            let is = |sum| assert_eq!(numbers.iter().sum::<u64>(), sum, "a wrong answer");
            [
                Box::new(move || is(takes_part.install(|| by_sumac(black_box(numbers))))),
                Box::new(move || is(waits.install(|| by_sumac(black_box(numbers))))),
                Box::new(move || is(rayon.install(|| by_rayon(black_box(numbers))))),
                Box::new(move || is(alone(black_box(numbers)))),
            ]
        };
    let sum = || {
        let alone: Sum = |numbers| numbers.iter().sum();
        sums(NUMBERS, [by_sumac::flat, by_rayon::flat, alone])
    };
    let tree = || {
        let by_sumac: Sum = |nodes| by_sumac::tree(nodes, 0);
        sums(
            NODES,
            [
                by_sumac,
                |nodes| by_rayon::tree(nodes, 0),
                |nodes| plain_tree(nodes, 0),
            ],
        )
    };
    let small = |name, parameters, calls| Shape {
        name,
        parameters,
        turn: Duration::from_millis(200),
        is_spaced: parameters == "spaced",
        is_fold: false,
        calls,
        long: [const { None }; 4],
    };
    let shapes = [
        Shape {
            turn: Duration::from_secs(1),
            is_spaced: true,
            long: leaves(LONG).map(Some),
            ..small("100 µs", "beside long ones", leaves(SHORT))
        },
        Shape {
            is_fold: true,
            long: leaves(FOLD).map(Some),
            ..small("sum", "beside a fold", sum())
        },
        small("sum", "spaced", sum()),
        small("tree", "spaced", tree()),
        small("sum", "back to back", sum()),
        small("tree", "back to back", tree()),
    ];
    for shape in &shapes {
        shape.measure(rounds, records)?;
    }
    Ok(())
}

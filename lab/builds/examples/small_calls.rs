//! How long small calls take that eight threads make from outside into a pool of two: a parallel
//! iterator's sum of 1,000 numbers, and the sum of a tree of 1,023 nodes with a join at each.
//!
//! ```text
//! cargo run --release -p sumac-builds --example small_calls [ROUNDS]
//! ```
//!
//! * `spaced`: each client sleeps for a millisecond or so after each call.
//! * `back to back`: none sleeps, so there are always more of them than processors.
//!
//! The contenders take turns in one process, a fifth of a second each; `alone` computes without a
//! pool. Answers are compared, which the clock does not see.

use std::{
    env,
    error::Error,
    hint::black_box,
    thread,
    time::{Duration, Instant},
};
use sumac::Callers;

const CLIENTS: u64 = 8;
const THREADS: usize = 2;
const NUMBERS: usize = 1000;
const NODES: usize = 1023;
const ROUND: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, PartialEq)]
enum Pace {
    Spaced,
    BackToBack,
}

const PACES: [(Pace, &str); 2] = [(Pace::Spaced, "spaced"), (Pace::BackToBack, "back to back")];

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

/// What clients call: the sum of these numbers.
type Call<'c> = &'c (dyn Fn(&[u64]) -> u64 + Sync);

/// The nanoseconds of all calls of a round.
fn round(pace: Pace, numbers: &[u64], call: Call<'_>) -> Vec<u32> {
    let end = Instant::now() + ROUND;
    let expected: u64 = numbers.iter().sum();
    let client = |seed| {
        let (mut times, mut random) = (Vec::new(), seed);
        while Instant::now() < end {
            let begin = Instant::now();
            let answer = call(black_box(numbers));
            let time = begin.elapsed().as_nanos();
            times.push(u32::try_from(time).unwrap_or(u32::MAX));
            assert_eq!(answer, expected, "a wrong answer");
            if pace == Pace::Spaced {
                random = u64::wrapping_mul(random, 6_364_136_223_846_793_005).wrapping_add(1);
                thread::sleep(Duration::from_micros(500 + (random >> 32) % 1000));
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

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = env::args().nth(1).map_or(Ok(10), |n| n.parse())?;
    if rounds == 0 {
        return Err("no rounds".into());
    }
    let builder = || sumac::ThreadPoolBuilder::new().num_threads(THREADS);
    let (sumac, waits) = (
        builder().build()?,
        builder().callers(Callers::Wait).build()?,
    );
    let rayon = rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build()?;
    let flat: [Call<'_>; 4] = [
        &|n| sumac.install(|| by_sumac::flat(n)),
        &|n| waits.install(|| by_sumac::flat(n)),
        &|n| rayon.install(|| by_rayon::flat(n)),
        &|n| n.iter().sum(),
    ];
    let tree: [Call<'_>; 4] = [
        &|n| sumac.install(|| by_sumac::tree(n, 0)),
        &|n| waits.install(|| by_sumac::tree(n, 0)),
        &|n| rayon.install(|| by_rayon::tree(n, 0)),
        &|n| plain_tree(n, 0),
    ];
    let numbers: Vec<u64> = (1..=NODES as u64).collect();
    let sums = [
        ("sum", &numbers[..NUMBERS], flat),
        ("tree", &numbers[..], tree),
    ];
    println!(
        "{:<13} {:<5} {:<20} {:>9} {:>8} {:>8} {:>9} µs",
        "calls", "of", "pool", "number", "p50", "p99", "max"
    );
    for (pace, how) in PACES {
        for (what, numbers, calls) in &sums {
            let mut times = [const { Vec::new() }; 4];
            for _ in 0..rounds {
                for (call, times) in calls.iter().zip(&mut times) {
                    times.extend(round(pace, numbers, *call));
                }
            }
            let names = ["sumac", "sumac, callers wait", "rayon", "alone"];
            for (name, times) in names.iter().zip(&mut times) {
                times.sort_unstable();
                let at =
                    |per_mille: usize| f64::from(times[(times.len() - 1) * per_mille / 1000]) / 1e3;
                println!(
                    "{how:<13} {what:<5} {name:<20} {:>9} {:>8.1} {:>8.1} {:>9.1}",
                    times.len(),
                    at(500),
                    at(990),
                    at(1000)
                );
            }
        }
    }
    Ok(())
}

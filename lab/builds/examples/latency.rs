//! How long short calls take while a long one runs: eight threads from outside call a pool of two,
//! each every millisecond or so with 100 µs of work, and one of them now and then with 20 ms. The
//! contenders take turns in one process, a second each; `alone` computes without a pool.
//!
//! ```text
//! cargo run --release -p sumac-builds --example latency [ROUNDS]
//! ```

mod work;

use std::{
    env,
    error::Error,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};
use sumac::Callers;
use work::{on_caller, on_rayon, on_sumac, steps_per_microsecond};

const CLIENTS: usize = 8;
const THREADS: usize = 2;
/// Leaves of 5 µs.
const SHORT: usize = 20;
const LONG: usize = 4000;
/// After so many short calls, the first client has a long one.
const BETWEEN: usize = 40;
const ROUND: Duration = Duration::from_secs(1);

type Call<'c> = &'c (dyn Fn(usize, usize) + Sync);

/// The times of all short calls of a round.
fn round(call: Call<'_>, steps: usize) -> Vec<Duration> {
    let end = Instant::now() + ROUND;
    let seeds = AtomicUsize::new(1);
    let client = || {
        let me = seeds.fetch_add(1, Ordering::Relaxed);
        let (mut times, mut random) = (Vec::new(), me as u64);
        while Instant::now() < end {
            let begin = Instant::now();
            call(SHORT, steps);
            times.push(begin.elapsed());
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            thread::sleep(Duration::from_micros(500 + (random >> 32) % 1000));
            if me == 1 && times.len() % BETWEEN == 0 {
                call(LONG, steps);
            }
        }
        times
    };
    thread::scope(|threads| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| threads.spawn(client)).collect();
        let times = clients.into_iter().filter_map(|client| client.join().ok());
        times.flatten().collect()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = env::args().nth(1).map_or(Ok(10), |n| n.parse())?;
    let steps = (5.0 * steps_per_microsecond()) as usize;
    let sumac = sumac::ThreadPoolBuilder::new().num_threads(THREADS);
    let takes_part = sumac.build()?;
    let sumac = sumac::ThreadPoolBuilder::new().num_threads(THREADS);
    let waits = sumac.callers(Callers::Wait).build()?;
    let rayon = rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build()?;
    let contenders: [(&str, Call<'_>); 4] = [
        ("sumac", &|n, steps| {
            takes_part.install(|| on_sumac(0..n, steps))
        }),
        ("sumac, callers wait", &|n, steps| {
            waits.install(|| on_sumac(0..n, steps))
        }),
        ("rayon", &|n, steps| rayon.install(|| on_rayon(0..n, steps))),
        ("alone", &|n, steps| on_caller(0..n, steps)),
    ];
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        for ((_, call), times) in contenders.iter().zip(&mut times) {
            times.extend(round(*call, steps));
        }
    }
    println!(
        "{:<20} {:>7} {:>8} {:>8} {:>8} µs",
        "short calls", "number", "p50", "p99", "max"
    );
    for ((name, _), times) in contenders.iter().zip(&mut times) {
        times.sort_unstable();
        let at = |per_mille: usize| times[(times.len() - 1) * per_mille / 1000].as_micros();
        println!(
            "{name:<20} {:>7} {:>8} {:>8} {:>8}",
            times.len(),
            at(500),
            at(990),
            at(1000)
        );
    }
    Ok(())
}

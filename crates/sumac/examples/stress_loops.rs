//! A stress program: random programs made of joins, loops, task scopes, promises, sorts, scans and
//! searches, nested in each other, with random panics, from several outside threads, on pools of 1
//! to 32 threads. Each is evaluated sequentially as well, and must come to the same, or panic as
//! well.
//!
//!     cargo run --release --example stress_loops -- SECONDS SEED
//!
//! Ends with a line of counts and status 0, or with what went wrong and status 1.

use std::{
    env, panic, process,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};
use sumac::{ThreadPoolBuilder, prelude::*};

const DEPTH: u32 = 4;
const PATIENCE: Duration = Duration::from_secs(30);
static EVALUATED: AtomicU64 = AtomicU64::new(0);

/// A random program: its seed says what it does. One of `danger` nodes panics, none if that is 0.
#[derive(Clone, Copy)]
struct Program {
    seed: u64,
    depth: u32,
    danger: u64,
}

/// Marsaglia's xorshift.
fn next(x: &mut u64) -> u64 {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    *x
}

fn mix(hash: u64, x: u64) -> u64 {
    (hash ^ x)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
}

fn work(seed: u64) -> u64 {
    (0..seed % 200).fold(seed, mix)
}

impl Program {
    fn child(self, seed: u64) -> Program {
        let depth = self.depth - 1;
        Program {
            seed,
            depth,
            ..self
        }
    }

    fn run(self, parallel: bool) -> u64 {
        let mut random = mix(self.seed, 1) | 1;
        if self.danger > 0 && next(&mut random) % self.danger == 0 {
            panic::resume_unwind(Box::new(self.seed));
        }
        if self.depth == 0 {
            return work(random);
        }
        let (kind, seed, n) = (
            next(&mut random) % 8,
            next(&mut random),
            next(&mut random) % 12,
        );
        let child = |i: u64| self.child(seed.wrapping_add(i)).run(parallel);
        let all = || (0..n as u32).into_par_iter().map(|i| child(u64::from(i)));
        match (kind, parallel) {
            (0 | 1, false) => mix(child(0), child(1)),
            (0 | 1, true) => {
                let (a, b) = sumac::join(|| child(0), || child(1));
                mix(a, b)
            }
            (2, false) => (0..n).map(child).fold(0, u64::wrapping_add),
            (2, true) => all().reduce(|| 0, u64::wrapping_add),
            (3, false) => (0..n).map(child).fold(n, mix),
            (3, true) => all().collect::<Vec<_>>().into_iter().fold(n, mix),
            (4, false) => (0..n)
                .flat_map(|i| [child(i), i])
                .filter(|x| x % 3 > 0)
                .fold(n, mix),
            (4, true) => {
                let some = all().enumerate().flat_map_iter(|(i, x)| [x, i as u64]);
                let some: Vec<_> = some.filter(|x| x % 3 > 0).collect();
                some.into_iter().fold(n, mix)
            }
            (5, false) => (0..n)
                .map(child)
                .collect::<Vec<_>>()
                .into_iter()
                .fold(n, mix),
            (5, true) => {
                let mut out = vec![0; n as usize];
                sumac::scope(|s| {
                    for (i, x) in (0..).zip(&mut out) {
                        s.spawn(move |_| *x = child(i));
                    }
                });
                out.into_iter().fold(n, mix)
            }
            (6, false) => {
                let (a, b) = (child(0), child(1));
                mix(a, b)
            }
            (6, true) => {
                let program = self.child(seed);
                let promise = sumac::spawn(move || program.run(true));
                let second = panic::catch_unwind(|| child(1));
                let first = promise.join();
                mix(
                    first,
                    second.unwrap_or_else(|payload| panic::resume_unwind(payload)),
                )
            }
            (_, false) => {
                let mut v: Vec<u64> = (0..n * 100).map(|i| work(seed.wrapping_add(i))).collect();
                v.sort_unstable();
                let middle = v.iter().position(|x| x % 5 == 0);
                v.iter()
                    .fold(middle.unwrap_or(7) as u64, |sum, x| sum.wrapping_add(*x))
            }
            (_, true) => {
                let mut v: Vec<u64> = (0..n * 100)
                    .into_par_iter()
                    .map(|i| work(seed.wrapping_add(i)))
                    .collect();
                v.par_sort_unstable();
                let middle = v.par_iter().position_first(|x| x % 5 == 0);
                v.par_inclusive_scan(|a, b| a.wrapping_add(*b));
                let sum = v.last().copied().unwrap_or_default();
                sum.wrapping_add(middle.unwrap_or(7) as u64)
            }
        }
    }

    /// Compares the two evaluations. A panic need not be the same one: several may happen at once.
    fn check(self, threads: usize) {
        let outcome = |parallel| panic::catch_unwind(|| self.run(parallel)).ok();
        let (expected, got) = (outcome(false), outcome(true));
        if expected != got {
            let Program { seed, danger, .. } = self;
            eprintln!(
                "seed {seed}, danger {danger}, {threads} threads: {got:?} instead of {expected:?}"
            );
            process::exit(1);
        }
        EVALUATED.fetch_add(1, Relaxed);
    }
}

/// Ends the process if nothing happens for long.
fn watch() {
    let mut seen = u64::MAX;
    loop {
        let now = EVALUATED.load(Relaxed);
        if now == seen {
            eprintln!("nothing has happened for {PATIENCE:?}, after {now} programs");
            process::exit(1);
        }
        seen = now;
        thread::sleep(PATIENCE);
    }
}

fn main() {
    let mut args = env::args().skip(1).map(|arg| arg.parse::<u64>());
    let (Ok(seconds), Ok(mut seed)) = (args.next().unwrap_or(Ok(10)), args.next().unwrap_or(Ok(1)))
    else {
        eprintln!("usage: stress_loops [SECONDS [SEED]]");
        process::exit(2);
    };
    thread::spawn(watch);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        for threads in [1, 2, 3, 8, 32] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            thread::scope(|s| {
                for outside in 0..3_u64 {
                    let pool = &pool;
                    s.spawn(move || {
                        for i in 0..20 {
                            let seed = mix(mix(seed, outside), i);
                            let danger = [0, 0, 30, 300][i as usize % 4];
                            pool.install(|| {
                                Program {
                                    seed,
                                    depth: DEPTH,
                                    danger,
                                }
                                .check(threads)
                            });
                        }
                    });
                }
            });
            seed += 1;
        }
    }
    println!("{} programs agree", EVALUATED.load(Relaxed));
}

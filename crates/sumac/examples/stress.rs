//! A stress program: random trees of joins with random panics, in both styles, from several
//! outside threads, on pools of 1 to 32 threads that come and go. Every tree is walked by a plain
//! recursive program as well: sums, payloads of panics and counts of drops must agree.
//!
//!     cargo run --release --example stress -- --joins 100000000 --threads 1,2,8,32 --seed 7
//!
//! Ends with a line of counts and status 0, or with what went wrong and status 1.

use std::{
    collections::BTreeMap,
    env,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    process,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use sumac::{Scope, Stats, ThreadPool, ThreadPoolBuilder};

const USAGE: &str =
    "usage: stress [--joins N] [--threads A,B,…] [--seed S] [--pools P] [--seconds T]";
const PATIENCE: Duration = Duration::from_secs(30);
const TREES_PER_PHASE: u64 = 64;
const LONGEST_LIST: u64 = 200;

static PROGRESS: AtomicU64 = AtomicU64::new(0);
static FAILED: AtomicBool = AtomicBool::new(false);
static MADE: AtomicU64 = AtomicU64::new(0);
static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Options {
    joins: u64,
    threads: Vec<usize>,
    seed: u64,
    pools: usize,
    limit: Option<Duration>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            joins: 1_000_000,
            threads: vec![1, 2, 4, 8, 32],
            seed: 1,
            pools: 2,
            limit: None,
        };
        while let Some(name) = args.next() {
            let value = args.next().ok_or(format!("{name} needs a value"))?;
            let number = || {
                value
                    .parse::<u64>()
                    .map_err(|e| format!("{name} {value}: {e}"))
            };
            match &*name {
                "--joins" => options.joins = number()?,
                "--seed" => options.seed = number()?,
                "--pools" => options.pools = number()?.clamp(1, 64) as usize,
                "--seconds" => options.limit = Some(Duration::from_secs(number()?)),
                "--threads" => {
                    let counts = value.split(',').map(|count| match count.parse() {
                        Ok(count @ 1..=256) => Ok(count),
                        _ => Err(format!("{name} {value}: numbers from 1 to 256, please")),
                    });
                    options.threads = counts.collect::<Result<_, _>>()?;
                }
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }
}

/// The whole behaviour of a node follows from such numbers.
fn mix(seed: u64, salt: u64) -> u64 {
    Rng::with_seed(Rng::with_seed(seed).u64(..) ^ salt).u64(..)
}

/// A tree with `joins` joins in it.
#[derive(Clone, Copy)]
struct Tree {
    seed: u64,
    joins: u64,
}

impl Tree {
    fn is_one_in(self, n: u64, salt: u64) -> bool {
        mix(self.seed, salt) % n == 0
    }

    fn panics(self) -> bool {
        self.is_one_in(10_000, 1)
    }

    fn catches(self) -> bool {
        self.is_one_in(400, 2)
    }

    fn halves(self) -> (Tree, Tree) {
        let (dice, rest) = (mix(self.seed, 3), self.joins - 1);
        let left = match dice % 8 {
            0 | 1 if rest <= LONGEST_LIST => rest * (dice % 2),
            2 => rest / 16,
            3 => rest - rest / 16,
            4 => (dice >> 8) % (rest / 2 + 1) + rest / 4,
            _ => rest / 2,
        };
        let half = |salt, joins| Tree {
            seed: mix(self.seed, salt),
            joins,
        };
        (half(4, left), half(5, rest - left))
    }
}

/// The sum of the leaves, or the payload of the leftmost panic that is not caught.
fn oracle(tree: Tree, joins: &mut u64) -> Result<u64, u64> {
    if tree.panics() {
        return Err(tree.seed);
    }
    if tree.joins == 0 {
        return Ok(tree.seed);
    }
    *joins += 1;
    let (left, right) = tree.halves();
    let both = oracle(left, joins).and_then(|l| Ok(l.wrapping_add(oracle(right, joins)?)));
    if tree.catches() {
        Ok(both.unwrap_or_else(|payload| payload / 3))
    } else {
        both
    }
}

struct Token;

impl Token {
    fn new() -> Token {
        MADE.fetch_add(1, Relaxed);
        Token
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

/// Walks `tree` with `scope.join`, or with `join` where there is no scope.
fn walk(scope: Option<&mut Scope<'_>>, tree: Tree, pools: &[ThreadPool]) -> u64 {
    if tree.panics() {
        resume_unwind(Box::new(tree.seed));
    }
    if tree.joins == 0 {
        if tree.is_one_in(5_000, 6) {
            let begin = Instant::now();
            let time = Duration::from_micros(mix(tree.seed, 7) % 30);
            while begin.elapsed() < time {
                std::hint::spin_loop();
            }
        }
        return tree.seed;
    }
    if tree.catches() {
        return match catch_unwind(AssertUnwindSafe(|| fork(scope, tree, pools))) {
            Ok(sum) => sum,
            Err(payload) => match payload.downcast::<u64>() {
                Ok(payload) => *payload / 3,
                Err(payload) => resume_unwind(payload),
            },
        };
    }
    fork(scope, tree, pools)
}

fn fork(scope: Option<&mut Scope<'_>>, tree: Tree, pools: &[ThreadPool]) -> u64 {
    let (left, right) = tree.halves();
    if tree.is_one_in(64, 8) {
        return unusual_fork(scope, tree, pools);
    }
    let (l, r) = match scope {
        Some(scope) => scope.join(
            |s| walk(Some(s), left, pools),
            |s| walk(Some(s), right, pools),
        ),
        None => sumac::join(|| walk(None, left, pools), || walk(None, right, pools)),
    };
    l.wrapping_add(r)
}

/// A fork that carries values to drop and changes the style, or the pool.
fn unusual_fork(scope: Option<&mut Scope<'_>>, tree: Tree, pools: &[ThreadPool]) -> u64 {
    let (left, right) = tree.halves();
    let (a, b) = (Token::new(), Token::new());
    let pool = &pools[(mix(tree.seed, 9) % pools.len() as u64) as usize];
    let ((l, _a), (r, _b)) = match (scope, mix(tree.seed, 10) % 16) {
        (_, 0) => pool.install(|| {
            sumac::join(
                || (walk(None, left, pools), a),
                || (walk(None, right, pools), b),
            )
        }),
        (_, 1) => pool.scope().join(
            |s| (walk(Some(s), left, pools), a),
            |s| (walk(Some(s), right, pools), b),
        ),
        (Some(scope), 2..9) => scope.join(
            |s| (walk(Some(s), left, pools), a),
            |_| (walk(None, right, pools), b),
        ),
        (Some(scope), _) => scope.join(
            |s| (walk(Some(s), left, pools), a),
            |s| (walk(Some(s), right, pools), b),
        ),
        (None, _) => sumac::join(
            || (walk(None, left, pools), a),
            || (walk(None, right, pools), b),
        ),
    };
    l.wrapping_add(r)
}

/// Walks one tree and compares; returns the joins in it and whether it panicked.
fn check(tree: Tree, pools: &[ThreadPool]) -> (u64, bool) {
    let pool = &pools[(mix(tree.seed, 11) % pools.len() as u64) as usize];
    let mut joins = 0;
    let expected = oracle(tree, &mut joins);
    let found = catch_unwind(AssertUnwindSafe(|| match tree.seed % 2 {
        0 => walk(Some(&mut pool.scope()), tree, pools),
        _ => pool.install(|| walk(None, tree, pools)),
    }))
    .map_err(|payload| payload.downcast::<u64>().map(|payload| *payload).ok());
    if found != expected.map_err(Some) {
        let Tree { seed, joins } = tree;
        let threads = pool.current_num_threads();
        eprintln!(
            "stress: tree {seed:#x} of {joins} joins, {threads} threads: {found:?}, not {expected:?}"
        );
        FAILED.store(true, Relaxed);
    }
    PROGRESS.fetch_add(1, Relaxed);
    (joins, expected.is_err())
}

fn watch() {
    let (mut seen, mut since) = (0, Instant::now());
    loop {
        thread::sleep(Duration::from_millis(500));
        let now = PROGRESS.load(Relaxed);
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() > PATIENCE {
            eprintln!("stress: hangs, no tree finished for {PATIENCE:?} after {seen} trees");
            process::abort();
        }
    }
}

#[derive(Default)]
struct Totals {
    joins: u64,
    panics: u64,
    trees: u64,
    by_threads: BTreeMap<usize, Stats>,
}

/// Makes pools, lets one to four outside threads walk trees on them, and drops the pools.
fn phase(options: &Options, number: u64, totals: &mut Totals) {
    let count = |i| options.threads[(number as usize + i) % options.threads.len()];
    let build = |i| ThreadPoolBuilder::new().num_threads(count(i)).build();
    let pools: Vec<_> = (0..options.pools)
        .map(|i| build(i).expect("a pool"))
        .collect();
    let callers = 1 + number % 4;
    let results: Vec<_> = thread::scope(|threads| {
        let pools = &pools;
        let walkers: Vec<_> = (0..callers)
            .map(|caller| {
                threads.spawn(move || {
                    let trees = (caller..TREES_PER_PHASE).step_by(callers as usize);
                    let results = trees.map(|i| {
                        let seed = mix(mix(options.seed, number), i);
                        // From a handful of joins to tens of thousands, in even proportions.
                        let joins = mix(seed, 12) % (4 << (mix(seed, 13) % 14));
                        check(Tree { seed, joins }, pools)
                    });
                    results.collect::<Vec<_>>()
                })
            })
            .collect();
        walkers
            .into_iter()
            .map(|walker| walker.join().expect("a walker"))
            .collect()
    });
    for (joins, panicked) in results.into_iter().flatten() {
        totals.joins += joins;
        totals.panics += u64::from(panicked);
        totals.trees += 1;
    }
    for (i, pool) in pools.iter().enumerate() {
        let (sum, new) = (totals.by_threads.entry(count(i)).or_default(), pool.stats());
        sum.ticks += new.ticks;
        sum.promotions += new.promotions;
        sum.steals += new.steals;
        sum.reclaims += new.reclaims;
    }
    drop(pools);
    let (made, dropped) = (MADE.load(Relaxed), DROPPED.load(Relaxed));
    if made != dropped {
        eprintln!("stress: phase {number}: {made} values made, {dropped} dropped");
        FAILED.store(true, Relaxed);
    }
}

fn main() {
    let options = Options::parse(env::args().skip(1)).unwrap_or_else(|error| {
        eprintln!("stress: {error}\n{USAGE}");
        process::exit(1);
    });
    thread::spawn(watch);
    let (begin, mut totals) = (Instant::now(), Totals::default());
    let in_time = || options.limit.is_none_or(|limit| begin.elapsed() < limit);
    for number in 0.. {
        if totals.joins >= options.joins || !in_time() || FAILED.load(Relaxed) {
            break;
        }
        phase(&options, number, &mut totals);
    }
    let failed = FAILED.load(Relaxed);
    let Totals {
        joins,
        panics,
        trees,
        by_threads,
    } = totals;
    print!("stress: {}: ", if failed { "FAILED" } else { "ok" });
    print!(
        "{joins} joins in {trees} trees, {panics} panics, {} drops, ",
        DROPPED.load(Relaxed)
    );
    print!(
        "{:.1} s; ticks/promotions/steals/reclaims",
        begin.elapsed().as_secs_f64()
    );
    for (threads, stats) in &by_threads {
        let Stats {
            ticks,
            promotions,
            steals,
            reclaims,
            ..
        } = stats;
        print!("; {threads} threads: {ticks}/{promotions}/{steals}/{reclaims}");
    }
    println!();
    process::exit(i32::from(failed));
}

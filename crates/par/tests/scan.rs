//! Scans: the same as sequential ones, for operations that are associative and no more.

use proptest::prelude::*;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};
use sumac_core::ThreadPool;
use sumac_par::prelude::*;
use sumac_test_support::{pool, spin};

/// x ↦ ax + b: composition does not commute. No `Clone`, and on the heap, so that Miri would see
/// one that is lost.
#[derive(Debug, PartialEq)]
struct Affine(Box<(u64, u64)>);

impl Affine {
    fn new(i: u64) -> Self {
        Affine(Box::new((2 * i + 3, i * i)))
    }

    fn then(&self, next: &Affine) -> Affine {
        let ((a, b), (c, d)) = (*self.0, *next.0);
        let scale = a.wrapping_mul(c);
        Affine(Box::new((scale, b.wrapping_mul(c).wrapping_add(d))))
    }
}

fn inclusive(len: u64) -> Vec<Affine> {
    let mut all: Vec<Affine> = Vec::new();
    for i in 0..len {
        let next = Affine::new(i);
        all.push(match all.last() {
            Some(last) => last.then(&next),
            None => next,
        });
    }
    all
}

fn check(pool: &ThreadPool, len: u64) {
    let mut v: Vec<Affine> = (0..len).map(Affine::new).collect();
    pool.install(|| v.par_inclusive_scan(Affine::then));
    let expected = inclusive(len);
    assert!(v == expected);

    let mut v: Vec<Affine> = (0..len).map(Affine::new).collect();
    let total = pool.install(|| v.par_exclusive_scan(Affine::new(99), Affine::then));
    let first = Affine::new(99);
    if let Some(last) = expected.last() {
        assert_eq!(total, first.then(last));
        assert_eq!(v[0], first);
        let rest = v[1..].iter().zip(&expected);
        rest.for_each(|(is, all)| assert_eq!(*is, first.then(all)));
    } else {
        assert_eq!(total, first);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn as_sequential_ones(len in 0..30_000_u64) {
        for threads in [1, 2, 5] {
            check(&pool(threads), len);
        }
    }
}

#[test]
fn short_and_long() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for len in [0, 1, 2, 3, 100, 300_000] {
            check(&pool, len);
        }
    }
}

#[test]
fn of_iterators() {
    let squares = (0..10_000_u32).into_par_iter().map(|i| u64::from(i) * 2);
    let sums = squares.inclusive_scan(|a, b| a + b);
    assert!(sums.iter().zip(0..).all(|(&sum, i)| sum == i * (i + 1)));
    let starts = (0..10_000_u32)
        .into_par_iter()
        .exclusive_scan(5, |a, b| a + b);
    assert!(
        starts
            .iter()
            .zip(0..)
            .all(|(&sum, i)| sum == 5 + i * (i.max(1) - 1) / 2)
    );
    assert_eq!((0..0_u32).into_par_iter().inclusive_scan(|a, b| a + b), []);
}

#[test]
fn of_no_size() {
    let mut v = [(); 100_000];
    let calls = AtomicUsize::new(0);
    v.par_inclusive_scan(|(), ()| {
        calls.fetch_add(1, Relaxed);
    });
    assert!(calls.into_inner() >= 99_999);
}

#[test]
fn slow_operations_are_shared() {
    for threads in [2, 5] {
        let (pool, start) = (pool(threads), Instant::now());
        // The first time, unless the machine is busy.
        while pool.stats().steals == 0 {
            assert!(start.elapsed() < Duration::from_secs(60), "no thread helps");
            let mut v = vec![1_u64; 2000];
            let calls = AtomicUsize::new(0);
            pool.install(|| {
                v.par_inclusive_scan(|a, b| {
                    calls.fetch_add(1, Relaxed);
                    spin(Duration::from_micros(10));
                    a + b
                });
            });
            assert!(v.into_iter().eq(1..=2000));
            let calls = calls.into_inner();
            assert!((1999..=2 * 2000).contains(&calls), "{calls}");
        }
    }
}

struct Counted<'c> {
    value: usize,
    live: &'c AtomicUsize,
}

impl<'c> Counted<'c> {
    fn new(value: usize, live: &'c AtomicUsize) -> Self {
        live.fetch_add(1, Relaxed);
        Counted { value, live }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Relaxed);
    }
}

/// Whichever thread panics, all others end, and nothing is lost.
#[test]
fn panics_end_it() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for slow in [false, true] {
            let len = if slow { 1000 } else { 50_000 };
            for limit in [0, 1, len / 3, len / 2, len - 2] {
                let live = AtomicUsize::new(0);
                let calls = AtomicUsize::new(0);
                let mut v: Vec<_> = (0..len).map(|_| Counted::new(1, &live)).collect();
                let op = |a: &Counted<'_>, b: &Counted<'_>| {
                    assert!(calls.fetch_add(1, Relaxed) != limit, "as planned");
                    if slow {
                        spin(Duration::from_micros(5));
                    }
                    Counted::new(a.value + b.value, &live)
                };
                let result = catch_unwind(AssertUnwindSafe(|| {
                    pool.install(|| {
                        if limit % 2 == 0 {
                            v.par_inclusive_scan(op);
                        } else {
                            v.par_exclusive_scan(Counted::new(0, &live), op);
                        }
                    });
                }));
                let payload = result.unwrap_err();
                assert_eq!(payload.downcast_ref(), Some(&"as planned"));
                assert_eq!(live.load(Relaxed), len);
                drop(v);
                assert_eq!(live.load(Relaxed), 0);
            }
        }
    }
}

/// Loops and joins inside `op` do not get in each other's way with waiting for the chunk before.
#[test]
fn operations_may_fork() {
    let pool = pool(5);
    let mut v: Vec<Vec<u64>> = (0..500).map(|i| vec![i; 64]).collect();
    pool.install(|| {
        v.par_inclusive_scan(|a, b| {
            let sums = a.par_iter().zip(b.as_slice()).map(|(a, b)| {
                spin(Duration::from_nanos(200));
                a + b
            });
            sums.collect()
        });
    });
    assert_eq!(v[499], vec![499 * 500 / 2; 64]);
}

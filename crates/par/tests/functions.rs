//! Loops as plain functions, on pools, and on scopes.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};
use sumac_core::{Scope, ThreadPool};
use sumac_par::{functions, prelude::*};
use sumac_test_support::{pool, spin};

/// Runs `f` until another thread has taken a part; the first time, unless the machine is busy.
fn until_shared(pool: &ThreadPool, mut f: impl FnMut()) {
    let (before, start) = (pool.stats().steals, Instant::now());
    while pool.stats().steals == before {
        assert!(start.elapsed() < Duration::from_secs(60), "no thread helps");
        f();
    }
}

fn zeros(len: usize) -> Vec<AtomicUsize> {
    (0..len).map(|_| AtomicUsize::new(0)).collect()
}

fn all_are_one(counts: &[AtomicUsize]) -> bool {
    counts.iter().all(|count| count.load(Relaxed) == 1)
}

const LENGTHS: [usize; 6] = [0, 1, 2, 3, 101, 20_000];

#[test]
fn each_index_once() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for len in LENGTHS {
            let counts = zeros(len);
            pool.for_each(0..len, |i| {
                counts[i].fetch_add(1, Relaxed);
            });
            assert!(all_are_one(&counts));
            let counts = zeros(len);
            pool.scope().for_each(0..len, |_, i| {
                counts[i].fetch_add(1, Relaxed);
            });
            assert!(all_are_one(&counts));
        }
    }
    let sum = AtomicUsize::new(0);
    functions::for_each(10..20, |i| {
        sum.fetch_add(i, Relaxed);
    });
    assert_eq!(sum.into_inner(), 145);
    #[allow(clippy::reversed_empty_ranges)]
    functions::for_each(20..10, |_| unreachable!());
}

#[test]
fn reductions_are_in_order() {
    let concat = |a: String, b: String| a + &b;
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for len in LENGTHS {
            let expected: String = (0..len).map(|i| format!("{i},")).collect();
            let start = String::new;
            let text = pool.map_reduce(0..len, start(), |i| format!("{i},"), concat);
            assert_eq!(text, expected);
            let mut scope = pool.scope();
            let text = scope.map_reduce(0..len, start(), |_, i| format!("{i},"), concat);
            assert_eq!(text, expected);
        }
    }
    let begun = functions::map_reduce(1..3, "0".to_owned(), |i| i.to_string(), concat);
    assert_eq!(begun, "012");
}

#[test]
fn slow_bodies_are_shared_and_in_order() {
    let pool = pool(2);
    let concat = |a: String, b: String| a + &b;
    let expected: String = (0..500).map(|i| format!("{i},")).collect();
    let slow = |i: usize| {
        spin(Duration::from_micros(20));
        format!("{i},")
    };
    until_shared(&pool, || {
        let text = pool.map_reduce(0..500, String::new(), slow, concat);
        assert_eq!(text, expected);
    });
    let mut scope = pool.scope();
    until_shared(&pool, || {
        let text = scope.map_reduce(0..500, String::new(), |_, i| slow(i), concat);
        assert_eq!(text, expected);
    });
}

#[test]
fn scans() {
    let pool = pool(2);
    let mut v: Vec<u64> = vec![1; 10_000];
    pool.scan(&mut v, |a, b| a + b);
    assert!(v.iter().copied().eq(1..=10_000));
}

#[test]
fn searches_stop() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        assert_eq!(
            pool.find_any(0..1000, |i| (i == 777).then_some(i)),
            Some(777)
        );
        assert_eq!(pool.find_any(0..1000, |_| None::<()>), None);
        let mut scope = pool.scope();
        let found = scope.find_any(0..1000, |_, i| (i == 777).then_some(i));
        assert_eq!(found, Some(777));
        assert_eq!(scope.find_any(0..1000, |_, _| None::<()>), None);

        // Many seconds' work, even if the thread that finds it loses its processor.
        const MANY: usize = 4_000_000;
        let calls = AtomicUsize::new(0);
        let find = |i: usize| {
            calls.fetch_add(1, Relaxed);
            spin(Duration::from_micros(2));
            (i == 50).then_some(i)
        };
        let found = pool.find_any(0..MANY, find);
        assert_eq!(found, Some(50));
        let found = scope.find_any(0..MANY, |_, i| find(i));
        assert_eq!(found, Some(50));
        assert!(calls.into_inner() < MANY / 2);
    }
}

/// Also the last index is given away while the one before it is busy.
#[test]
fn two_indices_are_enough() {
    let pool = pool(2);
    let met = AtomicUsize::new(0);
    let start = Instant::now();
    pool.scope().for_each(0..2, |scope, _| {
        met.fetch_add(1, Relaxed);
        while met.load(Relaxed) < 2 && start.elapsed() < Duration::from_secs(60) {
            scope.join(|_| (), |_| ());
        }
        assert_eq!(met.load(Relaxed), 2, "no thread has come");
    });
}

/// Joins and loops inside the body go on with its scope.
#[test]
fn scopes_go_on() {
    fn fib(n: u64, scope: &mut Scope<'_>) -> u64 {
        if n < 2 {
            return n;
        }
        let (a, b) = scope.join(|s| fib(n - 1, s), |s| fib(n - 2, s));
        a + b
    }
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        let mut scope = pool.scope();
        let total = scope.map_reduce(
            0..20,
            0,
            |scope, i| {
                let row = scope.map_reduce(0..10, 0, |scope, j| fib(j as u64, scope), |a, b| a + b);
                row + fib(i as u64, scope)
            },
            |a, b| a + b,
        );
        assert_eq!(total, 20 * 88 + 10_945);
    }
}

#[test]
fn panics_come_back() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for at in [0, 1, 50, 199] {
            let body = |i: usize| {
                spin(Duration::from_micros(5));
                if i == at {
                    std::panic::panic_any(i);
                }
            };
            let on_pool = || pool.for_each(0..200, body);
            let on_scope = || pool.scope().for_each(0..200, |_, i| body(i));
            for result in [
                catch_unwind(AssertUnwindSafe(on_pool)),
                catch_unwind(AssertUnwindSafe(on_scope)),
            ] {
                assert_eq!(result.unwrap_err().downcast_ref(), Some(&at));
            }
        }
    }
}

/// What has been made when another thread panics is dropped.
#[test]
fn panics_lose_nothing() {
    struct Live<'c>(&'c AtomicUsize);
    impl Drop for Live<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Relaxed);
        }
    }
    let pool = pool(2);
    let live = AtomicUsize::new(0);
    let make = |i: usize| {
        spin(Duration::from_micros(5));
        assert!(i != 150, "as planned");
        live.fetch_add(1, Relaxed);
        Live(&live)
    };
    live.fetch_add(2, Relaxed);
    let on_pool = || drop(pool.map_reduce(0..300, Live(&live), make, |a, _| a));
    assert!(catch_unwind(AssertUnwindSafe(on_pool)).is_err());
    let mut scope = pool.scope();
    let on_scope = || drop(scope.map_reduce(0..300, Live(&live), |_, i| make(i), |a, _| a));
    assert!(catch_unwind(AssertUnwindSafe(on_scope)).is_err());
    assert_eq!(live.load(Relaxed), 0);
}

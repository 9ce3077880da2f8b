//! Sorting: the same as std's, and no element is lost or there twice, whatever the comparison does.

use fastrand::Rng;
use std::{
    cell::Cell,
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};
use sumac_core::ThreadPool;
use sumac_par::prelude::*;
use sumac_test_support::pool;

/// How many elements hostile comparisons are given: enough for every way a sort goes, and about so
/// many comparisons.
const LEN: usize = if cfg!(debug_assertions) {
    10_000
} else {
    40_000
};
const COMPARISONS: usize = LEN * LEN.ilog2() as usize;

/// Inputs of this length, of all kinds.
fn inputs(len: usize) -> Vec<(&'static str, Vec<u64>)> {
    let mut random = Rng::with_seed(len as u64 + 77);
    let n = len as u64;
    let mut swapped: Vec<u64> = (0..n).collect();
    let mut inserted = swapped.clone();
    for _ in 0..len / 100 {
        let (i, j) = (random.usize(..len), random.usize(..len));
        swapped.swap(i, j);
        inserted[i] = random.u64(..n);
    }
    vec![
        ("random", (0..n).map(|_| random.u64(..)).collect()),
        ("few", (0..n).map(|_| random.u64(..16)).collect()),
        ("two", (0..n).map(|_| random.u64(..2)).collect()),
        ("equal", vec![7; len]),
        ("sorted", (0..n).collect()),
        ("reversed", (0..n).rev().collect()),
        (
            "reversed, twice each",
            (0..n).rev().map(|i| i / 2).collect(),
        ),
        ("swapped", swapped),
        ("inserted", inserted),
        ("organ", (0..n).map(|i| i.min(n - i)).collect()),
        ("two runs", (0..n).map(|i| (i * 2) % n.max(1)).collect()),
        ("saw", (0..n).map(|i| i % 1000).collect()),
        (
            "one too many",
            (0..n).map(|i| if i == n - 1 { 0 } else { i }).collect(),
        ),
    ]
}

#[test]
fn all_kinds_of_input_at_all_lengths() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for len in [0, 1, 2, 3, 100, 4097, LEN + 1, LEN * 15 / 4] {
            for (name, v) in inputs(len) {
                let mut sorted = v.clone();
                sorted.sort_unstable();
                let mut unstable = v.clone();
                pool.install(|| unstable.par_sort_unstable());
                assert!(unstable == sorted, "{name}, {len}");
                // Order among equals shows in the index.
                let mut stable: Vec<(u64, usize)> = v.iter().copied().zip(0..).collect();
                let mut expected = stable.clone();
                expected.sort_by_key(|pair| pair.0);
                pool.install(|| stable.par_sort_by_key(|pair| pair.0));
                assert!(stable == expected, "{name}, {len}, stable");
            }
        }
    }
}

#[test]
fn all_methods() {
    let pool = pool(2);
    let mut random = Rng::with_seed(5);
    let v: Vec<(u64, usize)> = (0..70_000).map(|i| (random.u64(..5000), i)).collect();
    let mut expected = v.clone();
    expected.sort_by_key(|pair| pair.0);
    let mut backwards = v.clone();
    backwards.sort_by_key(|pair| std::cmp::Reverse(pair.0));
    let same_keys = |a: &[(u64, usize)]| a.iter().map(|p| p.0).eq(expected.iter().map(|p| p.0));
    pool.install(|| {
        let mut a = v.clone();
        a.par_sort();
        assert!(a == expected);
        a.clone_from(&v);
        a.par_sort_by(|a, b| b.0.cmp(&a.0));
        assert!(a == backwards);
        a.clone_from(&v);
        a.par_sort_by_cached_key(|pair| pair.0.to_string().len());
        assert!(a.is_sorted_by_key(|pair| (pair.0.to_string().len(), pair.1)));
        a.clone_from(&v);
        a.par_sort_unstable();
        assert!(a == expected);
        a.clone_from(&v);
        a.par_sort_unstable_by(|a, b| b.cmp(a));
        assert!(a.iter().rev().eq(&expected));
        a.clone_from(&v);
        a.par_sort_unstable_by_key(|pair| pair.0);
        assert!(same_keys(&a));
    });
    // Already now, unless the machine is busy.
    let start = Instant::now();
    while pool.stats().steals == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "no thread helps");
        pool.install(|| v.clone().par_sort());
    }
}

#[test]
fn cached_keys_are_made_once() {
    let calls = AtomicUsize::new(0);
    let mut v: Vec<u64> = (0..10_000).map(|i| i * 7919 % 10_000).collect();
    v.par_sort_by_cached_key(|x| {
        calls.fetch_add(1, Relaxed);
        *x
    });
    assert!(v.is_sorted());
    assert_eq!(calls.into_inner(), 10_000);
}

#[test]
fn strings() {
    let mut random = Rng::with_seed(3);
    let v: Vec<String> = (0..50_000)
        .map(|_| format!("{:x}", random.u64(..100_000)))
        .collect();
    let mut expected = v.clone();
    expected.sort();
    let pool = pool(2);
    let mut a = v.clone();
    pool.install(|| a.par_sort());
    assert!(a == expected);
    let mut b = v;
    pool.install(|| b.par_sort_unstable());
    assert!(b == expected);
}

#[test]
fn nothing_of_no_size() {
    let mut v = [(); 100_000];
    v.par_sort();
    v.par_sort_unstable();
    v.par_sort_by(|(), ()| Ordering::Less);
    v.par_sort_by_cached_key(|()| 0);
    assert_eq!(v.len(), 100_000);
}

/// Counts how often each of its kind is dropped.
struct Counted<'c> {
    id: usize,
    key: u64,
    drops: &'c [AtomicUsize],
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.drops[self.id].fetch_add(1, Relaxed);
    }
}

/// Sorts with a strange comparison, which may panic. Each element must be there afterwards, and
/// must be dropped once.
fn each_survives(
    pool: &ThreadPool,
    keys: &[u64],
    stable: bool,
    compare: impl Fn(&Counted<'_>, &Counted<'_>) -> Ordering + Sync,
) -> bool {
    let drops: Vec<AtomicUsize> = keys.iter().map(|_| AtomicUsize::new(0)).collect();
    let mut v: Vec<Counted<'_>> = keys
        .iter()
        .enumerate()
        .map(|(id, &key)| Counted {
            id,
            key,
            drops: &drops,
        })
        .collect();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| {
            if stable {
                v.par_sort_by(&compare);
            } else {
                v.par_sort_unstable_by(&compare);
            }
        });
    }))
    .is_err();
    let mut ids: Vec<usize> = v.iter().map(|element| element.id).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..keys.len()), "an element is lost");
    drop(v);
    assert!(drops.iter().all(|count| count.load(Relaxed) == 1));
    panicked
}

#[test]
fn panics_lose_nothing() {
    let mut panics = 0;
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        for (_, keys) in inputs(LEN) {
            for stable in [false, true] {
                for limit in [10, COMPARISONS / 12, COMPARISONS / 2, COMPARISONS * 14 / 15] {
                    let calls = AtomicUsize::new(0);
                    panics += usize::from(each_survives(&pool, &keys, stable, |a, b| {
                        assert!(calls.fetch_add(1, Relaxed) != limit, "as planned");
                        a.key.cmp(&b.key)
                    }));
                }
            }
        }
    }
    assert!(panics > 100, "{panics}");
}

#[test]
fn nonsense_loses_nothing() {
    let pool = pool(2);
    for seed in 0..4 {
        for (_, keys) in inputs(LEN) {
            for stable in [false, true] {
                let state = AtomicU64::new(seed);
                let share = 2 + seed % 5;
                each_survives(&pool, &keys, stable, |a, b| {
                    let call = state.fetch_add(1, Relaxed);
                    if Rng::with_seed(call).u64(..share) == 0 {
                        b.key.cmp(&a.key)
                    } else {
                        a.key.cmp(&b.key)
                    }
                });
            }
        }
    }
}

/// What a comparison does to an element must not be forgotten: it is done to the element, not to a
/// copy.
#[test]
fn comparisons_may_change_elements() {
    for threads in [1, 2] {
        let pool = pool(threads);
        for (name, keys) in inputs(LEN) {
            for stable in [false, true] {
                for limit in [
                    COMPARISONS / 20,
                    COMPARISONS * 5 / 6,
                    COMPARISONS * 14 / 15,
                    usize::MAX,
                ] {
                    let mut v: Vec<(u64, Cell<u64>)> =
                        keys.iter().map(|&key| (key, Cell::new(0))).collect();
                    let calls = AtomicUsize::new(0);
                    let compare = |a: &(u64, Cell<u64>), b: &(u64, Cell<u64>)| {
                        a.1.set(a.1.get() + 1);
                        b.1.set(b.1.get() + 1);
                        assert!(calls.fetch_add(1, Relaxed) != limit, "as planned");
                        a.0.cmp(&b.0)
                    };
                    let _ = catch_unwind(AssertUnwindSafe(|| {
                        pool.install(|| {
                            if stable {
                                v.par_sort_by(compare);
                            } else {
                                v.par_sort_unstable_by(compare);
                            }
                        });
                    }));
                    let seen = v.iter().map(|element| element.1.get()).sum::<u64>();
                    assert_eq!(
                        seen,
                        2 * calls.into_inner() as u64,
                        "{name}, stable: {stable}"
                    );
                }
            }
        }
    }
}

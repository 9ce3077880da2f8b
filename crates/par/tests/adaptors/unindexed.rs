//! Adaptors that do not keep positions, and those on top of such.

use super::{LENGTHS, alone, check, spin};
use proptest::prelude::*;
use std::{
    collections::HashSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};
use sumac_par::prelude::*;
use sumac_test_support::{on_pools, pool};

#[test]
fn some_and_many() {
    for len in LENGTHS {
        let v = Vec::from_iter(0..len);
        let third = |n: usize| (n % 3 == 0).then_some(n / 3);
        let thirds = Vec::from_iter(v.iter().copied().filter_map(third));
        check(|| v.par_iter().copied().filter_map(third), &thirds);
        let rows = |n: usize| Vec::from_iter((0..n % 5).map(|i| (n, i)));
        let all = Vec::from_iter(v.iter().copied().flat_map(rows));
        let inner = |n: usize| (0..n % 5).into_par_iter().map(move |i| (n, i));
        check(|| v.par_iter().copied().flat_map(inner), &all);
        check(|| v.par_iter().copied().flat_map_iter(rows), &all);
        let nested = Vec::from_iter(v.iter().copied().map(rows));
        check(|| nested.par_iter().flatten().copied(), &all);
        check(|| nested.par_iter().flatten_iter().copied(), &all);
        check(
            || {
                nested
                    .par_iter()
                    .map(Some)
                    .while_some()
                    .flatten_iter()
                    .copied()
            },
            &all,
        );
    }
}

#[test]
fn long_rows() {
    let expected = Vec::from_iter((0..20_usize).flat_map(|n| (0..n * 3).map(move |i| (n, i))));
    let rows = || {
        (0..20_usize)
            .into_par_iter()
            .flat_map(|n| (0..n * 3).into_par_iter().map(move |i| (n, i)))
    };
    check(rows, &expected);
    let twice = || (0..2_usize).into_par_iter().flat_map(|_| rows());
    check(twice, &[&expected[..], &expected].concat());
    let again = || rows().chain(rows().chain(rows().filter(|_| true)));
    check(again, &[&expected[..], &expected, &expected].concat());
}

/// Rows of few items are part of the run that they belong to, once it is known that they take no
/// time; their adaptors and states are as ever.
#[test]
fn short_rows() {
    let count = if cfg!(miri) { 200 } else { 20_000 };
    let row = |n: usize| (n..n + n % 4).filter(|i| i % 3 != 0).map(|i| 2 * i);
    let expected = Vec::from_iter((0..count).flat_map(row));
    let runs = AtomicUsize::new(0);
    on_pools(|| {
        let rows = || {
            (0..count).into_par_iter().flat_map(|n| {
                let row = (n..n + n % 4).into_par_iter().filter(|i| i % 3 != 0);
                row.map_init(|| 2, |twice, i| *twice * i)
            })
        };
        assert_eq!(rows().collect::<Vec<_>>(), expected);
        assert_eq!(rows().sum::<usize>(), expected.iter().sum());
        let late = expected[expected.len() - 7];
        assert_eq!(rows().find_first(|n| *n >= late), Some(late));
        assert_eq!(rows().find_last(|n| *n <= late), Some(late));
        let vecs = (0..count)
            .into_par_iter()
            .map(|n| vec![n.to_string(); n % 3]);
        let strings = vecs.flatten().map(|string| string.len()).sum::<usize>();
        assert_eq!(
            strings,
            (0..count).map(|n| n.to_string().len() * (n % 3)).sum()
        );

        runs.store(0, Ordering::Relaxed);
        let begin = || runs.fetch_add(1, Ordering::Relaxed);
        rows().fold(begin, |run, _| run).for_each(drop);
        // Rows that are loops are at least a run each.
        let runs = runs.load(Ordering::Relaxed);
        assert!(
            cfg!(miri) || runs < count / 2,
            "{runs} runs of {count} rows"
        );
    });
}

/// A long row after many short ones is a loop, of which another thread gets a part.
#[test]
fn a_long_row_behind_short_ones() {
    let (short, long) = if cfg!(miri) {
        (50, 100)
    } else {
        (20_000, 100_000)
    };
    pool(2).install(|| {
        let seen = Mutex::new(HashSet::new());
        let rows = (0..short + 1).into_par_iter().with_min_len(short + 1);
        let items = rows.flat_map(|n| {
            let len = if n == short { long } else { n % 3 };
            (0..len).into_par_iter().map(move |i| (n, i))
        });
        let both = || seen.lock().unwrap().len() == 2;
        items.for_each(|(n, _)| {
            if n == short && !both() {
                spin();
                seen.lock().unwrap().insert(thread::current().id());
            }
        });
        assert!(both(), "all on one thread");
    });
}

#[test]
fn chains_of_both_kinds() {
    let exact = |from: usize| (from..from + 100).into_par_iter();
    let inexact = |from: usize| exact(from).filter(|_| true);
    let expected = Vec::from_iter((0..100).chain(200..300).chain(400..500));
    check(|| exact(0).chain(exact(200)).chain(exact(400)), &expected);
    check(|| exact(0).chain(inexact(200)).chain(exact(400)), &expected);
    check(|| inexact(0).chain(exact(200)).chain(exact(400)), &expected);
    check(|| exact(0).chain(exact(200).chain(inexact(400))), &expected);
    check(|| exact(0).chain(exact(200).chain(exact(400))), &expected);
}

/// Runs are folded from left to right, and come in order; there is at least one.
#[test]
fn folds() {
    for len in LENGTHS {
        let expected = Vec::from_iter(0..len);
        let list = |mut list: Vec<usize>, n| {
            list.push(n);
            spin();
            list
        };
        on_pools(|| {
            let numbers = || (0..len).into_par_iter();
            let check = |runs: Vec<Vec<usize>>| {
                assert!(!runs.is_empty());
                assert_eq!(runs.concat(), expected);
            };
            check(numbers().fold(Vec::new, list).collect());
            check(numbers().fold_with(Vec::new(), list).collect());
            let list = |l, n| Some(list(l, n));
            check(numbers().try_fold(Vec::new, list).while_some().collect());
            check(
                numbers()
                    .try_fold_with(Vec::new(), list)
                    .while_some()
                    .collect(),
            );
            let list = |l, n| list(l, n).ok_or("no");
            let results = numbers().try_fold(Vec::new, list);
            check(results.map(Result::unwrap).collect());
        });
    }
}

#[test]
fn a_failed_fold_does_not_go_on() {
    let calls = AtomicUsize::new(0);
    on_pools(|| {
        calls.store(0, Ordering::Relaxed);
        let results = (0..10_000_usize).into_par_iter().try_fold(
            || 0,
            |sum, n| {
                calls.fetch_add(1, Ordering::Relaxed);
                spin();
                if n < 100 { Ok(sum + n) } else { Err(n) }
            },
        );
        let results = results.collect::<Vec<Result<usize, usize>>>();
        let failures = results.iter().filter(|result| result.is_err()).count();
        assert!(failures > 0);
        // Each failure is the end of its run, and nothing else was folded.
        assert!(calls.load(Ordering::Relaxed) <= 100 + failures);
    });
}

/// A state is made for each run: about as often as work changes hands, not for each block, and not
/// for each item.
#[test]
fn states_are_made_once_per_run() {
    let len = 3000;
    for pool in [1, 2, 5].map(pool) {
        let steals = || pool.stats().steals as usize;
        let before = steals();
        let (states, direct) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let numbers = || (0..len).into_par_iter();
        let begin = |counter: &AtomicUsize| {
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let slowly = |(): &mut (), n: usize| {
            spin();
            n
        };
        let runs = AtomicUsize::new(0);
        let slow = numbers().map_init(|| begin(&states), slowly).zip(numbers());
        let pairs = slow.map_init(|| begin(&runs), |(), pair| pair);
        let pairs = pool.install(|| pairs.collect::<Vec<_>>());
        assert!(pairs.iter().all(|(a, b)| a == b));
        assert_eq!(states.load(Ordering::Relaxed), runs.load(Ordering::Relaxed));
        // A thread that takes a part begins a run, and one that goes on behind it with a part that
        // no thread took.
        let (runs, most) = (runs.into_inner(), 1 + 2 * (steals() - before));
        assert!((1..=most).contains(&runs), "{runs} runs, not {most}");
        let folds = AtomicUsize::new(0);
        let sums = numbers()
            .map_init(|| begin(&direct), slowly)
            .fold(|| begin(&folds), |(), _| ());
        let folded = pool.install(|| sums.collect::<Vec<_>>()).len();
        assert_eq!(direct.into_inner(), folded);
        assert_eq!(folds.into_inner(), folded);
    }
    // On one thread there is one run.
    let states = AtomicUsize::new(0);
    alone(|| {
        let init = || states.fetch_add(1, Ordering::Relaxed);
        (0..len)
            .into_par_iter()
            .map_init(init, |_, _| ())
            .for_each(drop);
    });
    assert_eq!(states.into_inner(), 1);
}

/// What `map_with` is given need not be `Sync`, what `map_init` makes not even `Send`; clones are
/// as few as runs.
#[test]
fn states_of_all_kinds() {
    use std::{cell::Cell, rc::Rc};
    static CLONES: AtomicUsize = AtomicUsize::new(0);
    struct State(Cell<usize>);
    impl Clone for State {
        fn clone(&self) -> Self {
            CLONES.fetch_add(1, Ordering::Relaxed);
            State(self.0.clone())
        }
    }
    let count = |state: &mut State, _: usize| {
        state.0.set(state.0.get() + 1);
        1
    };
    let numbers = || (0..1000_usize).into_par_iter();
    alone(|| {
        let state = State(Cell::new(0));
        assert_eq!(
            numbers().map_with(state.clone(), count).sum::<usize>(),
            1000
        );
        let zipped = numbers().map_with(state, count).enumerate();
        assert_eq!(zipped.map(|(_, one)| one).sum::<usize>(), 1000);
        assert!(CLONES.load(Ordering::Relaxed) <= 3);
    });
    on_pools(|| {
        let made = AtomicUsize::new(0);
        let init = || {
            made.fetch_add(1, Ordering::Relaxed);
            Rc::new(Cell::new(0))
        };
        let shared = numbers().map_init(init, |cell, _| cell.replace(1));
        // Each state has seen one item first, or none: a run may get nothing.
        let sum = shared.sum::<usize>();
        assert!((1000 - made.into_inner()..1000).contains(&sum));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn towers(len in 0..20_000_usize, a in 1..50_usize, b in 1..50_usize) {
        let row = |n: usize| (0..n % a).filter(move |i| i % b == 0);
        let expected = (0..len).filter(|n| n % b != 1).flat_map(row).collect::<Vec<_>>();
        on_pools(|| {
            let filtered = || (0..len).into_par_iter().filter(|n| n % b != 1);
            assert_eq!(filtered().flat_map_iter(row).collect::<Vec<_>>(), expected);
            let row = |n: usize| (0..n % a).into_par_iter().filter(move |i| i % b == 0);
            assert_eq!(filtered().flat_map(row).collect::<Vec<_>>(), expected);
            let spaced = filtered().map(Some).intersperse(None).collect::<Vec<_>>();
            assert!(spaced.iter().step_by(2).all(Option::is_some));
            assert!(spaced.iter().skip(1).step_by(2).all(Option::is_none));
            assert_eq!(spaced.len(), (2 * filtered().map(|_| 1).sum::<usize>()).saturating_sub(1));
        });
    }
}

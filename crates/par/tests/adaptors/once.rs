//! Each item is passed on or dropped, once, whatever panics.

use super::{on_pools, spin};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Mutex,
        atomic::{AtomicIsize, AtomicUsize, Ordering},
    },
};
use sumac_par::prelude::*;

const LEN: usize = 300;

/// Counts itself.
#[derive(Debug)]
struct Counted<'c>(&'c AtomicIsize);

impl<'c> Counted<'c> {
    fn new(alive: &'c AtomicIsize) -> Self {
        alive.fetch_add(1, Ordering::Relaxed);
        Counted(alive)
    }
}

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        Counted::new(self.0)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let before = self.0.fetch_sub(1, Ordering::Relaxed);
        assert!(before > 0, "dropped twice");
    }
}

/// All counts, so that they are not taken for leaks.
static KEPT: Mutex<Vec<&AtomicIsize>> = Mutex::new(Vec::new());

/// Runs `run` with a source of counted items, once for each of some items as the one that panics,
/// and once without panic.
fn check<O>(run: impl Fn(&(dyn Fn(usize) -> Counted<'static> + Sync)) -> O + Sync + Send) {
    on_pools(|| {
        for fatal in [0, 1, 150, LEN - 1, usize::MAX] {
            let alive: &'static AtomicIsize = Box::leak(Box::default());
            KEPT.lock().expect("no poison").push(alive);
            let made = AtomicUsize::new(0);
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                drop(run(&|n| {
                    spin();
                    assert!(n != fatal, "fatal");
                    made.fetch_add(1, Ordering::Relaxed);
                    Counted::new(alive)
                }));
            }));
            assert_eq!(outcome.is_err(), fatal != usize::MAX);
            assert_eq!(alive.load(Ordering::Relaxed), 0);
            assert!(outcome.is_err() || made.into_inner() == LEN);
        }
    });
}

fn numbers() -> impl IndexedParallelIterator<Item = usize> {
    (0..LEN).into_par_iter()
}

#[test]
fn collected() {
    check(|make| numbers().map(make).collect::<Vec<_>>());
    check(|make| numbers().map(make).rev().enumerate().collect::<Vec<_>>());
    check(|make| numbers().map(make).chunks(7).collect::<Vec<_>>());
    check(|make| numbers().map(make).chunks(7).rev().collect::<Vec<_>>());
    check(|make| numbers().map(make).filter(|_| true).collect::<Vec<_>>());
    check(|make| numbers().map(make).panic_fuse().collect::<Vec<_>>());
    check(|make| {
        numbers()
            .map(make)
            .chain(numbers().take(0).map(make))
            .collect::<Vec<_>>()
    });
    check(|make| {
        let rows = numbers().flat_map(|n| [n].into_par_iter().map(make));
        rows.collect::<Vec<_>>()
    });
    check(|make| {
        let rows = numbers().map(|n| vec![make(n)]).flatten();
        rows.collect::<Vec<_>>()
    });
}

#[test]
fn folded() {
    let keep = |_, item| Some(item);
    check(|make| numbers().map(make).fold(|| None, keep).collect::<Vec<_>>());
    check(|make| {
        numbers()
            .map(make)
            .fold_with(None, keep)
            .collect::<Vec<_>>()
    });
    check(|make| {
        numbers()
            .map(make)
            .fold_chunks(7, || None, keep)
            .collect::<Vec<_>>()
    });
    check(|make| {
        let try_keep = |_, item| Some(Some(item));
        numbers()
            .map(make)
            .try_fold(|| None, try_keep)
            .collect::<Vec<_>>()
    });
    check(|make| {
        numbers()
            .map(make)
            .deterministic()
            .reduce_with(|_, right| right)
    });
}

#[test]
fn with_clones_and_states() {
    static STATES: AtomicIsize = AtomicIsize::new(0);
    check(|make| {
        let separator = Counted::new(&STATES);
        numbers()
            .map(make)
            .intersperse(separator)
            .collect::<Vec<_>>()
    });
    check(|make| {
        let separator = Counted::new(&STATES);
        numbers()
            .map(make)
            .intersperse(separator)
            .rev()
            .collect::<Vec<_>>()
    });
    check(|make| {
        numbers()
            .map_init(|| Counted::new(&STATES), |_, n| make(n))
            .collect::<Vec<_>>()
    });
    check(|make| {
        numbers()
            .map_with(Counted::new(&STATES), |_, n| make(n))
            .rev()
            .collect::<Vec<_>>()
    });
    assert_eq!(STATES.load(Ordering::Relaxed), 0);
}

//! Threads that give back what they have taken of a loop, since calls or tasks wait in a pool whose
//! callers take no part.

use std::{
    collections::HashSet,
    iter::repeat_n,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use sumac::{ThreadPool, iter::walk_tree_prefix, prelude::*, worker_index};
use sumac_test_support::{LONG, rounds, spin, throw, wait_until, waited, within};

/// Loops that go on until they are told to end, and hear of each item.
type Endless = fn(&ThreadPool, &(dyn Fn() -> bool + Sync));

const ENDLESS: [(&str, Endless); 6] = [
    ("forward", |_, ends| {
        let items = (0..u64::MAX).into_par_iter();
        assert!(
            items
                .try_for_each(|_| if ends() { Err(()) } else { Ok(()) })
                .is_err()
        );
    }),
    ("backward", |_, ends| {
        let items = (0..u64::MAX).into_par_iter();
        assert!(items.find_last(|_| ends()).is_some());
    }),
    ("in any order", |_, ends| {
        let items = (0..u64::MAX).into_par_iter();
        assert!(items.find_any(|_| ends()).is_some());
    }),
    ("a bridge", |_, ends| {
        assert!((0..u64::MAX).par_bridge().find_any(|_| ends()).is_some());
    }),
    ("a tree", |_, ends| {
        let nodes = walk_tree_prefix(0, |&depth| {
            repeat_n(depth + 1, if depth < 60 { 2 } else { 0 })
        });
        assert!(nodes.find_any(|_| ends()).is_some());
    }),
    ("on a scope", |pool, ends| {
        let found = pool
            .scope()
            .find_any(0..usize::MAX, |_, i| ends().then_some(i));
        assert!(found.is_some());
    }),
];

/// All threads of a pool are in a loop, and one of them must leave it for a call, or for a task,
/// that ends the loop.
#[test]
fn calls_and_tasks_begin_beside_endless_loops() {
    for (name, endless) in ENDLESS {
        for threads in [2, 3, 5] {
            within(LONG, name, move || {
                let pool = waited(threads);
                for is_task in [false, true] {
                    let (inside, ended) = (Mutex::new(HashSet::new()), AtomicBool::new(false));
                    let ends = || {
                        inside.lock().expect("no panic").insert(worker_index());
                        spin(Duration::from_micros(1));
                        ended.load(SeqCst)
                    };
                    let all_are_there = || inside.lock().expect("no panic").len() == threads;
                    thread::scope(|outside| {
                        outside.spawn(|| pool.install(|| endless(&pool, &ends)));
                        assert!(wait_until(LONG / 2, all_are_there), "they take part");
                        let end = || ended.store(true, SeqCst);
                        if is_task {
                            pool.in_place_scope(|tasks| tasks.spawn(|_| end()));
                        } else {
                            pool.install(end);
                        }
                    });
                }
            });
        }
    }
}

/// Counts its drops.
struct Counted<'c>(&'c AtomicUsize, usize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Calls into the pool that come without a pause, until what they are beside has ended.
fn beside_calls<R>(pool: &ThreadPool, f: impl FnOnce() -> R) -> R {
    let over = AtomicBool::new(false);
    thread::scope(|outside| {
        outside.spawn(|| {
            while !over.load(SeqCst) {
                pool.install(|| ());
            }
        });
        let result = catch_unwind(AssertUnwindSafe(f));
        over.store(true, SeqCst);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    })
}

#[test]
fn loops_that_are_left_again_and_again_are_right() {
    const ITEMS: usize = 4_000;
    let work = |i: usize| {
        spin(Duration::from_nanos(if i % 500 == 0 {
            200_000
        } else {
            1_000
        }));
        i
    };
    for threads in [2, 3, 5] {
        within(LONG, "loops", move || {
            let pool = waited(threads);
            for round in rounds(5) {
                beside_calls(&pool, || {
                    let items = || (0..ITEMS).into_par_iter();
                    let all: Vec<_> = pool.install(|| items().map(work).collect());
                    assert!(all.into_iter().eq(0..ITEMS));
                    let some = |i: &usize| work(*i) % 3 == round % 3;
                    let some: Vec<_> = pool.install(|| items().rev().filter(some).collect());
                    assert!(
                        some.into_iter()
                            .eq((0..ITEMS).rev().filter(|i| i % 3 == round % 3))
                    );
                    let last = pool.install(|| items().find_last(|&i| work(i) == 7 + round));
                    assert_eq!(last, Some(7 + round));
                    let any = pool.install(|| items().find_any(|&i| work(i) == ITEMS - round - 1));
                    assert_eq!(any, Some(ITEMS - round - 1));
                    let sum = (0..ITEMS).par_bridge().map(work);
                    assert_eq!(pool.install(|| sum.sum::<usize>()), ITEMS * (ITEMS - 1) / 2);
                    let nodes = walk_tree_prefix(1, |&n| 2 * n..(2 * n + 2).min(ITEMS));
                    let nodes: Vec<_> = pool.install(|| nodes.map(work).collect());
                    assert!(nodes.into_iter().eq(prefix(1, ITEMS)));
                    let text = |i: usize| format!("{} ", work(i));
                    let add = |a: String, b: String| a + &b;
                    let text = pool.install(|| {
                        pool.scope()
                            .map_reduce(0..ITEMS, String::new(), |_, i| text(i), add)
                    });
                    assert!(
                        text.split_terminator(' ')
                            .map(str::parse)
                            .eq((0..ITEMS).map(Ok))
                    );
                });
            }
        });
    }
}

fn prefix(node: usize, end: usize) -> Vec<usize> {
    let children = (2 * node..2 * node + 2).filter(|&child| child < end);
    [node]
        .into_iter()
        .chain(children.flat_map(|child| prefix(child, end)))
        .collect()
}

/// Whatever is given back is dropped once, also if the loop panics.
#[test]
fn what_is_given_back_is_dropped_once() {
    const ITEMS: usize = 4_000;
    for threads in [2, 3] {
        within(LONG, "drops", move || {
            let pool = waited(threads);
            for round in rounds(10) {
                let drops = AtomicUsize::new(0);
                let items: Vec<_> = (0..ITEMS).map(|i| Counted(&drops, i)).collect();
                let at = (round * 677 + 300) % (2 * ITEMS);
                let use_up = |item: Counted<'_>| {
                    spin(Duration::from_micros(1));
                    if item.1 == at {
                        throw(at);
                    }
                };
                let ended = beside_calls(&pool, || {
                    let whole = || pool.install(|| items.into_par_iter().for_each(use_up));
                    catch_unwind(AssertUnwindSafe(whole))
                });
                assert_eq!(ended.is_err(), at < ITEMS);
                assert_eq!(drops.load(SeqCst), ITEMS);
            }
        });
    }
}

//! Small loops, sorts and scans of which other threads really take parts: for Miri, which is too
//! slow for the rest, and sees wrong aliasing, races and leaks.

mod team;

use std::{
    cell::RefCell,
    sync::atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst},
};
use sumac_core::Scope;
use sumac_par::{functions, iter, prelude::*};
use team::*;

#[test]
fn loops_are_split() {
    let pool = pool();
    // Soon, unless the machine is busy.
    let split = (0..5_000).any(|_| {
        let team = Team::default();
        pool.install(|| (0..30).into_par_iter().for_each(|_: u32| team.wait()));
        team.is_more_than_one()
    });
    assert!(split);
}

#[test]
fn collecting() {
    let (live, team) = (AtomicIsize::new(0), Team::default());
    let item = |value: u32| {
        team.wait();
        Item::new(value, &live)
    };
    pool().install(|| {
        let items: Vec<_> = (0..40).into_par_iter().map(item).collect();
        assert_eq!(values(&items), Vec::from_iter(0..40));
        let (mut left, mut right) = (Item::some(0..3, &live), Vec::new());
        let pairs = (0..40).into_par_iter();
        pairs
            .map(|value| (item(value), item(value + 1)))
            .unzip_into_vecs(&mut left, &mut right);
        assert_eq!(values(&left), Vec::from_iter(0..40));
        assert_eq!(values(&right), Vec::from_iter(1..41));
        left.par_extend((40..60).into_par_iter().map(item));
        assert_eq!(values(&left), Vec::from_iter(0..60));
    });
    assert_eq!(live.into_inner(), 0);
}

#[test]
fn collecting_and_panics() {
    let pool = pool();
    for bad in [0, 17, 39] {
        let (live, team) = (AtomicIsize::new(0), Team::default());
        let item = |value| {
            team.wait();
            assert_ne!(value, bad, "bad");
            Item::new(value, &live)
        };
        let items = || (0..40).into_par_iter().map(item);
        assert!(panics(|| pool.install(|| items().collect::<Vec<_>>())));
        let mut items_before = Item::some(0..5, &live);
        let extend = || items_before.par_extend(items());
        assert!(panics(|| pool.install(extend)));
        assert_eq!(values(&items_before), [0, 1, 2, 3, 4]);
        let pairs = || items().map(|item| (item, String::from("captured"))).unzip();
        assert!(panics(|| pool.install(pairs) as (Vec<_>, Vec<_>)));
        drop(items_before);
        assert_eq!(live.into_inner(), 0);
    }
}

#[test]
fn results_in_order() {
    let (live, team) = (AtomicIsize::new(0), Team::default());
    let item = |value: u32| {
        team.wait();
        Item::new(value, &live)
    };
    pool().install(|| {
        let mut next = 0;
        let items = (0..20).into_par_iter().map(item);
        items.for_each_ordered(3, |item| {
            assert_eq!(*item.value, next);
            next += 1;
        });
        assert_eq!(next, 20);
        let items = Item::some(0..20, &live).into_par_iter();
        items.iter_ordered(4, |mut items| drop(items.next()));
        let boxes = (0..9).par_map_ordered(2, Box::new);
        assert!(boxes.take(4).map(|value| *value).eq(0..4));
    });
    assert_eq!(live.into_inner(), 0);
}

#[test]
fn draining() {
    let (live, team) = (AtomicIsize::new(0), Team::default());
    pool().install(|| {
        let mut items = Item::some(0..50, &live);
        let found = items.par_drain(5..45).find_any(|item| {
            team.wait();
            *item.value == 30
        });
        assert_eq!(*found.unwrap().value, 30);
        assert_eq!(values(&items), [0, 1, 2, 3, 4, 45, 46, 47, 48, 49]);
        assert_eq!(live.load(SeqCst), 10);
        items.par_drain(..2).zip(0..1).for_each(drop);
        assert_eq!(live.load(SeqCst), 8);
        drop(items.par_drain(1..));
        assert_eq!(values(&items), [2]);
    });
    assert_eq!(live.into_inner(), 0);
}

#[test]
fn draining_and_panics() {
    let pool = pool();
    for bad in [5, 20, 44] {
        let (live, team) = (AtomicIsize::new(0), Team::default());
        let mut items = Item::some(0..50, &live);
        let use_up = |item: Item<'_>| {
            team.wait();
            assert_ne!(*item.value, bad, "bad");
        };
        let drain = || items.par_drain(5..45).for_each(use_up);
        assert!(panics(|| pool.install(drain)));
        assert_eq!(values(&items), [0, 1, 2, 3, 4, 45, 46, 47, 48, 49]);
        items.push(Item::new(bad, &live));
        assert!(panics(
            || pool.install(|| items.into_par_iter().for_each(use_up))
        ));
        assert_eq!(live.into_inner(), 0);
    }
}

#[test]
fn items_that_panic_when_dropped() {
    let pool = pool();
    for at in [0, 11, 29] {
        let (live, team) = (AtomicIsize::new(0), Team::default());
        let items = || {
            let mut items = Item::some(0..30, &live);
            *items[at].value = BAD;
            items
        };
        let wait = |_: &Item<'_>| team.wait();
        // In the closure, by the consumer, and where it is not wanted any more.
        assert!(panics(|| pool.install(|| items()
            .into_par_iter()
            .for_each(|item| wait(&item)))));
        assert!(panics(|| pool.install(|| drop(items().par_drain(..)))));
        let search = || {
            drop(items().into_par_iter().find_any(|item| {
                wait(item);
                true
            }));
        };
        assert!(panics(|| pool.install(search)));
        let shorter = || items().into_par_iter().zip(0..3).for_each(drop);
        assert!(panics(|| pool.install(shorter)));
        assert_eq!(live.into_inner(), 0);
    }
}

/// In a size of its own, and with an alignment that is not usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(align(128))]
struct Aligned(u8);

/// Without any size.
struct Nothing;

static NOTHINGS: AtomicUsize = AtomicUsize::new(0);

impl Drop for Nothing {
    fn drop(&mut self) {
        NOTHINGS.fetch_add(1, SeqCst);
    }
}

#[test]
fn odd_sizes() {
    let team = Team::default();
    pool().install(|| {
        let aligned = (0..40_u8).into_par_iter().map(|n| {
            team.wait();
            Aligned(n ^ 21)
        });
        let mut v: Vec<Aligned> = aligned.collect();
        v.par_sort();
        v.par_drain(3..37).for_each(|aligned| {
            team.wait();
            assert_eq!((&raw const aligned).addr() % 128, 0);
        });
        assert_eq!(v.len(), 6);

        let nothing = |_| {
            team.wait();
            Nothing
        };
        let mut v: Vec<Nothing> = (0..40).into_par_iter().map(nothing).collect();
        assert_eq!(v.len(), 40);
        v.par_drain(3..37).for_each(|_| team.wait());
        assert_eq!((v.len(), NOTHINGS.load(SeqCst)), (6, 34));
        v.par_sort_by(|_, _| std::cmp::Ordering::Less);
        v.into_par_iter().zip(0..2).for_each(|_| team.wait());
        assert_eq!(NOTHINGS.load(SeqCst), 40);
        let bad = (0..40).into_par_iter().map(|n| {
            assert_ne!(n, 39);
            nothing(n)
        });
        assert!(panics(|| bad.collect::<Vec<_>>()));
    });
}

/// Numbers in no order, some more than once.
fn shuffled(n: u32) -> Vec<u32> {
    (0..n).map(|i| i * 7919 % 101).collect()
}

#[test]
fn sorting() {
    let pool = pool();
    let team = Team::default();
    let live = AtomicIsize::new(0);
    let items = || -> Vec<_> {
        let items = shuffled(150).into_iter().enumerate();
        items.map(|(i, n)| (Item::new(n, &live), i)).collect()
    };
    let mut expected = items();
    expected.sort_by_key(|(item, _)| *item.value);
    let mut v = items();
    pool.install(|| {
        v.par_sort_by(|(a, _), (b, _)| {
            team.wait();
            a.value.cmp(&b.value)
        });
    });
    let list =
        |v: &[(Item<'_>, usize)]| -> Vec<_> { v.iter().map(|(a, i)| (*a.value, *i)).collect() };
    assert_eq!(list(&v), list(&expected));
    // Two runs: halves.
    v.rotate_left(40);
    pool.install(|| v.par_sort_by_key(|(item, i)| (*item.value, *i)));
    assert_eq!(list(&v), list(&expected));
    v = items();
    pool.install(|| {
        v.par_sort_unstable_by(|(a, i), (b, j)| {
            team.wait();
            (&a.value, i).cmp(&(&b.value, j))
        });
    });
    assert_eq!(list(&v), list(&expected));
    drop((v, expected));
    assert_eq!(live.load(SeqCst), 0);
}

#[test]
fn sorting_and_panics() {
    let pool = pool();
    for last in [30, 300, 500] {
        let (live, calls, team) = (AtomicIsize::new(0), AtomicUsize::new(0), Team::default());
        let compare = |a: &Item<'_>, b: &Item<'_>| {
            team.wait();
            assert_ne!(calls.fetch_add(1, SeqCst), last, "a comparison too many");
            a.value.cmp(&b.value)
        };
        let sorted = {
            let mut sorted = shuffled(100);
            sorted.sort_unstable();
            sorted
        };
        for stable in [true, false] {
            calls.store(0, SeqCst);
            let mut v: Vec<_> = shuffled(100)
                .into_iter()
                .map(|n| Item::new(n, &live))
                .collect();
            let panicked = panics(|| {
                pool.install(|| match stable {
                    true => v.par_sort_by(compare),
                    false => v.par_sort_unstable_by(compare),
                });
            });
            assert_eq!(panicked, calls.load(SeqCst) > last);
            let mut left = values(&v);
            left.sort_unstable();
            assert_eq!(left, sorted);
        }
        assert_eq!(live.into_inner(), 0);
    }
}

#[test]
fn comparisons_that_change_elements() {
    let pool = pool();
    for last in [300, usize::MAX] {
        let calls = AtomicUsize::new(0);
        let log = |cell: &RefCell<Vec<u32>>| cell.borrow_mut().push(0);
        let mut v: Vec<_> = shuffled(100)
            .into_iter()
            .map(|n| RefCell::new(vec![n]))
            .collect();
        let sort = || {
            v.par_sort_by(|a, b| {
                log(a);
                log(b);
                assert_ne!(calls.fetch_add(1, SeqCst), last, "a comparison too many");
                a.borrow()[0].cmp(&b.borrow()[0])
            });
        };
        assert_eq!(panics(|| pool.install(sort)), last == 300);
        let logged: usize = v.iter().map(|cell| cell.borrow().len() - 1).sum();
        assert!(logged >= 2 * calls.into_inner().min(last));
    }
}

#[test]
fn scans() {
    let team = Team::default();
    let op = |a: &String, b: &String| {
        team.wait();
        a.clone() + b
    };
    let letters = || -> Vec<String> { ('a'..='z').map(String::from).collect() };
    pool().install(|| {
        let mut v = letters();
        v.par_inclusive_scan(op);
        assert_eq!(
            (&v[2][..], &v[25][..]),
            ("abc", "abcdefghijklmnopqrstuvwxyz")
        );
        let mut v = letters();
        let total = v.par_exclusive_scan(String::from("_"), op);
        assert_eq!((&v[0][..], &v[3][..]), ("_", "_abc"));
        assert_eq!(total, "_abcdefghijklmnopqrstuvwxyz");
        let bad = |a: &String, b: &String| {
            assert!(!b.contains('q'), "bad");
            op(a, b)
        };
        assert!(panics(|| letters().par_inclusive_scan(bad)));
        assert!(panics(|| letters()
            .into_par_iter()
            .exclusive_scan(String::new(), bad)));
    });
}

#[test]
fn nested_loops() {
    let team = Team::default();
    pool().install(|| {
        let rows: Vec<Vec<usize>> = (0..6_usize)
            .into_par_iter()
            .map(|i| {
                let row = (0..6_usize).into_par_iter().map(|j| {
                    team.wait();
                    i * j
                });
                row.collect()
            })
            .collect();
        let total: usize = rows
            .par_iter()
            .map(|row| row.par_iter().sum::<usize>())
            .sum();
        assert_eq!(total, 15 * 15);
        let found = functions::find_any(0..30, |i| {
            team.wait();
            functions::find_any(0..i, |j| (i * j == 23 * 29).then_some(i + j))
        });
        assert_eq!(found, Some(52));
    });
    let sum = Scope::global().map_reduce(
        0..8,
        0,
        |scope, i| scope.map_reduce(0..i, 0, |_, j| j, |a, b| a + b),
        |a, b| a + b,
    );
    assert_eq!(sum, 56);
}

#[test]
fn trees_and_bridges() {
    let team = Team::default();
    pool().install(|| {
        let children = |&n: &u32| {
            team.wait();
            (2 * n..=2 * n + 1).filter(|&child| child < 32)
        };
        let nodes: Vec<u32> = iter::walk_tree_postfix(1, children).collect();
        assert_eq!((nodes.len(), nodes.last()), (31, Some(&1)));
        let words = (0..20).map(|n: u32| n.to_string()).par_bridge();
        let len: usize = words
            .map(|word| {
                team.wait();
                word.len()
            })
            .sum();
        assert_eq!(len, 30);
    });
}

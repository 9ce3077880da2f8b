//! Sources of unknown length: trees, splitters, sequential iterators.

use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
};
use sumac_par::{iter, prelude::*};
use sumac_test_support::{on_pools, pool, with_steals, work};

fn children(n: usize) -> impl Fn(&usize) -> Vec<usize> + Sync + Send {
    move |&node| {
        (3 * node + 1..=3 * node + 3)
            .filter(|&child| child < n)
            .collect()
    }
}

fn prefix(node: usize, n: usize, into: &mut Vec<usize>) {
    into.push(node);
    children(n)(&node)
        .into_iter()
        .for_each(|child| prefix(child, n, into));
}

fn postfix(node: usize, n: usize, into: &mut Vec<usize>) {
    children(n)(&node)
        .into_iter()
        .for_each(|child| postfix(child, n, into));
    into.push(node);
}

#[test]
fn trees() {
    with_steals(|| {
        for n in [1, 2, 5, 300] {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            prefix(0, n, &mut before);
            postfix(0, n, &mut after);
            let slow = |node| (work(), node).1;
            let got = iter::walk_tree_prefix(0, children(n)).map(slow);
            assert_eq!(got.collect::<Vec<_>>(), before);
            let got = iter::walk_tree_postfix(0, children(n)).map(slow);
            assert_eq!(got.collect::<Vec<_>>(), after);
            assert_eq!(
                iter::walk_tree(0, children(n)).map(slow).sum::<usize>(),
                (0..n).sum()
            );
        }
    });
}

/// A tree that is a list 100,000 nodes deep does not need a stack so deep.
#[test]
fn deep_trees() {
    let next = |&n: &usize| (n < 100_000).then_some(n + 1);
    on_pools(|| {
        assert_eq!(iter::walk_tree_prefix(0, next).count(), 100_001);
        assert_eq!(
            iter::walk_tree_postfix(0, next).find_first(|_| true),
            Some(100_000)
        );
    });
}

#[test]
fn split_data() {
    let halve = |Range { start, end }: Range<usize>| {
        let middle = start + (end - start) / 2;
        if end - start > 3 {
            (start..middle, Some(middle..end))
        } else {
            (start..end, None)
        }
    };
    with_steals(|| {
        let parts: Vec<Range<usize>> = iter::split(0..500, halve)
            .map(|part| (work(), part).1)
            .collect();
        assert!(parts.iter().all(|part| part.len() <= 3));
        assert!(parts.into_iter().flatten().eq(0..500));
    });
}

#[test]
fn bridged_iterators_yield_each_item_once() {
    with_steals(|| {
        for len in [0, 1, 2, 300] {
            let mut items: Vec<usize> = (0..len).par_bridge().map(|i| (work(), i).1).collect();
            items.sort_unstable();
            assert!(items.into_iter().eq(0..len));
        }
        assert_eq!((0..20_000_u64).par_bridge().sum::<u64>(), (0..20_000).sum());
        let odd = (0..20_000_u64).filter(|i| i % 2 == 1);
        assert_eq!(odd.par_bridge().count(), 10_000);
    });
}

/// The lock is free while items are worked on: two of them can wait for each other.
#[test]
fn bridged_items_are_worked_on_at_the_same_time() {
    pool(2).install(|| {
        let arrived = AtomicUsize::new(0);
        (0..2).par_bridge().for_each(|_| {
            arrived.fetch_add(1, Relaxed);
            while arrived.load(Relaxed) < 2 {
                (0..2).into_par_iter().for_each(|_| work());
                std::thread::yield_now();
            }
        });
    });
}

/// A thread takes items ahead only where it may, and no more than it may.
#[test]
fn bridged_chunks() {
    let ahead = |chunk: Option<usize>| {
        let processed = AtomicUsize::new(0);
        let (mut pulled, mut most) = (0, 0);
        // Quick, as a chunk may end after some time, too.
        let items = std::iter::from_fn(|| {
            pulled += 1;
            most = most.max(pulled - processed.load(Relaxed));
            (pulled <= 50_000).then_some(())
        });
        let bridge = items.par_bridge();
        let bridge = match chunk {
            Some(n) => bridge.by_chunks(n),
            None => bridge,
        };
        pool(1).install(|| {
            bridge.for_each(|()| _ = processed.fetch_add(1, Relaxed));
        });
        assert_eq!(processed.into_inner(), 50_000);
        most
    };
    assert_eq!(ahead(None), 1);
    assert_eq!(ahead(Some(1)), 1);
    assert_eq!(ahead(Some(20)), 20);
    assert!((2..=256).contains(&ahead(Some(100_000))));
    let chunks = catch_unwind(|| (0..9).par_bridge().by_chunks(0).count());
    assert!(chunks.is_err());
}

/// An item does not wait for the next one to come: here that one comes of it.
#[test]
fn bridged_items_are_not_held_back() {
    on_pools(|| {
        let (sender, receiver) = mpsc::channel();
        sender.send(0).unwrap();
        let sender = Mutex::new(Some(sender));
        receiver.into_iter().par_bridge().for_each(|i| {
            let mut sender = sender.lock().unwrap();
            if i < 1000 {
                sender.as_ref().unwrap().send(i + 1).unwrap();
            } else {
                *sender = None;
            }
        });
    });
}

#[test]
fn a_panic_in_next_ends_the_loop() {
    with_steals(|| {
        let calls_after = AtomicUsize::new(0);
        let panicked = AtomicBool::new(false);
        let items = (0..).inspect(|&i| {
            if panicked.load(Relaxed) {
                calls_after.fetch_add(1, Relaxed);
            }
            if i == 100 {
                panicked.store(true, Relaxed);
                panic!("as planned");
            }
        });
        let result = catch_unwind(AssertUnwindSafe(|| items.par_bridge().for_each(|_| work())));
        assert_eq!(
            *result.unwrap_err().downcast::<&str>().unwrap(),
            "as planned"
        );
        assert_eq!(calls_after.into_inner(), 0);
    });
}

#[test]
fn a_panic_in_an_item_ends_the_loop() {
    with_steals(|| {
        let result = catch_unwind(AssertUnwindSafe(|| {
            (0_u64..).par_bridge().for_each(|i| {
                work();
                assert!(i != 100, "as planned");
            });
        }));
        assert!(result.is_err());
        let walk = || iter::walk_tree(0_u64, |&n| [n + 1, n + 2]).for_each(|n| assert!(n < 100));
        assert!(catch_unwind(AssertUnwindSafe(walk)).is_err());
    });
}

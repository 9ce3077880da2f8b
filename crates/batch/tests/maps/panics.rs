//! Keys and values that panic, and an order that contradicts itself.

use super::Map;
use crate::{scattered, world::World};
use proptest::prelude::*;
use std::{
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering::Relaxed},
};
use sumac_batch::{MapAnswer, MapOp, run_alone};
use sumac_test_support::{LONG, pool, within};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 200 }))]

    #[test]
    fn panics_of_keys_lose_keys_at_most(
        preset in prop::collection::btree_set(0..1_500_u32, 0..600),
        ops in prop::collection::vec((0..1_500_u32, 0..4_u8), 1..600),
        fuse in 0..9_000_isize,
        alone: bool,
        threads in 1..4_usize,
    ) {
        let pool = pool(threads);
        let world = Arc::new(World::default());
        let mut map: Map<_, _> = preset.iter().map(|&k| world.entry(k)).collect();
        prop_assert_eq!(map.len(), preset.len());
        let ops = ops.into_iter().map(|(key, kind)| {
            let (key, value) = world.entry(key);
            match kind {
                0 => MapOp::Get(key),
                1 => MapOp::Remove(key),
                _ => MapOp::Insert(key, value),
            }
        });
        let ops: Vec<_> = ops.collect();
        world.fuse.store(fuse, Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if alone {
                for op in ops {
                    match op {
                        MapOp::Get(key) => drop(map.get(&key).cloned()),
                        MapOp::Remove(key) => drop(map.remove(&key)),
                        MapOp::Insert(key, value) => drop(map.insert(key, value)),
                        _ => unreachable!(),
                    }
                }
            } else {
                drop(pool.install(|| run_alone(&mut map, ops)));
            }
        }));
        let burnt = world.fuse.swap(-1, Relaxed) <= 0;
        prop_assert!(burnt || outcome.is_ok());
        // What is left is a map, of entries that belong together.
        prop_assert_eq!(map.iter().count(), map.len());
        prop_assert!(map.iter().is_sorted_by(|a, b| a.0 < b.0));
        prop_assert!(map.iter().all(|(key, value)| key.0.key == value.0.key));
        prop_assert!(map.iter().all(|(key, _)| map.contains_key(key)));
        if alone && outcome.is_err() {
            // A single operation changes one entry at most.
            prop_assert!(map.len() + 600 >= preset.len());
        }
        let all: Vec<_> = (0..1_500).map(|k| world.entry(k)).collect();
        let ops = all.iter().cloned().map(|(key, value)| MapOp::Insert(key, value));
        drop(pool.install(|| run_alone(&mut map, ops.collect())));
        prop_assert_eq!(map.len(), 1_500);
        for (key, _) in &all {
            prop_assert!(map.remove(key).is_some());
        }
        prop_assert!(map.is_empty());
        map.extend(all.clone());
        prop_assert_eq!(map.range(..).count(), 1_500);
        drop((all, map));
        prop_assert_eq!(world.alive.load(Relaxed), 0);
    }
}

#[test]
fn everything_is_dropped_once() {
    let n = 5_000;
    let (keys, values) = (Arc::new(World::default()), Arc::new(World::default()));
    let key = |n: u64| keys.key(n as u32);
    let value = |n: u64| values.entry(n as u32).1;
    let ops = |salt: u64| {
        let keys = scattered(n).map(move |key| (key * salt) % n);
        let ops = keys.enumerate().map(|(i, n)| match i % 5 {
            0 => MapOp::Remove(key(n)),
            1 => MapOp::Get(key(n)),
            _ => MapOp::Insert(key(n), value(n)),
        });
        ops.collect::<Vec<_>>()
    };
    let alive = |world: &World| world.alive.load(Relaxed) as usize;
    for pool in [pool(1), pool(2)] {
        pool.install(|| {
            let mut map = Map::new();
            for salt in [1, 3, 7, 100] {
                drop(run_alone(&mut map, ops(salt)));
                assert_eq!(alive(&values), map.len());
                // Inner nodes may have keys of their own.
                assert!((map.len()..2 * n as usize).contains(&alive(&keys)));
            }
            for n in scattered(n).take(1000) {
                map.insert(key(n), value(1));
                map.remove(&key(n / 2));
            }
            assert_eq!(alive(&values), map.len());
            let mut iter = map.into_iter();
            iter.next();
            drop(iter);
            assert_eq!((alive(&keys), alive(&values)), (0, 0));
        });
    }
}

/// An order that contradicts itself may confuse a map, nothing more.
#[test]
fn a_bad_order_does_no_harm() {
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Bad(u64);
    impl PartialOrd for Bad {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Bad {
        fn cmp(&self, other: &Self) -> Ordering {
            (self.0.wrapping_mul(other.0 | 5) % 7).cmp(&(other.0 % 5))
        }
    }
    let mut map = Map::new();
    let ops = |n: u64| {
        let ops = scattered(n).map(|key| match key % 3 {
            0 => MapOp::Remove(Bad(key)),
            _ => MapOp::Insert(Bad(key), key),
        });
        ops.collect::<Vec<_>>()
    };
    for n in [10, 100, 3000, 500] {
        // Sorting may complain.
        drop(catch_unwind(AssertUnwindSafe(|| {
            run_alone(&mut map, ops(n))
        })));
        for key in 0..n {
            map.remove(&Bad(key));
            map.insert(Bad(key / 2), key);
        }
        let map = &map;
        map.range(Bad(1)..Bad(3)).count();
        assert_eq!(map.iter().count(), map.len());
    }
}

/// Where a key is equal to one in the map, and not to itself, each request has an answer.
#[test]
fn a_key_that_is_not_itself() {
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Odd {
        in_map: bool,
    }
    impl PartialOrd for Odd {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Odd {
        fn cmp(&self, other: &Self) -> Ordering {
            match self.in_map == other.in_map {
                true => Ordering::Less,
                false => Ordering::Equal,
            }
        }
    }
    within(LONG, "a batch", || {
        let mut map = Map::new();
        map.insert(Odd { in_map: true }, 1);
        let gets = (0..3).map(|_| MapOp::Get(Odd { in_map: false }));
        let answers = run_alone(&mut map, gets.collect());
        assert!(answers.contains(&MapAnswer::Value(Some(1))));
        assert_eq!((answers.len(), map.len()), (3, 1));
    });
}

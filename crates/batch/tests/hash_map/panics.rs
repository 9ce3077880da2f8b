//! Keys and values that panic, and hashes that contradict themselves.

use crate::{hashers::Fickle, world::World};
use proptest::prelude::*;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering::Relaxed},
};
use sumac_batch::{Batched, Get, HashMap, HashMapOp, Insert, run_alone};
use sumac_test_support::{cases, pool, sized};

const KEYS: u32 = sized(1_500, 60);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200)))]

    #[test]
    fn panics_leave_a_map(
        preset in prop::collection::btree_set(0..KEYS, 0..sized(600, 20)),
        ops in prop::collection::vec((0..KEYS, 0..4_u8), 1..sized(1_500, 40)),
        fuse in 0..sized(9_000, 200_isize),
        alone: bool,
        threads in 1..sized(4, 2_usize),
    ) {
        let pool = pool(threads);
        let world = Arc::new(World::default());
        let mut map: HashMap<_, _> = preset.iter().map(|&k| world.entry(k)).collect();
        prop_assert_eq!(map.len(), preset.len());
        let ops = ops.into_iter().map(|(key, kind)| {
            let (key, value) = world.entry(key);
            match kind {
                0 => HashMapOp::Get(key),
                1 => HashMapOp::Remove(key),
                _ => HashMapOp::Insert(key, value),
            }
        });
        let ops: Vec<_> = ops.collect();
        world.fuse.store(fuse, Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if alone {
                for op in ops {
                    match op {
                        HashMapOp::Get(key) => drop(map.get(&key).cloned()),
                        HashMapOp::Remove(key) => drop(map.remove(&key)),
                        HashMapOp::Insert(key, value) => drop(map.insert(key, value)),
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
        prop_assert!(map.iter().all(|(key, value)| key.0.key == value.0.key));
        prop_assert!(map.iter().all(|(key, _)| map.get(key).is_some()));
        let all: Vec<_> = (0..KEYS).map(|k| world.entry(k)).collect();
        let ops = all.iter().cloned().map(|(key, value)| HashMapOp::Insert(key, value));
        drop(pool.install(|| run_alone(&mut map, ops.collect())));
        prop_assert_eq!(map.len(), KEYS as usize);
        for (key, _) in &all {
            prop_assert!(map.remove(key).is_some());
        }
        prop_assert!(map.is_empty());
        map.extend(all.clone());
        drop((all, map));
        prop_assert_eq!(world.alive.load(Relaxed), 0);
    }
}

/// Also of the batches that are dealt out, whose requests may be in the lists of shards.
#[test]
fn everything_is_dropped_once() {
    let world = Arc::new(World::default());
    let n = sized(5_000, 100);
    for pool in [pool(1), pool(2)] {
        let mut map = HashMap::<_, _>::new();
        for salt in [1, 3, 7] {
            let ops = (0..n).map(|i| {
                let (key, value) = world.entry(i * salt % n);
                match i % 5 {
                    0 => HashMapOp::Remove(key),
                    1 => HashMapOp::Get(key),
                    _ => HashMapOp::Insert(key, value),
                }
            });
            let ops = ops.collect();
            drop(pool.install(|| run_alone(&mut map, ops)));
            assert_eq!(world.alive.load(Relaxed) as usize, 2 * map.len());
        }
        drop(map);
        assert_eq!(world.alive.load(Relaxed), 0);
    }
}

/// Of one caller's panic all learn, until the poison is cleared.
#[test]
fn a_panic_poisons() {
    let world = Arc::new(World::default());
    let map = Batched::new(HashMap::<_, _>::from_iter([world.entry(1)]));
    let (key, value) = world.entry(1);
    world.fuse.store(1, Relaxed);
    let panicked = catch_unwind(AssertUnwindSafe(|| map.apply(Insert(key, value))));
    world.fuse.store(-1, Relaxed);
    assert!(panicked.is_err() && map.is_poisoned());
    assert!(map.try_apply(Get(world.key(1))).is_err());
    map.clear_poison();
    assert!(map.apply(Get(world.key(1))).is_some());
}

/// Hashes that change may confuse a map, nothing more.
#[test]
fn fickle_hashes_do_no_harm() {
    let mut map = HashMap::with_hasher(Fickle::default());
    for n in [10, 100, sized(3_000, 150), 500] {
        let ops = (0..n).map(|key| match key % 3 {
            0 => HashMapOp::Remove(key),
            _ => HashMapOp::Insert(key / 2, key),
        });
        let ops = ops.collect();
        pool(2).install(|| run_alone(&mut map, ops));
        for key in 0..n {
            map.remove(&key);
            map.insert(key / 2, key);
        }
        assert_eq!(map.iter().count(), map.len());
    }
}

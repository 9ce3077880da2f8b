//! Lists with small blocks and many levels, whose shape is checked after each step.

use super::{SkipList, block::Block, heights::Heights};
use crate::{
    MapAnswer, MapOp, run_alone,
    structures::map::oracle::{Key, answers, op, plain},
};
use proptest::prelude::*;
use std::{collections::BTreeMap, fmt::Debug};
use sumac_test_support::{OnlyOrd, cases, pools, sized};

type List = SkipList<u32, u32>;

/// Checks the invariants of a block and of all below.
fn check_block<K: Ord, V>(block: &Block<K, V>, level: usize, from: Option<&K>, to: Option<&K>) {
    assert_eq!(block.keys.len(), block.values.len());
    assert!(block.keys.is_sorted_by(|a, b| a.cmp(b).is_lt()));
    let ascend = |a: Option<&K>, b: Option<&K>| a.zip(b).is_none_or(|(a, b)| a.cmp(b).is_lt());
    assert!(ascend(from, block.keys.first()));
    assert!(ascend(block.keys.last(), to));
    if level == 0 {
        assert!(block.is_leaf());
        return;
    }
    assert_eq!(block.down.len(), block.keys.len() + 1);
    for (i, below) in block.down.iter().enumerate() {
        let from = i.checked_sub(1).map(|i| &block.keys[i]).or(from);
        check_block(below, level - 1, from, block.keys.get(i).or(to));
    }
}

pub(super) fn check<K: Ord, V>(list: &SkipList<K, V>) {
    check_block(&list.root, list.top, None, None);
    assert_eq!(list.root.count(), list.len());
    assert!(
        list.top == 0 || !list.root.keys.is_empty(),
        "an empty level"
    );
}

fn check_same<K: Ord + Debug>(list: &SkipList<K, u32>, oracle: &BTreeMap<K, u32>) {
    check(list);
    let same = list.iter().cmp(oracle).is_eq();
    assert!(same, "{list:?} instead of {oracle:?}");
}

fn with_seed<K>(seed: u64) -> SkipList<K, u32> {
    SkipList::with_heights(Heights::with_seed(seed))
}

fn batches() -> impl Strategy<Value = Vec<Vec<MapOp<Key, u32>>>> {
    let batch = prop_oneof![Just(4_u32), Just(40), Just(1000)]
        .prop_flat_map(|keys| prop::collection::vec(op(keys, |n| n), 0..sized(150, 10)));
    prop::collection::vec(batch, 1..sized(8, 3))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    /// Batches answer as if their operations came one after the other, whatever was there before.
    #[test]
    fn batches_are_as_one_by_one(
        seed in any::<u64>(),
        preset in prop::collection::btree_map(0_u32..1000, any::<u32>(), 0..sized(300, 10)),
        batches in batches(),
    ) {
        for pool in pools() {
            let preset = || preset.iter().map(|(k, v)| (OnlyOrd(*k), *v));
            let preset_list = preset().collect();
            let mut list = SkipList::from_sorted_with(preset_list, Heights::with_seed(seed));
            // Std's bulk load compares keys by `==`.
            let mut oracle = BTreeMap::new();
            oracle.extend(preset());
            check_same(&list, &oracle);
            for batch in &batches {
                let expected = answers(&mut oracle, batch);
                let found = pool.install(|| run_alone(&mut list, batch.clone()));
                prop_assert_eq!(plain(found), plain(expected));
                check_same(&list, &oracle);
            }
            prop_assert!(list.into_iter().cmp(oracle).is_eq());
        }
    }

    /// The sequential methods are those of `BTreeMap`.
    #[test]
    fn single_operations(seed in any::<u64>(), ops in prop::collection::vec(op(60, |n| n), 0..sized(600, 25))) {
        let (mut list, mut oracle) = (with_seed(seed), BTreeMap::new());
        for op in ops {
            match op {
                MapOp::Insert(k, v) => prop_assert_eq!(list.insert(k, v), oracle.insert(k, v)),
                MapOp::Remove(k) => prop_assert_eq!(list.remove(&k), oracle.remove(&k)),
                MapOp::Get(k) => prop_assert_eq!(list.get(&k), oracle.get(&k)),
                MapOp::Contains(k) => prop_assert_eq!(list.contains_key(&k), oracle.contains_key(&k)),
                MapOp::First => prop_assert!(list.first_key_value().cmp(&oracle.first_key_value()).is_eq()),
                MapOp::Last => prop_assert!(list.last_key_value().cmp(&oracle.last_key_value()).is_eq()),
                MapOp::Successor(k) => prop_assert!(list.range(k..).cmp(oracle.range(k..)).is_eq()),
                MapOp::Predecessor(k) => prop_assert!(list.range(..=k).cmp(oracle.range(..=k)).is_eq()),
                _ => check_same(&list, &oracle),
            }
        }
        check_same(&list, &oracle);
    }
}

/// What made the predecessor of this library lose a key.
#[test]
fn a_key_that_is_there_and_one_that_is_not() {
    for seed in 0..sized(200, 5) {
        let mut list = with_seed(seed);
        list.extend([(2, 0), (3, 0)]);
        let answers = run_alone(&mut list, vec![MapOp::Insert(1, 1), MapOp::Insert(2, 1)]);
        assert_eq!(answers, [MapAnswer::Value(None), MapAnswer::Value(Some(0))]);
        assert_eq!(list.get(&3), Some(&0));
        assert!(list.iter().eq([(&1, &1), (&2, &1), (&3, &0)]));
    }
}

/// A batch whose requests all fall into one block, and one that empties the list.
#[test]
fn large_batches() {
    const N: u32 = sized(10_000, 24);
    for pool in pools() {
        let (mut list, mut oracle) = (with_seed(5), BTreeMap::new());
        let scattered = |n: u32| n.wrapping_mul(2_654_435_761) % (2 * N);
        let inserts: Vec<_> = (0..N).map(|n| MapOp::Insert(scattered(n), n)).collect();
        let removes: Vec<_> = (0..2 * N).map(MapOp::Remove).collect();
        let again: Vec<_> = (0..N / 3).map(|n| MapOp::Insert(7, n)).collect();
        for batch in [&inserts, &again, &removes, &again, &inserts] {
            let expected = answers(&mut oracle, batch);
            let found = pool.install(|| run_alone(&mut list, batch.clone()));
            assert_eq!(found, expected);
            check_same(&list, &oracle);
        }
    }
}

#[test]
fn lists_of_lists_are_sorted_and_have_each_key_once() {
    for pool in pools() {
        for n in [0, 1, 2, sized(100, 20), sized(10_000, 60)] {
            let entries = || (0..n).map(|n| (n, n)).collect::<Vec<_>>();
            let list = pool.install(|| SkipList::from_sorted(entries()));
            check_same(&list, &entries().into_iter().collect());
        }
    }
    let list = SkipList::from_iter([(2, 0), (1, 1), (2, 2), (1, 3)]);
    check(&list);
    assert!(list.iter().eq([(&1, &3), (&2, &2)]));
    assert_eq!(list, list.clone());
}

/// The level that a key is in.
fn level_of(list: &List, key: u32) -> Option<usize> {
    let (mut block, mut level) = (&list.root, list.top);
    while let Err(gap) = block.search(&key) {
        block = block.down.get(gap)?;
        level -= 1;
    }
    Some(level)
}

/// However a key comes, and whatever comes and goes around it: it is where its height says.
#[test]
fn every_key_is_in_the_level_of_its_height() {
    for pool in pools() {
        let n = sized(2_000, 12);
        let mut heights: BTreeMap<u32, usize> = BTreeMap::new();
        let source = Heights::with_seed(11);
        let drawn = source.clone().fork();
        heights.extend((0..n).map(|i| (4 * i, drawn.at(i as usize))));
        let mut list = pool.install(|| {
            let entries = (0..n).map(|i| (4 * i, i)).collect();
            SkipList::from_sorted_with(entries, source)
        });
        for step in 1..sized(4, 2) {
            let drawn = list.heights.clone().fork();
            heights.extend((0..n).map(|i| (4 * i + step, drawn.at(i as usize))));
            let inserts = (0..n).map(|i| MapOp::Insert(4 * i + step, i)).collect();
            pool.install(|| run_alone(&mut list, inserts));
            let removes = (0..n).map(|i| 4 * i + step - 1).filter(|key| key % 3 != 0);
            let removes: Vec<_> = removes.collect();
            heights.retain(|key, _| !removes.contains(key));
            let removes = removes.into_iter().map(MapOp::Remove).collect();
            pool.install(|| run_alone(&mut list, removes));
        }
        for key in (1..sized(100, 8)).map(|i| 7 * i) {
            let mut source = list.heights.clone();
            if list.insert(key, 0).is_none() {
                heights.insert(key, source.draw());
            }
            list.remove(&(key + 1));
            heights.remove(&(key + 1));
        }
        check(&list);
        assert_eq!(list.len(), heights.len());
        for (key, height) in heights {
            assert_eq!(level_of(&list, key), Some(height), "{key}");
        }
    }
}

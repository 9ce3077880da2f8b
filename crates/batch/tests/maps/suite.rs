//! Batches of all operations against `BTreeMap`, bulk loads, ranges, iterators.

use super::Map;
use crate::{
    oracle::{Key, answers, op, plain},
    scattered,
};
use proptest::prelude::*;
use std::{collections::BTreeMap, ops::Bound};
use sumac_batch::{MapAnswer, MapOp, run_alone};
use sumac_test_support::pool;

type Op = MapOp<Key, String>;

fn history() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let keys = prop_oneof![Just(4_u32), Just(50), Just(3_000)];
    keys.prop_flat_map(|keys| {
        prop::collection::vec(
            prop::collection::vec(op(keys, |n| n.to_string()), 0..500),
            1..5,
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 100 }))]

    #[test]
    fn batches_of_all_operations(history in history(), threads in 1..4_usize) {
        let pool = pool(threads);
        let (mut map, mut expected) = (Map::new(), BTreeMap::new());
        for ops in history {
            let right = answers(&mut expected, &ops);
            let found = pool.install(|| run_alone(&mut map, ops));
            prop_assert_eq!(plain(found), plain(right));
            prop_assert!(map.iter().cmp(&expected).is_eq());
            prop_assert_eq!(map.len(), expected.len());
        }
    }
}

#[test]
fn a_key_that_is_there_already_hides_none() {
    let mut map: Map<_, _> = [(2, 'a'), (3, 'b')].into_iter().collect();
    let answers = run_alone(&mut map, vec![MapOp::Insert(1, 'c'), MapOp::Insert(2, 'd')]);
    assert_eq!(
        answers,
        [MapAnswer::Value(None), MapAnswer::Value(Some('a'))]
    );
    assert_eq!(map.get(&3), Some(&'b'));
    assert_eq!(format!("{map:?}"), "{1: 'c', 2: 'd', 3: 'b'}");
}

#[test]
fn nothing_and_one() {
    let mut map = Map::<u32, u32>::new();
    assert_eq!(run_alone(&mut map, vec![]), []);
    assert_eq!(
        run_alone(&mut map, vec![MapOp::Remove(1), MapOp::First, MapOp::Len]),
        [
            MapAnswer::Value(None),
            MapAnswer::Entry(None),
            MapAnswer::Len(0)
        ]
    );
    assert_eq!((map.first_key_value(), map.last_key_value()), (None, None));
    assert_eq!(
        (
            map.remove(&1),
            map.range(..).count(),
            map.range(..=3).count()
        ),
        (None, 0, 0)
    );
    assert_eq!(
        run_alone(&mut map, vec![MapOp::Insert(1, 2)]),
        [MapAnswer::Value(None)]
    );
    assert_eq!(map, Map::from_sorted(vec![(1, 2)]));
    assert_ne!(map, Map::from_sorted(vec![(1, 3)]));
    assert_eq!(map.into_iter().collect::<Vec<_>>(), [(1, 2)]);
}

#[test]
fn ranges_may_be_empty_or_inverted() {
    let map = Map::from_sorted((0..1_000).map(|k| (2 * k, k)).collect());
    let keys = |from, to| map.range((from, to)).map(|(k, _)| *k).collect::<Vec<_>>();
    assert_eq!(keys(Bound::Included(10), Bound::Excluded(14)), [10, 12]);
    assert_eq!(keys(Bound::Excluded(10), Bound::Included(14)), [12, 14]);
    assert_eq!(keys(Bound::Excluded(10), Bound::Excluded(10)), []);
    assert_eq!(keys(Bound::Included(11), Bound::Excluded(12)), []);
    assert_eq!(keys(Bound::Included(1_500), Bound::Excluded(3)), []);
    assert_eq!(keys(Bound::Included(5_000), Bound::Unbounded), []);
    assert_eq!(map.range(..).count(), 1_000);
    let mut iter = map.iter();
    iter.nth(99);
    assert_eq!(
        (iter.len(), iter.clone().count(), iter.next()),
        (900, 900, Some((&200, &100)))
    );
}

#[test]
fn the_last_of_equal_keys_counts() {
    let entries = (0..3_000).map(|i| (i % 1_000, i));
    let mut map: Map<_, _> = entries.clone().collect();
    assert!(
        map.iter()
            .map(|(k, v)| (*k, *v))
            .eq((0..1_000).map(|k| (k, k + 2_000)))
    );
    map.extend([(1_000, 0), (0, 7)]);
    assert_eq!((map.len(), map.get(&0)), (1_001, Some(&7)));
    let copy = map.clone();
    map.remove(&500);
    assert_eq!((copy.len(), copy.get(&500)), (1_001, Some(&2_500)));
    assert_ne!(copy, map);
}

#[test]
#[should_panic(expected = "ascend")]
fn bulk_loads_must_ascend() {
    let _ = Map::from_sorted(vec![(1, ()), (3, ()), (3, ())]);
}

#[test]
fn large_maps() {
    let n: u64 = if cfg!(miri) { 500 } else { 200_000 };
    let mut map = Map::from_sorted((0..n).map(|k| (k * 3, k)).collect());
    let inserts = (0..n).map(|k| MapOp::Insert(k * 3 + 1, k));
    let removals = (0..n).map(|k| MapOp::Remove(k * 3));
    run_alone(&mut map, inserts.chain(removals).collect());
    assert_eq!(map.len() as u64, n);
    assert!(map.into_iter().eq((0..n).map(|k| (k * 3 + 1, k))));
}

#[test]
fn many_keys() {
    let n = 50_000;
    for pool in [pool(1), pool(2), pool(3)] {
        let preset: BTreeMap<u64, u64> = scattered(n).map(|key| (2 * key, key)).collect();
        let mut map = pool.install(|| Map::from_sorted(preset.clone().into_iter().collect()));
        let mut oracle = preset;
        let ops = scattered(n).map(|key| match key % 4 {
            0 => MapOp::Remove(key),
            _ => MapOp::Insert(key, key + 1),
        });
        let ops: Vec<_> = ops.collect();
        let found = pool.install(|| run_alone(&mut map, ops.clone()));
        assert_eq!(answers(&mut oracle, &ops), found);
        assert_eq!(map.len(), oracle.len());
        assert!(map.iter().eq(&oracle));
        // Few requests for each block, and single ones.
        let gets: Vec<_> = oracle
            .keys()
            .step_by(17)
            .map(|key| MapOp::Get(*key))
            .collect();
        let answers = pool.install(|| run_alone(&mut map, gets));
        let values = oracle
            .values()
            .step_by(17)
            .map(|value| MapAnswer::Value(Some(*value)));
        assert!(values.eq(answers));
        for key in 0..2 * n {
            assert_eq!(map.get(&key), oracle.get(&key));
            if key % 3 == 0 {
                assert_eq!(map.insert(key, 0), oracle.insert(key, 0));
            }
        }
        assert!(map.iter().eq(&oracle));
        let removes: Vec<_> = map.iter().map(|(key, _)| MapOp::Remove(*key)).collect();
        pool.install(|| run_alone(&mut map, removes));
        assert!(map.is_empty());
        assert_eq!(map.first_key_value(), None);
    }
}

#[test]
fn ranges() {
    let map: Map<i32, ()> = (0..1000).map(|n| (3 * n, ())).collect();
    let oracle: BTreeMap<i32, ()> = map.clone().into_iter().collect();
    assert!(map.range(..).eq(&oracle));
    for from in (-5..3010).step_by(7) {
        for to in [from, from + 1, from + 2, from + 3, from + 500] {
            assert!(map.range(from..to).eq(oracle.range(from..to)));
            assert!(map.range(from..=to).eq(oracle.range(from..=to)));
        }
        assert!(map.range(..from).eq(oracle.range(..from)));
        assert!(map.range(from..).eq(oracle.range(from..)));
        assert_eq!(
            map.range((Bound::Included(from + 1), Bound::Excluded(from)))
                .next(),
            None
        );
        assert_eq!(
            map.range((Bound::Excluded(from), Bound::Excluded(from)))
                .next(),
            None
        );
    }
    assert_eq!(Map::<i32, ()>::new().range(..).next(), None);
}

#[test]
fn iterators_know_their_length() {
    let map: Map<u64, u64> = scattered(1000).map(|n| (n, n)).collect();
    let mut iter = map.iter();
    let mut into_iter = map.clone().into_iter();
    for left in (0..1000).rev() {
        assert_eq!(iter.next().map(|(k, v)| (*k, *v)), into_iter.next());
        assert_eq!((iter.len(), into_iter.len()), (left, left));
    }
    assert_eq!((iter.next(), into_iter.next()), (None, None));
    assert_eq!(format!("{:?}", Map::from_iter([(1, 'a')])), "{1: 'a'}");
}

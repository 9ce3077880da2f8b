//! Keys whose `==` and `<` contradict their order, as those of floating-point numbers do: maps keep
//! to the order.

use super::Map;
use crate::{oracle::answers, scattered};
use std::{cmp::Ordering, collections::BTreeMap, ops::Bound};
use sumac_batch::{MapOp, run_alone};
use sumac_test_support::pool;

#[allow(clippy::derive_ord_xor_partial_ord, reason = "what a user may write")]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Float(f64);

impl Eq for Float {}

impl Ord for Float {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A third is NaN, with either sign and many payloads; `-0.0 < 0.0`.
fn floats() -> impl Iterator<Item = Float> + Clone {
    scattered(if cfg!(miri) { 40 } else { 3_000 }).map(|n| {
        let nan = f64::from_bits(f64::NAN.to_bits() + n);
        let number = n as f64;
        Float([nan, -nan, number, -number, 0.0, -0.0][n as usize % 6])
    })
}

#[test]
fn batches() {
    for pool in [pool(1), pool(2)] {
        let (mut map, mut expected) = (Map::new(), BTreeMap::new());
        let inserts = floats().enumerate().map(|(i, key)| MapOp::Insert(key, i));
        let gets = floats().map(MapOp::Get);
        let removes = floats().step_by(3).map(MapOp::Remove);
        let nan = Float(f64::NAN);
        let ranges = [
            (Bound::Included(nan), Bound::Unbounded),
            (Bound::Excluded(Float(0.0)), Bound::Included(nan)),
            (
                Bound::Included(Float(-f64::NAN)),
                Bound::Excluded(Float(-0.0)),
            ),
        ];
        let ranges = ranges.map(|bounds| MapOp::Range(Box::new(bounds)));
        let batches: [Vec<_>; 5] = [
            inserts.clone().collect(),
            inserts.chain(gets.clone()).collect(),
            removes.chain(floats().map(MapOp::Successor)).collect(),
            gets.chain(floats().map(MapOp::Predecessor)).collect(),
            ranges.into(),
        ];
        for ops in batches {
            let found = pool.install(|| run_alone(&mut map, ops.clone()));
            let right = answers(&mut expected, &ops);
            // As text, which does not compare numbers.
            assert_eq!(format!("{found:?}"), format!("{right:?}"));
            assert!(map.iter().cmp(&expected).is_eq());
        }
    }
}

#[test]
fn one_by_one() {
    let (mut map, mut expected) = (Map::new(), BTreeMap::new());
    for (i, key) in floats().enumerate() {
        assert_eq!(map.insert(key, i), expected.insert(key, i));
        assert_eq!(map.get(&key), Some(&i));
    }
    for key in floats().step_by(2) {
        assert_eq!(map.remove(&key), expected.remove(&key));
        assert!(!map.contains_key(&key));
    }
    assert!(map.iter().cmp(&expected).is_eq());
    let (from, to) = (Float(0.0), Float(f64::NAN));
    let inside = |&(key, _): &(&Float, _)| from.cmp(key).is_le() && to.cmp(key).is_ge();
    let inside = expected.iter().filter(inside);
    assert!(map.range(from..=to).cmp(inside).is_eq());
    assert!(map.range(to..=from).next().is_none());
    assert_eq!(map, map.clone());
    let copy = map.clone();
    assert_eq!(map.insert(Float(f64::NAN), 1), None);
    assert_ne!(map, copy);
}

#[test]
fn bulk_loads() {
    let twice = || floats().chain(floats()).zip(0..);
    let built: Map<_, _> = twice().collect();
    // Std's bulk load compares keys by `==`.
    let mut expected = BTreeMap::new();
    expected.extend(twice());
    assert!(built.iter().cmp(&expected).is_eq());
    let mut loaded = Map::from_sorted(expected.clone().into_iter().collect());
    assert_eq!(loaded, built);
    loaded.extend(floats().zip(0..));
    assert_eq!(loaded.len(), expected.len());
}

//! What ordered maps answer, by std's; and any operations for them.

use super::{MapAnswer, MapOp};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    ops::{Bound, RangeBounds},
};

/// What an operation answers by itself.
pub(crate) fn answer<K: Ord + Clone, V: Clone>(
    map: &mut BTreeMap<K, V>,
    op: &MapOp<K, V>,
) -> MapAnswer<K, V> {
    let owned = |(key, value): (&K, &V)| (key.clone(), value.clone());
    match op {
        MapOp::Insert(key, value) => MapAnswer::Value(map.insert(key.clone(), value.clone())),
        MapOp::Remove(key) => MapAnswer::Value(map.remove(key)),
        MapOp::Get(key) => MapAnswer::Value(map.get(key).cloned()),
        MapOp::Contains(key) => MapAnswer::Found(map.contains_key(key)),
        MapOp::Successor(key) => {
            let mut later = map.range((Bound::Excluded(key), Bound::Unbounded));
            MapAnswer::Entry(later.next().map(owned))
        }
        MapOp::Predecessor(key) => MapAnswer::Entry(map.range(..key).next_back().map(owned)),
        MapOp::Range(bounds) => {
            let inside = map.iter().filter(|&(key, _)| bounds.contains(key));
            MapAnswer::Entries(inside.map(owned).collect())
        }
        MapOp::TakeRange(n, bounds) => {
            let inside = map.iter().filter(|&(key, _)| bounds.contains(key));
            MapAnswer::Entries(inside.take(*n).map(owned).collect())
        }
        MapOp::First => MapAnswer::Entry(map.first_key_value().map(owned)),
        MapOp::Last => MapAnswer::Entry(map.last_key_value().map(owned)),
        MapOp::Len => MapAnswer::Len(map.len()),
        #[allow(unreachable_patterns, reason = "the crate's own tests know all")]
        _ => unreachable!("an operation that the oracle does not know"),
    }
}

/// What the operations of a batch answer: those that look at many keys see the map as it was.
#[allow(dead_code, reason = "some programs have no batches")]
pub(crate) fn answers<K: Ord + Clone, V: Clone>(
    map: &mut BTreeMap<K, V>,
    ops: &[MapOp<K, V>],
) -> Vec<MapAnswer<K, V>> {
    let mut before = map.clone();
    let answers = ops.iter().map(|op| match op {
        MapOp::Insert(..) | MapOp::Remove(_) | MapOp::Get(_) | MapOp::Contains(_) => {
            answer(map, op)
        }
        _ => answer(&mut before, op),
    });
    answers.collect()
}

/// Any operation on so many keys.
#[allow(dead_code, reason = "some programs have operations of their own")]
pub(crate) fn op<V: Clone + std::fmt::Debug>(
    keys: u32,
    value: fn(u32) -> V,
) -> impl Strategy<Value = MapOp<u32, V>> {
    let bound = move || {
        prop_oneof![
            (0..keys).prop_map(Bound::Included),
            (0..keys).prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    };
    prop_oneof![
        8 => (0..keys, any::<u32>()).prop_map(move |(key, n)| MapOp::Insert(key, value(n))),
        6 => (0..keys).prop_map(MapOp::Remove),
        3 => (0..keys).prop_map(MapOp::Get),
        1 => (0..keys).prop_map(MapOp::Contains),
        1 => (0..keys).prop_map(MapOp::Successor),
        1 => (0..keys).prop_map(MapOp::Predecessor),
        1 => (bound(), bound()).prop_map(|bounds| MapOp::Range(Box::new(bounds))),
        1 => (0..9_usize, bound(), bound())
            .prop_map(|(n, from, to)| MapOp::TakeRange(n, Box::new((from, to)))),
        1 => prop_oneof![Just(MapOp::First), Just(MapOp::Last), Just(MapOp::Len)],
    ]
}

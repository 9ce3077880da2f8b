//! What ordered maps answer, by std's; and any operations for them.

use super::{MapAnswer, MapOp};
use proptest::prelude::*;
use std::{collections::BTreeMap, ops::Bound};
use sumac_test_support::OnlyOrd;

/// Any key; maps use only its order.
pub(crate) type Key = OnlyOrd<u32>;

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
            let inside = map.iter().filter(|(key, _)| contains(bounds, key));
            MapAnswer::Entries(inside.map(owned).collect())
        }
        MapOp::TakeRange(n, bounds) => {
            let inside = map.iter().filter(|(key, _)| contains(bounds, key));
            MapAnswer::Entries(inside.take(*n).map(owned).collect())
        }
        MapOp::First => MapAnswer::Entry(map.first_key_value().map(owned)),
        MapOp::Last => MapAnswer::Entry(map.last_key_value().map(owned)),
        MapOp::Len => MapAnswer::Len(map.len()),
        #[allow(unreachable_patterns, reason = "the crate's own tests know all")]
        _ => unreachable!("an operation that the oracle does not know"),
    }
}

fn contains<K: Ord>((from, to): &(Bound<K>, Bound<K>), key: &K) -> bool {
    let begun = match from {
        Bound::Included(from) => key.cmp(from).is_ge(),
        Bound::Excluded(from) => key.cmp(from).is_gt(),
        Bound::Unbounded => true,
    };
    begun
        && match to {
            Bound::Included(to) => key.cmp(to).is_le(),
            Bound::Excluded(to) => key.cmp(to).is_lt(),
            Bound::Unbounded => true,
        }
}

/// The same answers with keys that can be compared by `==`.
#[allow(dead_code, reason = "some programs have other keys")]
pub(crate) fn plain<K: Copy, V>(answers: Vec<MapAnswer<OnlyOrd<K>, V>>) -> Vec<MapAnswer<K, V>> {
    let entry = |(key, value): (OnlyOrd<K>, V)| (key.0, value);
    let answers = answers.into_iter().map(|answer| match answer {
        MapAnswer::Value(value) => MapAnswer::Value(value),
        MapAnswer::Found(found) => MapAnswer::Found(found),
        MapAnswer::Entry(one) => MapAnswer::Entry(one.map(entry)),
        MapAnswer::Entries(all) => MapAnswer::Entries(all.into_iter().map(entry).collect()),
        MapAnswer::Len(len) => MapAnswer::Len(len),
        #[allow(unreachable_patterns, reason = "the crate's own tests know all")]
        _ => unreachable!("an answer that the oracle does not know"),
    });
    answers.collect()
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
) -> impl Strategy<Value = MapOp<Key, V>> {
    let key = move || (0..keys).prop_map(OnlyOrd);
    let bound = move || {
        prop_oneof![
            key().prop_map(Bound::Included),
            key().prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    };
    prop_oneof![
        8 => (key(), any::<u32>()).prop_map(move |(key, n)| MapOp::Insert(key, value(n))),
        6 => key().prop_map(MapOp::Remove),
        3 => key().prop_map(MapOp::Get),
        1 => key().prop_map(MapOp::Contains),
        1 => key().prop_map(MapOp::Successor),
        1 => key().prop_map(MapOp::Predecessor),
        1 => (bound(), bound()).prop_map(|bounds| MapOp::Range(Box::new(bounds))),
        1 => (0..9_usize, bound(), bound())
            .prop_map(|(n, from, to)| MapOp::TakeRange(n, Box::new((from, to)))),
        1 => prop_oneof![Just(MapOp::First), Just(MapOp::Last), Just(MapOp::Len)],
    ]
}

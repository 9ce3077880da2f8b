//! What hash maps answer, by std's ordered one; and any operations for them.

use super::{HashMapAnswer, HashMapOp};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What an operation answers by itself.
pub(crate) fn answer<K: Ord + Clone, V: Clone>(
    map: &mut BTreeMap<K, V>,
    op: &HashMapOp<K, V>,
) -> HashMapAnswer<V> {
    match op {
        HashMapOp::Insert(key, value) => {
            HashMapAnswer::Value(map.insert(key.clone(), value.clone()))
        }
        HashMapOp::Remove(key) => HashMapAnswer::Value(map.remove(key)),
        HashMapOp::Get(key) => HashMapAnswer::Value(map.get(key).cloned()),
        HashMapOp::Contains(key) => HashMapAnswer::Found(map.contains_key(key)),
        HashMapOp::Len => HashMapAnswer::Len(map.len()),
        _ => unreachable!("an operation that the oracle does not know"),
    }
}

/// What the operations of a batch answer: `Len` sees the map as it was.
#[allow(dead_code, reason = "some programs have no batches")]
pub(crate) fn answers<K: Ord + Clone, V: Clone>(
    map: &mut BTreeMap<K, V>,
    ops: &[HashMapOp<K, V>],
) -> Vec<HashMapAnswer<V>> {
    let len = map.len();
    let answers = ops.iter().map(|op| match op {
        HashMapOp::Len => HashMapAnswer::Len(len),
        op => answer(map, op),
    });
    answers.collect()
}

/// Any operation on so many keys.
#[allow(dead_code, reason = "some programs have operations of their own")]
pub(crate) fn op<V: Clone + std::fmt::Debug>(
    keys: u32,
    value: fn(u32) -> V,
) -> impl Strategy<Value = HashMapOp<u32, V>> {
    prop_oneof![
        8 => (0..keys, any::<u32>()).prop_map(move |(key, n)| HashMapOp::Insert(key, value(n))),
        6 => (0..keys).prop_map(HashMapOp::Remove),
        3 => (0..keys).prop_map(HashMapOp::Get),
        2 => (0..keys).prop_map(HashMapOp::Contains),
        1 => Just(HashMapOp::Len),
    ]
}

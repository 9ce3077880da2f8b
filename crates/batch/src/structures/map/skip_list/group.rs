//! The requests of one batch that concern the same key, which are neighbours.

use crate::{
    MapAnswer, MapOp,
    structures::map::group::{MapRequest, key_of},
};

/// How many requests at the front have the first one's key. They are sorted by key.
#[inline]
pub(super) fn group_len<K: Ord, V>(requests: &[MapRequest<K, V>]) -> usize {
    let Some((first, rest)) = requests.split_first() else {
        return 0;
    };
    let key = key_of(first);
    1 + rest
        .iter()
        .take_while(|request| key_of(request).cmp(key).is_eq())
        .count()
}

/// Answers the requests of one key, which had this value before, in their order. Returns the key,
/// as the first of them has it, and its value afterwards.
#[inline]
pub(super) fn settle<K, V: Clone>(
    group: &mut [MapRequest<K, V>],
    mut value: Option<V>,
) -> (K, Option<V>) {
    let mut first = None;
    for request in group {
        let (key, answer) = match request.take_op() {
            MapOp::Insert(key, new) => (key, MapAnswer::Value(value.replace(new))),
            MapOp::Remove(key) => (key, MapAnswer::Value(value.take())),
            MapOp::Get(key) => (key, MapAnswer::Value(value.clone())),
            MapOp::Contains(key) => (key, MapAnswer::Found(value.is_some())),
            _ => unreachable!("it concerns one key"),
        };
        first.get_or_insert(key);
        request.answer(answer);
    }
    (first.expect("a group has a request"), value)
}

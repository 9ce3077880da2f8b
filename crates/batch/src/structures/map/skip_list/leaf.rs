//! The requests of a batch for one block of level 0, and those for one key that is there.

use super::{
    block::{Block, Up},
    group::{self, group_len},
    heights::Heights,
    search::search,
    settle::append,
};
use crate::structures::map::{
    group::{MapRequest, key_of},
    op::{MapAnswer, MapOp},
};
use std::mem;
use sumac_core::Scope;

/// Above so many requests for one block of level 0, the block is split between two threads first.
const MANY: usize = if cfg!(test) { 16 } else { 256 };

/// Carries out requests on a block of level 0.
pub(super) fn settle_leaf<K, V>(
    scope: &mut Scope<'_>,
    leaf: &mut Block<K, V>,
    requests: &mut [MapRequest<K, V>],
    heights: &Heights,
) -> (Vec<Up<K, V>>, isize)
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    if requests.len() > MANY {
        settle_large(scope, leaf, requests, heights)
    } else {
        settle_serial(leaf, requests, heights)
    }
}

/// Shares the block out, and puts it together again.
fn settle_large<K, V>(
    scope: &mut Scope<'_>,
    leaf: &mut Block<K, V>,
    requests: &mut [MapRequest<K, V>],
    heights: &Heights,
) -> (Vec<Up<K, V>>, isize)
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    let key = key_of(&requests[requests.len() / 2]);
    let mut cut = requests.partition_point(|request| key_of(request).cmp(key).is_lt());
    if cut == 0 {
        cut = group_len(requests);
    }
    let (left, right) = requests.split_at_mut(cut);
    let Some(first) = right.first() else {
        return settle_serial(leaf, left, heights);
    };
    let (Ok(gap) | Err(gap)) = leaf.search(key_of(first));
    let mut half = leaf.split(&[gap]);
    let ((mut ups, more), (ups_right, more_right)) = scope.join(
        |scope| settle_leaf(scope, leaf, left, heights),
        |scope| settle_leaf(scope, &mut half, right, heights),
    );
    match ups.last_mut() {
        Some(up) => up.block.append(half),
        None => leaf.append(half),
    }
    append(&mut ups, ups_right);
    (ups, more + more_right)
}

/// One group after the other, from the right, so that nothing moves that is still to be looked at.
fn settle_serial<K: Ord, V: Clone>(
    leaf: &mut Block<K, V>,
    mut requests: &mut [MapRequest<K, V>],
    heights: &Heights,
) -> (Vec<Up<K, V>>, isize) {
    let (mut ups, mut more) = (Vec::new(), 0);
    let mut end = leaf.keys.len();
    while let Some((last, before)) = requests.split_last() {
        let key = key_of(last);
        let place = search(&leaf.keys[..end], key);
        let differs = |request: &MapRequest<K, V>| key_of(request).cmp(key).is_ne();
        let before = before.iter().rposition(differs);
        let (rest, group) = requests.split_at_mut(before.map_or(0, |i| i + 1));
        requests = rest;
        match place {
            Ok(at) => {
                end = at;
                if let Some(request) = settle_present(group, &mut leaf.values[at]) {
                    let (_key, value) = leaf.remove(at);
                    more -= 1;
                    request.take_op();
                    request.answer(MapAnswer::Value(Some(value)));
                }
            }
            Err(at) => {
                end = at;
                let height = heights.at(group[0].index());
                let (key, value) = group::settle(group, None);
                let Some(value) = value else {
                    continue;
                };
                more += 1;
                if height == 0 {
                    leaf.insert(at, key, value);
                } else {
                    let block = leaf.split(&[at]);
                    let gap = 0;
                    ups.push(Up {
                        key,
                        value,
                        height,
                        gap,
                        block,
                    });
                }
            }
        }
    }
    ups.reverse();
    (ups, more)
}

/// Answers the requests for a key that is there, and stores its new value. If the key is to go,
/// returns the one request that is still to be answered: with the value that leaves with the key.
pub(super) fn settle_present<'r, K, V: Clone>(
    mut group: &'r mut [MapRequest<K, V>],
    value: &mut V,
) -> Option<&'r mut MapRequest<K, V>> {
    while let Some((request, rest)) = group.split_first_mut() {
        group = rest;
        if !matches!(request.op(), MapOp::Remove(_)) {
            let answer = match request.take_op() {
                MapOp::Insert(_, new) => MapAnswer::Value(Some(mem::replace(value, new))),
                MapOp::Get(_) => MapAnswer::Value(Some(value.clone())),
                MapOp::Contains(_) => MapAnswer::Found(true),
                _ => unreachable!("it concerns one key"),
            };
            request.answer(answer);
            continue;
        }
        // Absent until it is inserted.
        let is_insert = |request: &MapRequest<K, V>| matches!(request.op(), MapOp::Insert(..));
        let insert = group.iter().position(is_insert).unwrap_or(group.len());
        let (absent, rest) = group.split_at_mut(insert);
        if !absent.is_empty() {
            group::settle(absent, None);
        }
        let Some((insert, rest)) = rest.split_first_mut() else {
            return Some(request);
        };
        let MapOp::Insert(_, new) = insert.take_op() else {
            unreachable!("it inserts");
        };
        request.take_op();
        request.answer(MapAnswer::Value(Some(mem::replace(value, new))));
        insert.answer(MapAnswer::Value(None));
        group = rest;
    }
    None
}

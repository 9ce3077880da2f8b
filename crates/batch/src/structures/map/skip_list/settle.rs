//! A batch of requests that concern one key each: down the levels along the gaps, and up again with
//! what changes in each block.
//!
//! What runs code of the user (comparing, cloning, dropping) leaves every block whole at each step;
//! keys on their way up are lost if it unwinds, no more.

use super::{
    SkipList,
    block::{Block, Leaving, Path, Up},
    group::{self, group_len},
    heights::Heights,
    leaf::{settle_leaf, settle_present},
    search::search,
};
use crate::structures::map::{
    group::{MapRequest, key_of},
    op::MapAnswer,
    prefetch::{GROUP, prefetch_paths},
};
use std::{mem, slice};
use sumac_core::Scope;

/// What a part of the batch has done to its part of a block.
struct Changes<'r, K, V> {
    ups: Vec<Up<K, V>>,
    leaving: Vec<Leaving<'r, K, V>>,
    /// New keys less removed ones.
    more: isize,
}

impl<K, V> Changes<'_, K, V> {
    const NONE: Self = Changes {
        ups: Vec::new(),
        leaving: Vec::new(),
        more: 0,
    };

    fn append(&mut self, right: Self) {
        append(&mut self.ups, right.ups);
        append(&mut self.leaving, right.leaving);
        self.more += right.more;
    }
}

pub(super) fn append<T>(left: &mut Vec<T>, mut right: Vec<T>) {
    if left.is_empty() {
        *left = right;
    } else {
        left.append(&mut right);
    }
}

impl<K, V> SkipList<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    /// Answers requests, sorted by key and by arrival.
    pub(super) fn settle_all(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]) {
        let heights = self.heights.fork();
        let guard = Recount(self);
        let list = &mut *guard.0;
        if requests.len() <= GROUP {
            prefetch_paths(requests, |_| Some(&list.root));
        }
        let (mut ups, more) = settle(scope, &mut list.root, list.top, requests, &heights);
        while !ups.is_empty() {
            list.raise(list.top + 1);
            ups.iter_mut().for_each(|up| up.gap = 0);
            ups = list.root.merge(list.top, ups, Vec::new());
        }
        list.lower();
        list.len = list.len.wrapping_add_signed(more);
        mem::forget(guard);
    }
}

/// Puts the list in order if a batch unwinds.
struct Recount<'a, K, V>(&'a mut SkipList<K, V>);

impl<K, V> Drop for Recount<'_, K, V> {
    fn drop(&mut self) {
        self.0.lower();
        self.0.len = self.0.root.count();
    }
}

/// Carries out requests on a block. Returns the keys that are higher, where the block is now cut,
/// and how many keys have become more.
fn settle<K, V>(
    scope: &mut Scope<'_>,
    block: &mut Block<K, V>,
    level: usize,
    requests: &mut [MapRequest<K, V>],
    heights: &Heights,
) -> (Vec<Up<K, V>>, isize)
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    if let [request] = requests {
        return settle_single(block, level, request, heights);
    }
    if level == 0 {
        return settle_leaf(scope, block, requests, heights);
    }
    let part = Part {
        level,
        first: 0,
        keys: &block.keys,
        values: &mut block.values,
        down: &mut block.down,
    };
    let changes = part.settle(scope, requests, heights);
    let mut ups = changes.ups;
    if !ups.is_empty() || !changes.leaving.is_empty() {
        ups = block.merge(level, ups, changes.leaving);
    }
    (ups, changes.more)
}

/// Carries out a single request: as `SkipList` does, but it may be that the key goes higher than
/// the block.
fn settle_single<K: Ord, V: Clone>(
    block: &mut Block<K, V>,
    level: usize,
    request: &mut MapRequest<K, V>,
    heights: &Heights,
) -> (Vec<Up<K, V>>, isize) {
    let mut path = Path::default();
    match block.find(level, key_of(request), &mut path, false) {
        Ok((block, at)) => {
            let group = slice::from_mut(request);
            if let Some(request) = settle_present(group, &mut block.values[at]) {
                let (_key, value) = block.remove(at);
                request.take_op();
                request.answer(MapAnswer::Value(Some(value)));
                return (Vec::new(), -1);
            }
        }
        Err((leaf, gap)) => {
            let height = heights.at(request.index());
            if let (key, Some(value)) = group::settle(slice::from_mut(request), None) {
                if height == 0 {
                    leaf.insert(gap, key, value);
                } else if height <= level {
                    block.insert_high(level, height, &path, key, value);
                } else {
                    let up = Up {
                        key,
                        value,
                        height,
                        gap: 0,
                        block: block.split(&path[..=level]),
                    };
                    return (vec![up], 1);
                }
                return (Vec::new(), 1);
            }
        }
    }
    (Vec::new(), 0)
}

/// Some consecutive keys of a block above level 0, and what lies between and around them.
struct Part<'b, K, V> {
    level: usize,
    /// The index of the first gap.
    first: usize,
    keys: &'b [K],
    values: &'b mut [V],
    down: &'b mut [Block<K, V>],
}

impl<K, V> Part<'_, K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    /// Asks for the memory of what lies between the keys, if the requests are a group.
    fn prefetch(&self, requests: &[MapRequest<K, V>]) {
        if requests.len() <= GROUP {
            prefetch_paths(requests, |key| {
                let gap = search(self.keys, key).err()?;
                self.down.get(gap)
            });
        }
    }

    /// Shares keys and requests out until there is only one gap or no request.
    fn settle<'r>(
        self,
        scope: &mut Scope<'_>,
        requests: &'r mut [MapRequest<K, V>],
        heights: &Heights,
    ) -> Changes<'r, K, V> {
        if requests.is_empty() {
            return Changes::NONE;
        }
        let beyond_group = requests.len() > GROUP;
        let mut middle = self.keys.len() / 2;
        if requests.len() < self.keys.len() {
            // The key behind the middle one of the requests.
            let (Ok(at) | Err(at)) = self
                .keys
                .binary_search(key_of(&requests[requests.len() / 2]));
            middle = at.min(self.keys.len() - 1);
        }
        let Some(key) = self.keys.get(middle) else {
            let below = self.level - 1;
            let (mut ups, more) = settle(scope, &mut self.down[0], below, requests, heights);
            ups.iter_mut().for_each(|up| up.gap = self.first);
            let leaving = Vec::new();
            return Changes { ups, leaving, more };
        };
        let less = requests.partition_point(|request| key_of(request).cmp(key).is_lt());
        let (left, rest) = requests.split_at_mut(less);
        let same = match rest.first() {
            Some(request) if key_of(request).cmp(key).is_eq() => group_len(rest),
            _ => 0,
        };
        let (group, right) = rest.split_at_mut(same);
        let (values, right_values) = self.values.split_at_mut(middle);
        let (value, right_values) = right_values.split_first_mut().expect("one for each key");
        let (down, right_down) = self.down.split_at_mut(middle + 1);
        let low = Part {
            keys: &self.keys[..middle],
            values,
            down,
            ..self
        };
        let high = Part {
            level: self.level,
            first: self.first + middle + 1,
            keys: &self.keys[middle + 1..],
            values: right_values,
            down: right_down,
        };
        let at = self.first + middle;
        let mut leaving = None;
        if !group.is_empty() {
            leaving = settle_present(group, value);
        }
        if leaving.is_none() && right.is_empty() {
            return low.settle(scope, left, heights);
        }
        if leaving.is_none() && left.is_empty() {
            return high.settle(scope, right, heights);
        }
        // The thread that carries out a group asks for its memory.
        let (mut changes, more) = scope.join(
            |scope| {
                if beyond_group {
                    low.prefetch(left);
                }
                low.settle(scope, left, heights)
            },
            |scope| {
                if beyond_group {
                    high.prefetch(right);
                }
                high.settle(scope, right, heights)
            },
        );
        if let Some(request) = leaving {
            changes.leaving.push((at, request));
            changes.more -= 1;
        }
        changes.append(more);
        changes
    }
}

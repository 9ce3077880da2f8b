//! How a batch is sorted: what has no key of its own first, then by key, and by arrival where keys
//! are equal.
//!
//! Requests are five words and more. So small keys are copied out, each with the place of its
//! request; these pairs are sorted, without a look at anything else, and then every request goes to
//! its place, along the cycles of the permutation.

use crate::Request;
use std::mem;
use sumac_par::prelude::*;

/// With fewer requests the pairs are not worth their memory.
const MANY: usize = if cfg!(miri) { 4 } else { 64 };

/// Keys up to this size are copied, if there is nothing to drop in them.
const SMALL: usize = 16;

/// Sorts a batch by the keys of its operations.
pub(crate) fn sort<K, O, A>(batch: &mut [Request<O, A>], key: fn(&O) -> Option<&K>)
where
    K: Ord + Clone + Send + Sync,
    O: Send + Sync,
    A: Send + Sync,
{
    let small = size_of::<K>() <= SMALL && !mem::needs_drop::<K>();
    if small && batch.len() >= MANY && u32::try_from(batch.len()).is_ok() {
        by_pairs(batch, key);
    } else if batch.len() > 1 {
        batch.par_sort_unstable_by(|a, b| {
            let order = key(a.op()).cmp(&key(b.op()));
            order.then_with(|| a.index().cmp(&b.index()))
        });
    }
}

/// Sorts a batch by arrival, if it has been permuted.
pub(crate) fn by_arrival<O: Send, A: Send>(batch: &mut [Request<O, A>]) {
    if !batch.is_sorted_by_key(|request| request.index()) {
        batch.par_sort_unstable_by_key(|request| request.index());
    }
}

fn by_pairs<K, O, A>(batch: &mut [Request<O, A>], key: fn(&O) -> Option<&K>)
where
    K: Ord + Clone + Send + Sync,
    O: Send + Sync,
    A: Send + Sync,
{
    let has_key = |request: &Request<O, A>| key(request.op()).is_some();
    by_arrival(batch);
    if !batch.iter().all(has_key) {
        batch.par_sort_by_key(has_key);
    }
    let wide = batch.partition_point(|request| !has_key(request));
    let narrow = &mut batch[wide..];
    let places = narrow.par_iter().enumerate();
    let mut pairs: Vec<(K, u32)> = places
        .map(|(place, request)| {
            let key = key(request.op()).expect("it has a key");
            (key.clone(), place as u32)
        })
        .collect();
    // Places tell equal keys apart, in their order of arrival.
    pairs.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
    // Each step along a cycle waits for the one before it: among places alone it is a short one.
    let mut order: Vec<u32> = pairs.into_iter().map(|(_, place)| place).collect();
    permute(narrow, &mut order);
}

/// Puts at each place the request whose place `order` names there; then that names its own.
fn permute<R>(requests: &mut [R], order: &mut [u32]) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = mem::replace(&mut order[at], at as u32) as usize;
            if from == start {
                break;
            }
            requests.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MapOp, structures::map::group::MapRequest};
    use proptest::prelude::*;
    use sumac_test_support::{cases, sized};

    fn requests(keys: &[u8]) -> Vec<MapRequest<u8, ()>> {
        let op = |&key: &u8| match key {
            0..5 => MapOp::First,
            5..9 => MapOp::Len,
            key => MapOp::Get(key),
        };
        let numbered = keys.iter().enumerate();
        numbered.map(|(i, key)| Request::new(op(key), i)).collect()
    }

    fn order(batch: &[MapRequest<u8, ()>]) -> Vec<(Option<u8>, usize)> {
        let of = |request: &MapRequest<u8, ()>| (request.op().key().copied(), request.index());
        batch.iter().map(of).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(200)))]

        /// Also where the requests do not come in their order of arrival.
        #[test]
        fn as_by_key_and_arrival(keys in prop::collection::vec(any::<u8>(), 0..sized(300, 40)), turn in 0..300_usize) {
            let mut batch = requests(&keys);
            let len = batch.len().max(1);
            batch.rotate_left(turn % len);
            let mut expected = order(&batch);
            expected.sort();
            sort(&mut batch, MapOp::key);
            prop_assert_eq!(order(&batch), expected);
        }
    }
}

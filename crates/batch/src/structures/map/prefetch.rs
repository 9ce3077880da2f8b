//! Memory that a batch is about to need, asked for in advance.
//!
//! An operation on a large map mostly waits for memory: on each level for keys, which say where to
//! go on. But the operations of a batch do not wait for each other. So before a group of them is
//! carried out, one after the other, all of them go down the map together, level by level, and each
//! asks for the memory of its next node. While that comes, the others ask for theirs. (*Group
//! prefetching*: Chen, Ailamaki, Gibbons, Mowry, "Improving hash join performance through
//! prefetching", ICDE 2004.)
//!
//! Only keys are compared here, and nothing is changed: a panic of a comparison leaves the map as
//! it was.

use super::group::{MapRequest, key_of};
use std::{ptr, slice};
use sumac_core::prefetch;

/// The most operations that go down together: the caches have place for what they ask for. Fewer
/// where maps are small, in tests.
pub(super) const GROUP: usize = if cfg!(any(test, miri)) { 4 } else { 128 };

/// Returns whether a map with so many entries is too large for the caches next to a processor. Only
/// then it pays off for a single operation to ask for its leaf.
#[inline]
pub(super) fn is_far<K, V>(len: usize) -> bool {
    const NEAR: usize = 1 << 18;
    len.saturating_mul(size_of::<K>() + size_of::<V>()) > NEAR
}

/// A node of a map, on the way of a search.
pub(super) trait Descend<K>: Sized {
    /// Asks for the memory that a search reads in this node; on the last level, for all of it.
    fn prefetch(&self);

    /// Returns the node in which the search for a key goes on, if it does not end here.
    fn below(&self, key: &K) -> Option<&Self>;
}

/// Asks for the nodes that a group of requests passes, each from the node on that `first` returns
/// for its key. The requests are sorted by key.
pub(super) fn prefetch_paths<'m, K, V, N: Descend<K> + 'm>(
    requests: &[MapRequest<K, V>],
    first: impl Fn(&K) -> Option<&'m N>,
) {
    debug_assert!(requests.len() <= GROUP, "a group");
    let mut nodes = [None; GROUP];
    for (node, request) in nodes.iter_mut().zip(requests) {
        *node = first(key_of(request));
    }
    loop {
        let mut last = ptr::null();
        for node in nodes.into_iter().flatten() {
            if !ptr::eq(node, last) {
                node.prefetch();
                last = node;
            }
        }
        let mut on = false;
        for (node, request) in nodes.iter_mut().zip(requests) {
            *node = node.and_then(|node: &N| node.below(key_of(request)));
            if let Some(node) = *node {
                prefetch(slice::from_ref(node));
                on = true;
            }
        }
        if !on {
            return;
        }
    }
}

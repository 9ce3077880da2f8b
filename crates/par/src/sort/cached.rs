//! Sorting by keys that are computed once per element.

use super::quick::sort_unstable;
use crate::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

/// Sorts stably by keys, calling `key` once per element.
pub(crate) fn sort_by_cached_key<T, K, F>(v: &mut [T], key: &F)
where
    T: Send,
    K: Ord + Send,
    F: Fn(&T) -> K + Sync,
{
    if v.len() < 2 {
        return;
    }
    let len = v.len();
    let mut order: Vec<(K, usize)> = v
        .par_iter_mut()
        .zip(0..len)
        .map(|(element, index)| (key(element), index))
        .collect();
    // No two keys with indices are equal, so this is stable.
    sort_unstable(&mut order, &|a, b| a.cmp(b));
    for place in 0..len {
        // The element that belongs here was at `index`; if that place has been filled, the element
        // was swapped to the place from which that one came.
        let mut index = order[place].1;
        while index < place {
            index = order[index].1;
        }
        order[place].1 = index;
        v.swap(place, index);
    }
}

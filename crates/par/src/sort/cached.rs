//! Sorting by keys that are made once per element.

use super::quick::sort_unstable;
use crate::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

/// Sorts by the keys that `key` makes, stably, calling it once per element.
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
    // No two are equal, so this is stable.
    sort_unstable(&mut order, &|a, b| a.cmp(b));
    for place in 0..len {
        // What belongs here was at `index`; if that place was filled before, it went where its
        // former inhabitant came from.
        let mut index = order[place].1;
        while index < place {
            index = order[index].1;
        }
        order[place].1 = index;
        v.swap(place, index);
    }
}

//! Partitioning in place, by swaps only: the slice keeps its elements with any predicate, also if
//! it panics.

/// Moves the elements for which `goes_left` holds before all others; returns their number.
///
/// One swap per element and no branch that depends on it, so nothing is mispredicted.
#[inline]
pub(super) fn partition<T>(v: &mut [T], mut goes_left: impl FnMut(&T) -> bool) -> usize {
    let mut left = 0;
    for i in 0..v.len() {
        let goes = goes_left(&v[i]);
        v.swap(left, i);
        left += usize::from(goes);
    }
    left
}

//! Partitioning in place, by exchanges only: whatever the predicate does, and wherever it panics,
//! the slice keeps its elements.

/// Brings the elements for which `goes_left` holds before all others; says how many there are.
///
/// One exchange per element and no branch that depends on it, so nothing is mispredicted.
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

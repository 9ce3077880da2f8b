//! Ranges of indices, as users pass them.

use std::ops::{Bound, Range, RangeBounds};

/// Returns the indices below `len` in `range`.
///
/// # Panics
/// If `range` ends before it starts, or behind `len`.
pub(crate) fn within(range: &impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let after = |bound: usize| {
        bound
            .checked_add(1)
            .expect("a range ends behind all indices")
    };
    let start = match range.start_bound() {
        Bound::Unbounded => 0,
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => after(start),
    };
    let end = match range.end_bound() {
        Bound::Unbounded => len,
        Bound::Included(&end) => after(end),
        Bound::Excluded(&end) => end,
    };
    assert!(start <= end, "a range begins at {start} but ends at {end}");
    assert!(end <= len, "a range ends at {end}, behind {len} items");
    start..end
}

//! Input that is almost sorted except for a few elements that were exchanged: only those are
//! sorted, among their places.
//!
//! One pass finds elements to leave out so that the others are in order: if an element is less than
//! the last one kept, both are left out. (One of each such pair has to be left out, so that is at
//! most twice as many as needed.) They are swapped to the front, sorted there, and swapped back. If
//! they belong to each other's places, the slice is sorted then; if not, for instance because an
//! element was inserted, the caller has to sort, and has lost little time. There are only swaps, so
//! no element gets lost.

use std::{cmp::Ordering, ops::Range};

/// At most one of so many elements may be out of place,
const SHARE: usize = 16;
/// and some more at the beginning.
const GRACE: usize = 32;

/// Sorts elements that were exchanged. Returns whether it tried.
pub(super) fn mend<T, F, S>(v: &mut [T], compare: &F, sort: S) -> bool
where
    F: Fn(&T, &T) -> Ordering,
    S: FnOnce(&mut [T]),
{
    let Some(misplaced) = misplaced(v, compare) else {
        return false;
    };
    // The places are in ascending order, so none is before the place at the front that it is
    // swapped with.
    let places: Vec<usize> = misplaced.into_iter().flatten().collect();
    for (front, &place) in places.iter().enumerate() {
        v.swap(front, place);
    }
    sort(&mut v[..places.len()]);
    for (front, &place) in places.iter().enumerate().rev() {
        v.swap(front, place);
    }
    true
}

/// Returns ranges without which `v` is in order, or `None` if they are too many.
fn misplaced<T, F>(v: &[T], compare: &F) -> Option<Vec<Range<usize>>>
where
    F: Fn(&T, &T) -> Ordering,
{
    let mut gaps: Vec<Range<usize>> = Vec::new();
    let mut total = 0;
    // The last element kept.
    let mut top = None;
    for i in 0..v.len() {
        let Some(kept) = top else {
            top = Some(i);
            continue;
        };
        if compare(&v[i], &v[kept]) != Ordering::Less {
            top = Some(i);
            continue;
        }
        total += 2;
        if total > GRACE + i / SHARE {
            return None;
        }
        // All between the two is left out already, and possibly the element before.
        let mut gap = kept..i + 1;
        while let Some(last) = gaps.last().filter(|last| last.end >= gap.start) {
            gap.start = gap.start.min(last.start);
            gaps.pop();
        }
        top = gap.start.checked_sub(1);
        gaps.push(gap);
    }
    Some(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(v: &[u32]) -> Option<Vec<Range<usize>>> {
        misplaced(v, &u32::cmp)
    }

    #[test]
    fn what_is_left_is_in_order() {
        assert_eq!(gaps(&[1, 2, 3]), Some(vec![]));
        let one = |range| Some(vec![range]);
        assert_eq!(gaps(&[1, 9, 3, 4]), one(1..3));
        assert_eq!(gaps(&[3, 2, 1, 4]), one(0..2));
        assert_eq!(gaps(&[1, 2, 8, 9, 3, 4, 5]), one(2..6));
        assert_eq!(gaps(&[2, 3, 1, 1, 1, 0]), one(0..6));
    }

    #[test]
    fn disorder_is_given_up_soon() {
        let calls = std::cell::Cell::new(0);
        let len = if cfg!(miri) { 1_000 } else { 100_000 };
        let v: Vec<u32> = (0..len).rev().collect();
        let found = misplaced(&v, &|a, b| {
            calls.set(calls.get() + 1);
            a.cmp(b)
        });
        assert_eq!(found, None);
        assert!(calls.get() < 100, "{calls:?}");
    }

    #[test]
    fn exchanged_elements_find_home() {
        let (len, swaps) = if cfg!(miri) {
            (2_100, 20)
        } else {
            (10_000, 100)
        };
        let sorted: Vec<u32> = (0..len).collect();
        let mut v = sorted.clone();
        for i in 0..swaps {
            v.swap(i * 97, i * 53 + 1000);
        }
        assert_ne!(v, sorted);
        assert!(mend(&mut v, &u32::cmp, |few| {
            assert!(few.len() < 1000);
            few.sort_unstable();
        }));
        assert_eq!(v, sorted);
    }
}

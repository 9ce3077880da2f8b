//! Quicksort: the two sides of each partition are the halves of a join.
//!
//! Elements are only swapped, so none is lost or duplicated with any `compare`.

use super::{mend::mend, partition::partition, pivot, runs};
use std::cmp::Ordering;
use sumac_core::{handed_over, join};

/// Parts of at most this many elements are left to std.
const LEAF: usize = if cfg!(miri) { 1 << 5 } else { 1 << 15 };

/// Sorts; the order of equal elements is unspecified.
pub(crate) fn sort_unstable<T, F>(v: &mut [T], compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if size_of::<T>() > 0 {
        handed_over(|| sort(v, compare));
    }
}

fn sort<T, F>(v: &mut [T], compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let swapped = |a: &T, b: &T| compare(a, b) == Ordering::Greater;
    let reversible = |a: &T, b: &T| compare(a, b) != Ordering::Less;
    if v.len() <= LEAF {
        v.sort_unstable_by(compare);
        return;
    }
    if runs::sort(v, &swapped, &reversible) {
        return;
    }
    // Twice the depth with good pivots.
    let levels = 2 * v.len().ilog2();
    let mended = mend(v, compare, |few| recurse(few, None, levels, compare));
    if !(mended && runs::sort(v, &swapped, &reversible)) {
        recurse(v, None, levels, compare);
    }
}

/// `before` is the greatest element before `v`, if there is one: it was a pivot. (It is not `Sync`,
/// but the left half may have it.)
fn recurse<'v, T, F>(mut v: &'v mut [T], before: Option<&'v mut T>, mut levels: u32, compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    loop {
        if v.len() <= LEAF || levels == 0 {
            v.sort_unstable_by(compare);
            return;
        }
        levels -= 1;
        let chosen = pivot::choose(v, compare);
        v.swap(0, chosen);
        let smallest = before
            .as_deref()
            .is_some_and(|before| compare(before, &v[0]) != Ordering::Less);
        if smallest {
            // All elements equal to it are in their places before the others, so many equal
            // elements cost little.
            let equal = by_first(v, |x, pivot| compare(pivot, x) != Ordering::Less);
            v = &mut v[1 + equal..];
            continue;
        }
        let less = by_first(v, |x, pivot| compare(x, pivot) == Ordering::Less);
        v.swap(0, less);
        let (left, right) = v.split_at_mut(less);
        let Some((pivot, right)) = right.split_first_mut() else {
            return;
        };
        join(
            || recurse(left, before, levels, compare),
            || recurse(right, Some(pivot), levels, compare),
        );
        return;
    }
}

/// Partitions the elements behind the first by comparing with the first; returns how many of them
/// go left.
fn by_first<T>(v: &mut [T], goes_left: impl Fn(&T, &T) -> bool) -> usize {
    match v.split_first_mut() {
        Some((pivot, rest)) => partition(rest, |x| goes_left(x, pivot)),
        None => 0,
    }
}

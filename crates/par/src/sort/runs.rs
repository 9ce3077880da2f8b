//! Input that is sorted or reversed: found by one pass, in parallel, which ends early if it is
//! neither.

use crate::flag::Flag;
use sumac_core::join;

/// The number of elements that are checked between two looks at `failed`.
const GO: usize = if cfg!(miri) { 1 << 5 } else { 1 << 12 };

/// Sorts `v` if it is sorted or reversed, and returns whether it did. `swapped(a, b)`: two
/// neighbours are in the wrong order; `reversible(a, b)`: they may be swapped.
pub(super) fn sort<T, S, R>(v: &mut [T], swapped: &S, reversible: &R) -> bool
where
    T: Send,
    S: Fn(&T, &T) -> bool + Sync,
    R: Fn(&T, &T) -> bool + Sync,
{
    let [first, second, ..] = v else { return true };
    if !swapped(first, second) {
        return all(v, &|a, b| !swapped(a, b), &Flag::default());
    }
    let descending = all(v, reversible, &Flag::default());
    if descending {
        let (low, high) = v.split_at_mut(v.len() / 2);
        let odd = high.len() - low.len();
        exchange(low, &mut high[odd..]);
    }
    descending
}

/// Returns the length of the sorted run at the start of `v`, if it is long.
pub(super) fn long_run<T>(v: &[T], swapped: &impl Fn(&T, &T) -> bool) -> Option<usize> {
    let last = v.windows(2).position(|pair| swapped(&pair[0], &pair[1]))?;
    (last >= v.len() / 8).then_some(last + 1)
}

/// Returns whether `fine` holds for all neighbours. Takes a mutable slice, since elements need not
/// be `Sync`.
fn all<T, F>(v: &mut [T], fine: &F, failed: &Flag) -> bool
where
    T: Send,
    F: Fn(&T, &T) -> bool + Sync,
{
    if failed.is_raised() {
        return false;
    }
    let middle = v.len() / 2;
    let holds = if v.len() <= GO {
        v.windows(2).all(|pair| fine(&pair[0], &pair[1]))
    } else if fine(&v[middle - 1], &v[middle]) {
        let (left, right) = v.split_at_mut(middle);
        let (a, b) = join(|| all(left, fine, failed), || all(right, fine, failed));
        a && b
    } else {
        false
    };
    if !holds {
        failed.raise();
    }
    holds
}

/// Swaps the elements of two slices of the same length, the first with the last, and so on.
fn exchange<T: Send>(low: &mut [T], high: &mut [T]) {
    debug_assert_eq!(low.len(), high.len());
    if low.len() <= GO {
        for (a, b) in low.iter_mut().zip(high.iter_mut().rev()) {
            std::mem::swap(a, b);
        }
        return;
    }
    let outer = low.len() / 2;
    let (low_outer, low_inner) = low.split_at_mut(outer);
    let (high_inner, high_outer) = high.split_at_mut(high.len() - outer);
    join(
        || exchange(low_outer, high_outer),
        || exchange(low_inner, high_inner),
    );
}

//! The choice of a pivot: medians of three of medians of three, from places distributed over the
//! slice.

use std::cmp::Ordering;

/// Returns the index of an element that is likely to be near the middle. `v` must not be empty.
pub(super) fn choose<T, F>(v: &[T], compare: &F) -> usize
where
    F: Fn(&T, &T) -> Ordering,
{
    // 3^levels samples: about the square root of the length.
    let levels = (v.len().max(1).ilog2() / 3).min(10);
    let samples = 3_usize.pow(levels);
    let step = v.len() / samples;
    if step == 0 {
        return v.len() / 2;
    }
    median(v, step / 2, step, samples, compare)
}

/// Returns the index of a pseudo-median of `samples` elements, from `first` on, `step` apart.
fn median<T, F>(v: &[T], first: usize, step: usize, samples: usize, compare: &F) -> usize
where
    F: Fn(&T, &T) -> Ordering,
{
    if samples == 1 {
        return first;
    }
    let third = samples / 3;
    let [a, b, c] = [0, 1, 2].map(|i| median(v, first + i * third * step, step, third, compare));
    let less = |i: usize, j: usize| compare(&v[i], &v[j]) == Ordering::Less;
    let a_first = less(a, b);
    if a_first == less(b, c) {
        b
    } else if a_first == less(a, c) {
        c
    } else {
        a
    }
}

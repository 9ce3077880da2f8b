//! Mergesort: quarters are sorted in parallel, and merged through a buffer (merge.rs).

use super::{merge, runs};
use std::{cmp::Ordering, mem::MaybeUninit};
use sumac_core::{current_num_threads, handed_over};

/// Parts of at most this many elements are left to std,
const LEAF: usize = if cfg!(miri) { 1 << 5 } else { 1 << 12 };
/// and so are parts if there are this many per thread.
const LEAVES: usize = 8;

/// Sorts; equal elements stay in order.
pub(crate) fn sort_stable<T, F>(v: &mut [T], compare: &F)
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
    if v.len() <= LEAF {
        v.sort_by(compare);
        return;
    }
    if runs::sort(v, &swapped, &swapped) {
        return;
    }
    let run = runs::long_run(v, &swapped);
    let run = run.filter(|&run| runs::sort(&mut v[run..], &swapped, &swapped));
    let mut buffer = Vec::<T>::with_capacity(v.len());
    let buffer = buffer.spare_capacity_mut();
    if let Some(run) = run {
        // Two sorted runs, or a sorted and a reversed one.
        merge::halves(v, run, buffer, compare);
    } else {
        let leaf = (v.len() / (LEAVES * current_num_threads())).max(LEAF);
        recurse(v, buffer, leaf, compare);
    }
}

fn recurse<T, F>(v: &mut [T], buffer: &mut [MaybeUninit<T>], leaf: usize, compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if v.len() <= leaf {
        v.sort_by(compare);
        return;
    }
    let (half, low, high) = (v.len() / 2, v.len() / 4, (v.len() - v.len() / 2) / 2);
    let sort = |v: &mut [T], buffer: &mut [MaybeUninit<T>]| recurse(v, buffer, leaf, compare);
    merge::in_two(
        v,
        buffer,
        half,
        |v, buffer| merge::in_two(v, buffer, low, sort, sort),
        |v, buffer| merge::in_two(v, buffer, high, sort, sort),
    );
    merge::quarters(v, [low, half, half + high], buffer, compare);
}

//! Collecting into a `Vec`: in place if positions are exact, else run by run.

use super::slots;
use crate::{
    iter::ParallelIterator,
    shape::{Seal, Sink},
};

/// Collects all items, in order.
pub(crate) fn into_vec<I: ParallelIterator>(items: I) -> Vec<I::Item> {
    match items.exact_len(Seal(())) {
        Some(len) => slots::collect(items, len),
        None => concatenate(lists(items)),
    }
}

/// Collects all items, in order, in several vectors.
pub(crate) fn into_lists<I: ParallelIterator>(items: I) -> Vec<Vec<I::Item>> {
    match items.exact_len(Seal(())) {
        Some(_) => vec![items.into_vec(Seal(()))],
        None => lists(items),
    }
}

/// Appends all items, in order.
pub(crate) fn append<I: ParallelIterator>(vec: &mut Vec<I::Item>, items: I) {
    if vec.capacity() == 0 {
        *vec = items.into_vec(Seal(()));
        return;
    }
    match items.exact_len(Seal(())) {
        Some(len) => slots::append(vec, items, len),
        None => slots::append_lists(vec, lists(items)),
    }
}

/// Runs the loop into lists.
fn lists<I: ParallelIterator>(items: I) -> Vec<Vec<I::Item>> {
    let Listed { mut lists, last } = items.drive(&Lists);
    lists.push(last);
    lists
}

/// Up to so many bytes are moved to the list before them instead of kept as a list of their own.
const SHORT: usize = 4096;

/// Each run collects a `Vec` of its own.
struct Lists;

/// The lists of runs. Needs no allocation of its own for one run: the runs of inner loops
/// (`flat_map`) are many and short.
struct Listed<T> {
    lists: Vec<Vec<T>>,
    /// The list behind all others.
    last: Vec<T>,
}

impl<T: Send> Sink<T> for Lists {
    type Acc = Vec<T>;
    type Output = Listed<T>;

    fn begin(&self, _: usize) -> Vec<T> {
        Vec::new()
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Vec<T>, items: I) {
        acc.extend(items);
    }

    fn finish(&self, last: Vec<T>) -> Listed<T> {
        let lists = Vec::new();
        Listed { lists, last }
    }

    fn merge(&self, mut left: Listed<T>, mut right: Listed<T>) -> Listed<T> {
        if left.last.is_empty() {
            left.last = right.last;
            left.lists.append(&mut right.lists);
        } else if right.lists.is_empty() && size_of_val(&right.last[..]) <= SHORT {
            left.last.append(&mut right.last);
        } else {
            left.lists.push(left.last);
            left.lists.append(&mut right.lists);
            left.last = right.last;
        }
        left
    }
}

/// Returns the number of items in all lists.
pub(crate) fn total_len<T>(lists: &[Vec<T>]) -> usize {
    lists.iter().map(Vec::len).sum()
}

/// Concatenates vectors, into the first if it has room for the others.
pub(crate) fn concatenate<T: Send>(mut lists: Vec<Vec<T>>) -> Vec<T> {
    let len = total_len(&lists);
    let mut all = match lists.first() {
        Some(first) if first.capacity() >= len => lists.remove(0),
        _ => Vec::new(),
    };
    slots::append_lists(&mut all, lists);
    all
}

//! Collecting into a `Vec`: into its place, where positions are exact, else run by run.

use super::slots;
use crate::{
    iter::ParallelIterator,
    shape::{Seal, Sink},
};

/// All items, in order.
pub(crate) fn into_vec<I: ParallelIterator>(items: I) -> Vec<I::Item> {
    match items.exact_len(Seal(())) {
        Some(len) => slots::collect(items, len),
        None => concatenate(items.drive(&Lists)),
    }
}

/// All items, in order, in as many vectors as is convenient.
pub(crate) fn into_lists<I: ParallelIterator>(items: I) -> Vec<Vec<I::Item>> {
    match items.exact_len(Seal(())) {
        Some(_) => vec![items.into_vec(Seal(()))],
        None => items.drive(&Lists),
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
        None => slots::append_lists(vec, items.drive(&Lists)),
    }
}

/// Each run collects a `Vec` of its own.
struct Lists;

impl<T: Send> Sink<T> for Lists {
    type Acc = Vec<T>;
    type Output = Vec<Vec<T>>;

    fn begin(&self, _: usize) -> Vec<T> {
        Vec::new()
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Vec<T>, items: I) {
        acc.extend(items);
    }

    fn finish(&self, acc: Vec<T>) -> Vec<Vec<T>> {
        vec![acc]
    }

    fn merge(&self, mut left: Vec<Vec<T>>, right: Vec<Vec<T>>) -> Vec<Vec<T>> {
        left.extend(right);
        left
    }
}

/// How many items these are.
pub(crate) fn total_len<T>(lists: &[Vec<T>]) -> usize {
    lists.iter().map(Vec::len).sum()
}

/// One vector of many: the first, if it has room for the others.
pub(crate) fn concatenate<T: Send>(mut lists: Vec<Vec<T>>) -> Vec<T> {
    let len = total_len(&lists);
    let mut all = match lists.first() {
        Some(first) if first.capacity() >= len => lists.remove(0),
        _ => Vec::new(),
    };
    slots::append_lists(&mut all, lists);
    all
}

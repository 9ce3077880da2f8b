//! `collect` into a `Vec`: into its place, where positions are exact, else run by run.

use super::slots;
use crate::{
    iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Seal, Sink},
};

/// All items, in order.
pub(crate) fn into_vec<I: ParallelIterator>(items: I) -> Vec<I::Item> {
    match items.exact_len(Seal(())) {
        Some(len) => slots::collect(items, len),
        None => concatenate(items.drive(&Lists)),
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

fn concatenate<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let len = lists.iter().map(Vec::len).sum::<usize>();
    let mut lists = lists.into_iter();
    let mut all = lists.next().unwrap_or_default();
    all.reserve_exact(len - all.len());
    for mut list in lists {
        all.append(&mut list);
    }
    all
}

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self {
        items.into_par_iter().into_vec(Seal(()))
    }
}

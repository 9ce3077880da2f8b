//! `reduce`, `count`, and the methods based on them.

use crate::shape::Sink;

/// `reduce_with`: the result of an empty run is `None`.
pub(crate) struct Reduce<F> {
    pub(crate) op: F,
}

impl<T: Send, F: Fn(T, T) -> T + Sync> Sink<T> for Reduce<F> {
    type Acc = Option<T>;
    type Output = Option<T>;

    #[inline]
    fn begin(&self, _: usize) -> Option<T> {
        None
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Option<T>, items: I) {
        *acc = match acc.take() {
            None => items.reduce(&self.op),
            Some(before) => Some(items.fold(before, &self.op)),
        };
    }

    #[inline]
    fn finish(&self, acc: Option<T>) -> Option<T> {
        acc
    }

    #[inline]
    fn merge(&self, left: Option<T>, right: Option<T>) -> Option<T> {
        match (left, right) {
            (Some(left), Some(right)) => Some((self.op)(left, right)),
            (left, right) => left.or(right),
        }
    }
}

/// `count`.
pub(crate) struct Count;

impl<T> Sink<T> for Count {
    type Acc = usize;
    type Output = usize;

    fn begin(&self, _: usize) -> usize {
        0
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut usize, items: I) {
        *acc += items.count();
    }

    fn finish(&self, acc: usize) -> usize {
        acc
    }

    fn merge(&self, left: usize, right: usize) -> usize {
        left + right
    }
}

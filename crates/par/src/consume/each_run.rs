//! The sink of `unzip`, and of collecting into texts: each run has a collection of its own.

use crate::shape::Sink;
use std::marker::PhantomData;

/// Each run collects an `X` of its own.
pub(super) struct EachRun<X>(PhantomData<fn() -> X>);

impl<X> EachRun<X> {
    pub(super) fn new() -> Self {
        EachRun(PhantomData)
    }
}

impl<T, X: Default + Extend<T> + Send> Sink<T> for EachRun<X> {
    type Acc = X;
    type Output = Vec<X>;

    fn begin(&self, _: usize) -> X {
        X::default()
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut X, items: I) {
        acc.extend(items);
    }

    fn finish(&self, acc: X) -> Vec<X> {
        vec![acc]
    }

    fn merge(&self, mut left: Vec<X>, right: Vec<X>) -> Vec<X> {
        left.extend(right);
        left
    }
}

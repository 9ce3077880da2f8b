//! `sum` and `product`.

use crate::shape::Sink;
use std::{iter::Sum, marker::PhantomData};

pub(crate) struct Summing<R>(PhantomData<fn() -> R>);

impl<R> Summing<R> {
    pub(crate) fn new() -> Self {
        Summing(PhantomData)
    }
}

impl<T, R: Send + Sum<T> + Sum<R>> Sink<T> for Summing<R> {
    /// Nothing before the first block: its sum need not be added to anything.
    type Acc = Option<R>;
    type Output = R;

    #[inline]
    fn begin(&self, _: usize) -> Option<R> {
        None
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Option<R>, items: I) {
        let sum = items.sum();
        *acc = Some(match acc.take() {
            None => sum,
            Some(before) => add(before, sum),
        });
    }

    #[inline]
    fn finish(&self, acc: Option<R>) -> R {
        acc.unwrap_or_else(|| std::iter::empty::<R>().sum())
    }

    #[inline]
    fn merge(&self, left: R, right: R) -> R {
        add(left, right)
    }
}

#[inline]
fn add<R: Sum<R>>(left: R, right: R) -> R {
    [left, right].into_iter().sum()
}

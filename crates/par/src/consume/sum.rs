//! `sum` and `product`.

use crate::shape::Sink;
use std::{
    iter::{Product, Sum},
    marker::PhantomData,
};

macro_rules! total {
    ($Sink:ident, $Trait:ident, $method:ident) => {
        pub(crate) struct $Sink<R>(PhantomData<fn() -> R>);

        impl<R> $Sink<R> {
            pub(crate) fn new() -> Self {
                $Sink(PhantomData)
            }
        }

        impl<T, R: Send + $Trait<T> + $Trait<R>> Sink<T> for $Sink<R> {
            /// `None` before the first block, whose total need not be added to anything.
            type Acc = Option<R>;
            type Output = R;

            #[inline]
            fn begin(&self, _: usize) -> Option<R> {
                None
            }

            #[inline]
            fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Option<R>, items: I) {
                let block = items.$method();
                *acc = Some(match acc.take() {
                    None => block,
                    Some(before) => [before, block].into_iter().$method(),
                });
            }

            #[inline]
            fn finish(&self, acc: Option<R>) -> R {
                acc.unwrap_or_else(|| std::iter::empty::<R>().$method())
            }

            #[inline]
            fn merge(&self, left: R, right: R) -> R {
                [left, right].into_iter().$method()
            }
        }
    };
}

total!(Summing, Sum, sum);
total!(Multiplying, Product, product);

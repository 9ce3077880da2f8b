//! Collecting into a `String` or an `OsString`: each run has its own, and merging appends.

use crate::{
    iter::{IntoParallelIterator, ParallelExtend, ParallelIterator},
    shape::Sink,
};
use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    marker::PhantomData,
};

/// Each run collects a text of type `X`.
struct Texts<X>(PhantomData<fn() -> X>);

impl<T, X: Default + Extend<T> + Send> Sink<T> for Texts<X> {
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

macro_rules! extend {
    ($([$($generics:tt)*] $Item:ty => $Text:ident;)*) => {$(
        impl<$($generics)*> ParallelExtend<$Item> for $Text {
            fn par_extend<I: IntoParallelIterator<Item = $Item>>(&mut self, items: I) {
                let texts = items.into_par_iter().drive(&Texts::<$Text>(PhantomData));
                self.reserve(texts.iter().map(|text| text.len()).sum());
                self.extend(texts);
            }
        }
    )*};
}

/// The pairs of text and item types, for a macro that takes each pair.
macro_rules! texts {
    ($each:ident) => {
        $each! {
            [] char => String;
            ['a] &'a char => String;
            ['a] &'a str => String;
            [] String => String;
            [] Box<str> => String;
            ['a] Cow<'a, str> => String;
            ['a] &'a OsStr => OsString;
            [] OsString => OsString;
            ['a] Cow<'a, OsStr> => OsString;
        }
    };
}
pub(super) use texts;

texts!(extend);

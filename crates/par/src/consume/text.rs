//! Collecting into a `String`: each run has its own, and merging appends.

use crate::{
    iter::{IntoParallelIterator, ParallelExtend, ParallelIterator},
    shape::Sink,
};
use std::borrow::Cow;

struct Texts;

impl<T> Sink<T> for Texts
where
    String: Extend<T>,
{
    type Acc = String;
    type Output = Vec<String>;

    fn begin(&self, _: usize) -> String {
        String::new()
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut String, items: I) {
        acc.extend(items);
    }

    fn finish(&self, acc: String) -> Vec<String> {
        vec![acc]
    }

    fn merge(&self, mut left: Vec<String>, right: Vec<String>) -> Vec<String> {
        left.extend(right);
        left
    }
}

macro_rules! extend_string {
    ($([$($generics:tt)*] $Item:ty;)*) => {$(
        impl<$($generics)*> ParallelExtend<$Item> for String {
            fn par_extend<I: IntoParallelIterator<Item = $Item>>(&mut self, items: I) {
                let texts = items.into_par_iter().drive(&Texts);
                self.reserve(texts.iter().map(String::len).sum());
                self.extend(texts);
            }
        }
    )*};
}

extend_string! {
    [] char;
    ['a] &'a char;
    ['a] &'a str;
    [] String;
    [] Box<str>;
    ['a] Cow<'a, str>;
}

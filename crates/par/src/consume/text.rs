//! Collecting into a `String` or an `OsString`: each run has its own, and merging appends.

use super::each_run::EachRun;
use crate::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};
use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
};

macro_rules! extend {
    ($([$($generics:tt)*] $Item:ty => $Text:ident;)*) => {$(
        impl<$($generics)*> ParallelExtend<$Item> for $Text {
            fn par_extend<I: IntoParallelIterator<Item = $Item>>(&mut self, items: I) {
                let texts = items.into_par_iter().drive(&EachRun::<$Text>::new());
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

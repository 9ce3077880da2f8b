//! The characters of a string, its bytes, and its UTF-16.
//!
//! Positions are bytes; a split cuts at the next boundary of a `char`.

use crate::{
    iter::{IntoParallelIterator, ParallelIterator},
    kernel,
    shape::{Producer, Seal, Sink},
};
use std::str;

/// Returns the first boundary of a `char` at or behind `at`.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    let inside = (at..text.len()).take_while(|&at| !text.is_char_boundary(at));
    at + inside.count()
}

/// The rest of a string, and the number of bytes before it.
#[derive(Debug)]
struct Text<'t> {
    text: &'t str,
    before: usize,
}

impl<'t> Text<'t> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.text.split_at(boundary(self.text, at));
        let right = Text {
            text: right,
            before: self.before + left.len(),
        };
        (Text { text: left, ..self }, right)
    }
}

/// Items, each with its byte index, counted from `before`.
pub(super) struct Placed<I> {
    pub(super) before: usize,
    pub(super) items: I,
}

impl<T, I: Iterator<Item = (usize, T)>> Iterator for Placed<I> {
    type Item = (usize, T);

    #[inline]
    fn next(&mut self) -> Option<(usize, T)> {
        let (place, item) = self.items.next()?;
        Some((self.before + place, item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, (usize, T)) -> B>(self, init: B, mut f: F) -> B {
        let before = self.before;
        self.items
            .fold(init, |acc, (place, item)| f(acc, (before + place, item)))
    }
}

macro_rules! units {
    ($($(#[$attr:meta])* $Name:ident, $NameProducer:ident: $Item:ty, $Iter:ty, |$t:ident| $iter:expr;)*) => {$(
        $(#[$attr])*
        #[derive(Clone, Debug)]
        #[must_use = "iterators are lazy"]
        pub struct $Name<'t> {
            pub(super) text: &'t str,
        }

        impl<'t> ParallelIterator for $Name<'t> {
            type Item = $Item;

            fn drive<S: Sink<$Item>>(self, sink: &S) -> S::Output {
                let text = Text {
                    text: self.text,
                    before: 0,
                };
                kernel::drive($NameProducer(text), sink)
            }
        }

        struct $NameProducer<'t>(Text<'t>);

        impl<'t> Producer for $NameProducer<'t> {
            type Item = $Item;
            type State = ();
            type Iter = $Iter;

            fn len(&self) -> usize {
                self.0.text.len()
            }

            fn split_at(self, at: usize) -> (Self, Self) {
                let (left, right) = self.0.split_at(at);
                ($NameProducer(left), $NameProducer(right))
            }

            fn state(&self) {}

            fn iter(self, (): &()) -> $Iter {
                let $t = self.0;
                $iter
            }
        }
    )*};
}

units! {
    /// See [`par_chars`](super::ParallelString::par_chars).
    Chars, CharsProducer: char, str::Chars<'t>, |t| t.text.chars();

    /// See [`par_char_indices`](super::ParallelString::par_char_indices).
    CharIndices, CharIndicesProducer: (usize, char), Placed<str::CharIndices<'t>>,
    |t| Placed { before: t.before, items: t.text.char_indices() };

    /// See [`par_encode_utf16`](super::ParallelString::par_encode_utf16).
    EncodeUtf16, EncodeUtf16Producer: u16, str::EncodeUtf16<'t>, |t| t.text.encode_utf16();
}

/// See [`par_bytes`](super::ParallelString::par_bytes).
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Bytes<'t> {
    pub(super) text: &'t str,
}

impl ParallelIterator for Bytes<'_> {
    type Item = u8;

    fn drive<S: Sink<u8>>(self, sink: &S) -> S::Output {
        self.bytes().drive(sink)
    }

    fn exact_len(&self, _: Seal) -> Option<usize> {
        Some(self.text.len())
    }
}

impl<'t> Bytes<'t> {
    fn bytes(self) -> impl ParallelIterator<Item = u8> + 't {
        self.text.as_bytes().into_par_iter().map(|&byte| byte)
    }
}

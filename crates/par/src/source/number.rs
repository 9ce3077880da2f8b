//! The elements of ranges: integers and `char`.

use std::{
    fmt::Debug,
    ops::{Range, RangeInclusive},
};

/// An integer or a `char`.
pub trait Number: Copy + Send + Sync + PartialOrd + Debug {
    /// A block of a range.
    type Iter: Iterator<Item = Self>;
    /// A block of an inclusive range.
    type IterInclusive: Iterator<Item = Self>;

    /// No numbers.
    const NONE: RangeInclusive<Self>;

    /// Returns the distance from `from` to `to`, which is not less.
    fn steps(from: Self, to: Self) -> u128;

    /// Returns the number `steps` steps on, which exists.
    fn forward(self, steps: u128) -> Self;

    /// Iterates over a range.
    fn iter(range: Range<Self>) -> Self::Iter;

    /// Iterates over an inclusive range.
    fn iter_inclusive(range: RangeInclusive<Self>) -> Self::IterInclusive;
}

macro_rules! integers {
    ($($t:ty, $unsigned:ty;)*) => {$(
        impl Number for $t {
            type Iter = Range<$t>;
            type IterInclusive = RangeInclusive<$t>;

            const NONE: RangeInclusive<$t> = RangeInclusive::new(1, 0);

            #[allow(clippy::cast_sign_loss, clippy::cast_lossless, reason = "modulo 2 to the bits, which is right")]
            #[inline]
            fn steps(from: $t, to: $t) -> u128 {
                to.wrapping_sub(from) as $unsigned as u128
            }

            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_possible_wrap,
                reason = "modulo 2 to the bits, which is right"
            )]
            #[inline]
            fn forward(self, steps: u128) -> $t {
                self.wrapping_add(steps as $t)
            }

            #[inline]
            fn iter(range: Range<$t>) -> Range<$t> {
                range
            }

            #[inline]
            fn iter_inclusive(range: RangeInclusive<$t>) -> RangeInclusive<$t> {
                range
            }
        }
    )*};
}

integers! {
    u8, u8; u16, u16; u32, u32; u64, u64; u128, u128; usize, usize;
    i8, u8; i16, u16; i32, u32; i64, u64; i128, u128; isize, usize;
}

/// The first number that is no `char`, and the number of those.
const GAP: u32 = 0xD800;
const GAP_LEN: u32 = 0x800;

/// Returns the number of `char`s before this one.
#[inline]
fn ordinal(c: char) -> u32 {
    let c = u32::from(c);
    if c < GAP { c } else { c - GAP_LEN }
}

/// Returns the `char` with `ordinal` others before it.
#[inline]
fn nth(ordinal: u32) -> char {
    let code = if ordinal < GAP {
        ordinal
    } else {
        ordinal + GAP_LEN
    };
    char::from_u32(code).expect("an ordinal of a char")
}

/// `char`s in a row.
#[derive(Clone, Debug)]
pub struct Chars {
    ordinals: Range<u32>,
}

impl Iterator for Chars {
    type Item = char;

    #[inline]
    fn next(&mut self) -> Option<char> {
        self.ordinals.next().map(nth)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ordinals.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, char) -> B>(self, init: B, f: F) -> B {
        self.ordinals.map(nth).fold(init, f)
    }
}

impl DoubleEndedIterator for Chars {
    #[inline]
    fn next_back(&mut self) -> Option<char> {
        self.ordinals.next_back().map(nth)
    }
}

impl ExactSizeIterator for Chars {}

impl Number for char {
    type Iter = Chars;
    type IterInclusive = Chars;

    const NONE: RangeInclusive<char> = RangeInclusive::new('b', 'a');

    fn steps(from: char, to: char) -> u128 {
        u128::from(ordinal(to) - ordinal(from))
    }

    #[allow(clippy::cast_possible_truncation, reason = "there are few chars")]
    fn forward(self, steps: u128) -> char {
        nth(ordinal(self) + steps as u32)
    }

    fn iter(range: Range<char>) -> Chars {
        Chars {
            ordinals: ordinal(range.start)..ordinal(range.end),
        }
    }

    fn iter_inclusive(range: RangeInclusive<char>) -> Chars {
        // The ends do not show whether the range is exhausted.
        let more = u32::from(!range.is_empty());
        let (start, end) = range.into_inner();
        Chars {
            ordinals: ordinal(start)..ordinal(end) + more,
        }
    }
}

/// The common part of both kinds of ranges: the iterator, and the numbers for which it is indexed,
/// which are so few that `usize` can count them.
macro_rules! range_iter {
    ($(#[$attr:meta])* $Range:ident, indexed: $($t:ty)*) => {
        $(#[$attr])*
        #[derive(Clone, Debug)]
        #[must_use = "iterators are lazy"]
        pub struct Iter<T> {
            range: $Range<T>,
        }

        impl<T> IntoParallelIterator for $Range<T>
        where
            Iter<T>: ParallelIterator,
        {
            type Iter = Iter<T>;
            type Item = <Iter<T> as ParallelIterator>::Item;

            fn into_par_iter(self) -> Iter<T> {
                Iter { range: self }
            }
        }

        impl<T: Number> ParallelIterator for Iter<T> {
            type Item = T;

            fn drive<S: Sink<T>>(self, sink: &S) -> S::Output {
                kernel::drive(self, sink)
            }

            fn exact_len(&self, _: Seal) -> Option<usize> {
                self.checked_len()
            }

            push_few!(|items| Producer::len(items), |items| items);
        }

        $(
            impl IndexedParallelIterator for Iter<$t> {
                type Producer<'p> = Iter<$t>;

                fn len(&self) -> usize {
                    Producer::len(self)
                }

                fn producer(&mut self, _: Seal) -> Iter<$t> {
                    self.clone()
                }
            }
        )*
    };
}
pub(super) use range_iter;

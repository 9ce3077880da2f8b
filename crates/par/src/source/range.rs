//! Ranges of integers and of `char`s.
//!
//! All are producers with exact positions. A range with more than `usize::MAX` numbers has
//! `usize::MAX` positions.

use super::number::Number;
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    kernel,
    shape::{Producer, Seal, Sink, push_few},
};
use std::ops::Range;

/// A parallel iterator over a range.
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Iter<T> {
    range: Range<T>,
}

impl<T> IntoParallelIterator for Range<T>
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
        usize::try_from(count(&self.range)).ok()
    }

    push_few!(
        |items| items.exact_len(Seal(())).unwrap_or(usize::MAX),
        |items| items
    );
}

/// Returns the number of numbers in a range.
#[inline]
fn count<T: Number>(range: &Range<T>) -> u128 {
    if range.start < range.end {
        T::steps(range.start, range.end)
    } else {
        0
    }
}

impl<T: Number> Iter<T> {
    /// Returns the first `before` numbers, and the others.
    #[inline]
    fn cut(self, before: u128) -> (Self, Self) {
        let Range { start, end } = self.range;
        let middle = start.forward(before);
        let part = |range| Iter { range };
        (part(start..middle), part(middle..end))
    }
}

impl<T: Number> Producer for Iter<T> {
    type Item = T;
    type State = ();
    type Iter = T::Iter;

    fn len(&self) -> usize {
        usize::try_from(count(&self.range)).unwrap_or(usize::MAX)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        self.cut(at as u128)
    }

    fn split_last(self, at: usize) -> (Self, Self) {
        let before = count(&self.range) - at as u128;
        self.cut(before)
    }

    fn halve(self) -> (Self, Self) {
        let before = count(&self.range) / 2;
        self.cut(before)
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> T::Iter {
        T::iter(self.range)
    }
}

macro_rules! indexed {
    ($($t:ty)*) => {$(
        impl IndexedParallelIterator for Iter<$t> {
            type Producer<'p> = Iter<$t>;

            fn len(&self) -> usize {
                Producer::len(self)
            }

            fn producer(&mut self, _: Seal) -> Iter<$t> {
                self.clone()
            }
        }
    )*};
}

indexed! { u8 u16 u32 usize i8 i16 i32 isize char }

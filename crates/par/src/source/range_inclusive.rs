//! Inclusive ranges of integers and of `char`s.

use super::number::Number;
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    kernel,
    shape::{Producer, Seal, Sink, push_few},
};
use std::ops::RangeInclusive;

/// A parallel iterator over an inclusive range.
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Iter<T> {
    range: RangeInclusive<T>,
}

impl<T> IntoParallelIterator for RangeInclusive<T>
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
        count(&self.range)
    }

    push_few!(
        |items| items.exact_len(Seal(())).unwrap_or(usize::MAX),
        |items| items
    );
}

/// Returns the number of numbers in a range, if it fits.
#[inline]
fn count<T: Number>(range: &RangeInclusive<T>) -> Option<usize> {
    if range.is_empty() {
        return Some(0);
    }
    let steps = usize::try_from(T::steps(*range.start(), *range.end()));
    steps.ok()?.checked_add(1)
}

impl<T: Number> Iter<T> {
    /// Returns the number of numbers after the first, which fits even if the number of all does
    /// not.
    fn steps(&self) -> u128 {
        T::steps(*self.range.start(), *self.range.end())
    }

    /// Returns the first `before` numbers, and the others.
    fn cut(self, before: u128) -> (Self, Self) {
        let part = |range| Iter { range };
        let Some(steps) = before.checked_sub(1) else {
            return (part(T::NONE), self);
        };
        if before > self.steps() {
            return (self, part(T::NONE));
        }
        let (start, end) = self.range.into_inner();
        (
            part(start..=start.forward(steps)),
            part(start.forward(before)..=end),
        )
    }
}

impl<T: Number> Producer for Iter<T> {
    type Item = T;
    type State = ();
    type Iter = T::IterInclusive;

    fn len(&self) -> usize {
        count(&self.range).unwrap_or(usize::MAX)
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        self.cut(at as u128)
    }

    fn split_last(self, at: usize) -> (Self, Self) {
        match at.checked_sub(1) {
            None => (self, Iter { range: T::NONE }),
            Some(steps) => {
                let before = self.steps() - steps as u128;
                self.cut(before)
            }
        }
    }

    fn halve(self) -> (Self, Self) {
        let before = self.steps().div_ceil(2);
        self.cut(before)
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> T::IterInclusive {
        T::iter_inclusive(self.range)
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

indexed! { u8 u16 i8 i16 char }

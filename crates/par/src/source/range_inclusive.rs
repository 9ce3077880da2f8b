//! Inclusive ranges of integers and of `char`s.

use super::number::{Number, range_iter};
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    kernel,
    shape::{Producer, Seal, Sink, push_few},
};
use std::ops::RangeInclusive;

range_iter! {
    /// A parallel iterator over an inclusive range.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((1..=10_u32).into_par_iter().product::<u32>(), 3_628_800);
    /// assert_eq!((0..=u8::MAX).into_par_iter().len(), 256);
    /// ```
    RangeInclusive, indexed: u8 u16 i8 i16 char
}

impl<T: Number> Iter<T> {
    /// Returns the number of numbers, if it fits.
    #[inline]
    fn checked_len(&self) -> Option<usize> {
        if self.range.is_empty() {
            return Some(0);
        }
        usize::try_from(self.steps()).ok()?.checked_add(1)
    }

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
        self.checked_len().unwrap_or(usize::MAX)
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

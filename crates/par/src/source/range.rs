//! Ranges of integers and of `char`s.
//!
//! All are producers with exact positions. A range with more than `usize::MAX` numbers has
//! `usize::MAX` positions.

use super::number::{Number, range_iter};
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    kernel,
    shape::{Producer, Seal, Sink, push_few},
};
use std::ops::Range;

range_iter! {
    /// A parallel iterator over a range.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((1..11_u32).into_par_iter().product::<u32>(), 3_628_800);
    /// assert_eq!(('a'..'e').into_par_iter().rev().collect::<String>(), "dcba");
    /// ```
    Range, indexed: u8 u16 u32 usize i8 i16 i32 isize char
}

impl<T: Number> Iter<T> {
    /// Returns the number of numbers, if it fits.
    #[inline]
    fn checked_len(&self) -> Option<usize> {
        usize::try_from(self.steps()).ok()
    }

    /// Returns the number of numbers.
    #[inline]
    fn steps(&self) -> u128 {
        let Range { start, end } = self.range;
        if start < end { T::steps(start, end) } else { 0 }
    }

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
        self.checked_len().unwrap_or(usize::MAX)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        self.cut(at as u128)
    }

    fn split_last(self, at: usize) -> (Self, Self) {
        let before = self.steps() - at as u128;
        self.cut(before)
    }

    fn halve(self) -> (Self, Self) {
        let before = self.steps() / 2;
        self.cut(before)
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> T::Iter {
        T::iter(self.range)
    }
}

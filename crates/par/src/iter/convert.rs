//! What can be made into a parallel iterator, and from one.

use super::ParallelIterator;
use std::ops::RangeBounds;

/// What can be turned into a parallel iterator by value.
pub trait IntoParallelIterator {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields.
    type Item: Send;

    /// Returns the parallel iterator.
    fn into_par_iter(self) -> Self::Iter;
}

impl<I: ParallelIterator> IntoParallelIterator for I {
    type Iter = I;
    type Item = I::Item;

    fn into_par_iter(self) -> I {
        self
    }
}

/// What can be iterated in parallel by shared reference.
pub trait IntoParallelRefIterator<'data> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields: references.
    type Item: Send + 'data;

    /// Returns the parallel iterator over references.
    fn par_iter(&'data self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefIterator<'data> for I
where
    &'data I: IntoParallelIterator,
{
    type Iter = <&'data I as IntoParallelIterator>::Iter;
    type Item = <&'data I as IntoParallelIterator>::Item;

    fn par_iter(&'data self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// What can be iterated in parallel by mutable reference.
pub trait IntoParallelRefMutIterator<'data> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields: mutable references.
    type Item: Send + 'data;

    /// Returns the parallel iterator over mutable references.
    fn par_iter_mut(&'data mut self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefMutIterator<'data> for I
where
    &'data mut I: IntoParallelIterator,
{
    type Iter = <&'data mut I as IntoParallelIterator>::Iter;
    type Item = <&'data mut I as IntoParallelIterator>::Item;

    fn par_iter_mut(&'data mut self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// What can be collected from a parallel iterator.
pub trait FromParallelIterator<T: Send> {
    /// Collects all items.
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self;
}

/// What can be extended by the items of a parallel iterator.
pub trait ParallelExtend<T: Send> {
    /// Adds all items.
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I);
}

/// What can give all its items away in parallel, and stay, empty.
pub trait ParallelDrainFull {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields.
    type Item: Send;

    /// Moves all items out. They leave the collection also if the iterator is dropped early.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut set = std::collections::BTreeSet::from([1, 2, 3]);
    /// assert_eq!(set.par_drain().sum::<i32>(), 6);
    /// assert!(set.is_empty());
    /// ```
    fn par_drain(self) -> Self::Iter;
}

/// What can give a range of its items away in parallel.
pub trait ParallelDrainRange<Idx = usize> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields.
    type Item: Send;

    /// Moves the items in `range` out. They leave the collection also if the iterator is dropped
    /// early.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = vec![1, 2, 3, 4];
    /// assert_eq!(v.par_drain(1..3).sum::<i32>(), 5);
    /// assert_eq!(v, [1, 4]);
    /// ```
    ///
    /// # Panics
    /// If the range ends before it begins, or behind the last item.
    fn par_drain<R: RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}

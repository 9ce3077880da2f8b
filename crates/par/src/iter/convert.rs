//! Conversions to and from parallel iterators.

use super::ParallelIterator;
use std::ops::RangeBounds;

/// Conversion into a parallel iterator, by value.
///
/// ```
/// use sumac::prelude::*;
///
/// /// A grid, iterated by cells.
/// struct Grid(Vec<u8>);
///
/// impl IntoParallelIterator for Grid {
///     type Iter = sumac::vec::IntoIter<u8>;
///     type Item = u8;
///
///     fn into_par_iter(self) -> Self::Iter {
///         self.0.into_par_iter()
///     }
/// }
///
/// assert_eq!(Grid(vec![1, 2]).into_par_iter().max(), Some(2));
/// ```
pub trait IntoParallelIterator {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields.
    type Item: Send;

    /// Returns the parallel iterator.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let words: Vec<String> = vec!["a".to_string(), "b".to_string()];
    /// let moved: Vec<String> = words.into_par_iter().map(|word| word + "!").collect();
    /// assert_eq!(moved, ["a!", "b!"]);
    /// ```
    fn into_par_iter(self) -> Self::Iter;
}

impl<I: ParallelIterator> IntoParallelIterator for I {
    type Iter = I;
    type Item = I::Item;

    fn into_par_iter(self) -> I {
        self
    }
}

/// Conversion into a parallel iterator over shared references.
pub trait IntoParallelRefIterator<'data> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// The type of the items: references.
    type Item: Send + 'data;

    /// Returns the parallel iterator over references.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let set = std::collections::BTreeSet::from([1, 2, 3]);
    /// assert_eq!(set.par_iter().sum::<i32>(), 6);
    /// ```
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

/// Conversion into a parallel iterator over mutable references.
pub trait IntoParallelRefMutIterator<'data> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// The type of the items: mutable references.
    type Item: Send + 'data;

    /// Returns the parallel iterator over mutable references.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = vec![1, 2, 3];
    /// v.par_iter_mut().for_each(|x| *x += 1);
    /// assert_eq!(v, [2, 3, 4]);
    /// ```
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

/// Conversion from a parallel iterator, used by [`collect`](ParallelIterator::collect).
///
/// ```
/// use sumac::{iter::FromParallelIterator, prelude::*};
///
/// struct Sum(i32);
///
/// impl FromParallelIterator<i32> for Sum {
///     fn from_par_iter<I: IntoParallelIterator<Item = i32>>(items: I) -> Self {
///         Sum(items.into_par_iter().sum())
///     }
/// }
///
/// let Sum(sum) = (1..4).into_par_iter().collect();
/// assert_eq!(sum, 6);
/// ```
pub trait FromParallelIterator<T: Send> {
    /// Collects all items.
    ///
    /// ```
    /// use sumac::{iter::FromParallelIterator, prelude::*};
    /// assert_eq!(Vec::from_par_iter(0..3), [0, 1, 2]);
    /// ```
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self;
}

/// Extends a collection with the items of a parallel iterator.
pub trait ParallelExtend<T: Send> {
    /// Adds all items, in order if the collection is ordered.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = vec![0];
    /// v.par_extend(1..4);
    /// assert_eq!(v, [0, 1, 2, 3]);
    /// ```
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I);
}

/// Drains a collection in parallel.
pub trait ParallelDrainFull {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields.
    type Item: Send;

    /// Moves all items out. They are removed also if the iterator is dropped early.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut set = std::collections::BTreeSet::from([1, 2, 3]);
    /// assert_eq!(set.par_drain().sum::<i32>(), 6);
    /// assert!(set.is_empty());
    /// ```
    fn par_drain(self) -> Self::Iter;
}

/// Drains a range of a collection in parallel.
pub trait ParallelDrainRange<Idx = usize> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// What it yields.
    type Item: Send;

    /// Moves the items in `range` out. They are removed also if the iterator is dropped early.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = vec![1, 2, 3, 4];
    /// assert_eq!(v.par_drain(1..3).sum::<i32>(), 5);
    /// assert_eq!(v, [1, 4]);
    /// ```
    ///
    /// # Panics
    /// If the range ends before it starts, or behind the last item.
    fn par_drain<R: RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}

//! `IndexedParallelIterator`.

use super::{IntoParallelIterator, ParallelIterator, Zip};
use crate::{
    scan,
    shape::{Producer, Seal},
};

/// A parallel iterator that knows how many items it has, and can begin at any.
#[allow(clippy::len_without_is_empty)]
pub trait IndexedParallelIterator: ParallelIterator {
    /// What is left of it, while it runs.
    type Producer<'p>: Producer<Item = Self::Item, Iter: DoubleEndedIterator + ExactSizeIterator>
    where
        Self: 'p;

    /// The number of items.
    fn len(&self) -> usize;

    /// All of it. To be called once.
    fn producer(&mut self) -> Self::Producer<'_>;

    /// Pairs of items, as many as the shorter one has.
    fn zip<Z>(self, other: Z) -> Zip<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        Zip {
            a: self,
            b: other.into_par_iter(),
        }
    }

    // Scans.

    /// What all items up to each come to, itself included. See
    /// [`par_inclusive_scan`](crate::slice::ParallelSliceMut::par_inclusive_scan), which does it in place.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let triangular = (1..5_u32).into_par_iter().inclusive_scan(|a, b| a + b);
    /// assert_eq!(triangular, [1, 3, 6, 10]);
    /// ```
    fn inclusive_scan<F>(self, op: F) -> Vec<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Sync,
    {
        let mut items = self.into_vec(Seal(()));
        scan::inclusive(&mut items, &op);
        items
    }

    /// What all items before each come to, beginning with `init`. See
    /// [`par_exclusive_scan`](crate::slice::ParallelSliceMut::par_exclusive_scan), which does it in place and returns the total as well.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let starts = [3, 1, 4].par_iter().map(|&len| len).exclusive_scan(0, |a, b| a + b);
    /// assert_eq!(starts, [0, 3, 4]);
    /// ```
    fn exclusive_scan<F>(self, init: Self::Item, op: F) -> Vec<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Sync,
    {
        let mut items = self.into_vec(Seal(()));
        scan::exclusive(&mut items, init, &op);
        items
    }
}

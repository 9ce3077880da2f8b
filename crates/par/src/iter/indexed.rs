//! `IndexedParallelIterator`.

use super::{IntoParallelIterator, ParallelExtend, ParallelIterator, Zip};
use crate::{
    consume::{
        self,
        find::{self, Find},
    },
    scan,
    shape::{Producer, Seal},
};
use std::cmp::Ordering;

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

    // Consumers.

    /// All items, in order, in place of what `target` held; its allocation is used again.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = vec![9; 100];
    /// (0..3).into_par_iter().collect_into_vec(&mut v);
    /// assert_eq!(v, [0, 1, 2]);
    /// ```
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        target.clear();
        target.par_extend(self);
    }

    /// The halves of pairs, in order, in place of what the vectors held; their allocations are used again.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let (mut a, mut b) = (Vec::new(), Vec::new());
    /// [(1, 'x'), (2, 'y')].into_par_iter().unzip_into_vecs(&mut a, &mut b);
    /// assert_eq!((a, b), (vec![1, 2], vec!['x', 'y']));
    /// ```
    fn unzip_into_vecs<A, B>(self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: IndexedParallelIterator<Item = (A, B)>,
        A: Send,
        B: Send,
    {
        left.clear();
        right.clear();
        consume::unzip::append(left, right, self);
    }

    /// The position of some item for which `predicate` holds.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([3, 5, 5].par_iter().position_any(|&x| x == 5).is_some());
    /// ```
    fn position_any<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.drive(&Find::<find::Any, _>::new(|position, item| {
            predicate(item).then_some(position)
        }))
    }

    /// The position of the first item for which `predicate` holds.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert_eq!([3, 5, 5].par_iter().position_first(|&x| x == 5), Some(1));
    /// ```
    fn position_first<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.drive(&Find::<find::First, _>::new(|position, item| {
            predicate(item).then_some(position)
        }))
    }

    /// The position of the last item for which `predicate` holds.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert_eq!([3, 5, 5].par_iter().position_last(|&x| x == 5), Some(2));
    /// ```
    fn position_last<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.drive(&Find::<find::Last, _>::new(|position, item| {
            predicate(item).then_some(position)
        }))
    }

    /// Compares lexicographically, as slices do.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// use std::cmp::Ordering;
    /// assert_eq!([1, 2, 3].par_iter().cmp(&[1, 3]), Ordering::Less);
    /// ```
    fn cmp<I>(self, other: I) -> Ordering
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
        Self::Item: Ord,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        self.zip(other)
            .find_map_first(|(a, b)| Some(a.cmp(&b)).filter(|order| order.is_ne()))
            .unwrap_or(by_len)
    }

    /// Compares lexicographically; `None` if the first two items that are not equal cannot be compared.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert_eq!([1.0, f64::NAN].par_iter().partial_cmp(&[1.0, 0.0]), None);
    /// ```
    fn partial_cmp<I>(self, other: I) -> Option<Ordering>
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        self.zip(other)
            .map(|(a, b)| a.partial_cmp(&b))
            .find_first(|&order| order != Some(Ordering::Equal))
            .unwrap_or(Some(by_len))
    }

    /// Whether all items are equal, and as many.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([1, 2].par_iter().eq(&[1, 2]));
    /// ```
    fn eq<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        let other = other.into_par_iter();
        self.len() == other.len() && self.zip(other).all(|(a, b)| a == b)
    }

    /// Whether some items are not equal, or not as many.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([1, 2].par_iter().ne(&[1]));
    /// ```
    fn ne<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        !self.eq(other)
    }

    /// Whether this is lexicographically less than the other.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([1, 2].par_iter().lt(&[1, 3]));
    /// ```
    fn lt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// Whether this is lexicographically less than or equal to the other.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([1, 2].par_iter().le(&[1, 2]));
    /// ```
    fn le<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_le)
    }

    /// Whether this is lexicographically greater than the other.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([1, 2].par_iter().gt(&[1]));
    /// ```
    fn gt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_gt)
    }

    /// Whether this is lexicographically greater than or equal to the other.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// assert!([1, 2].par_iter().ge(&[1, 2]));
    /// ```
    fn ge<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_ge)
    }
}

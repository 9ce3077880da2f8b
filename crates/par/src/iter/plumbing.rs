//! Producers of indexed iterators, for code that divides and runs one by itself.
//!
//! ```
//! use sumac::{iter::plumbing::{Producer, ProducerCallback}, prelude::*};
//!
//! /// Collects the last items first.
//! struct Swapped(usize);
//!
//! impl<T> ProducerCallback<T> for Swapped {
//!     type Output = Vec<T>;
//!
//!     fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
//!         let (left, right) = producer.split_at(self.0);
//!         right.into_iter().chain(left.into_iter()).collect()
//!     }
//! }
//!
//! let items = [1, 2, 3, 4].par_iter().map(|x| 10 * x);
//! assert_eq!(items.with_producer(Swapped(3)), [40, 10, 20, 30]);
//! ```
//!
//! This is a part of rayon's module of this name. The rest (consumers, folders, bridges) runs
//! rayon's iterators; sumac's are described in [`shape`], and closed.

use crate::shape;

/// The remaining items of an iterator, which can be divided anywhere.
pub trait Producer: Send + Sized {
    /// The type of the items.
    type Item;
    /// The sequential iterator over all items.
    type IntoIter: Iterator<Item = Self::Item> + DoubleEndedIterator + ExactSizeIterator;

    /// Returns a sequential iterator over all items.
    fn into_iter(self) -> Self::IntoIter;

    /// Returns the least number of items that a part should have. sumac does not call it.
    fn min_len(&self) -> usize {
        1
    }

    /// Returns the greatest number of items that a part should have. sumac does not call it.
    fn max_len(&self) -> usize {
        usize::MAX
    }

    /// Returns the first `index` items, and the others.
    ///
    /// # Panics
    /// If there are fewer than `index` items.
    fn split_at(self, index: usize) -> (Self, Self);
}

/// A function of a [`Producer`] of any type, which
/// [`with_producer`](crate::iter::IndexedParallelIterator::with_producer) calls.
pub trait ProducerCallback<T> {
    /// The type of the result.
    type Output;

    /// Calls the function with all items.
    fn callback<P: Producer<Item = T>>(self, producer: P) -> Self::Output;
}

/// A producer as users see it. It never gets back into a loop of ours, so no invariant depends on
/// users.
pub(super) struct Divisible<P>(pub(super) P);

impl<P> Producer for Divisible<P>
where
    P: shape::Producer<Iter: DoubleEndedIterator + ExactSizeIterator>,
{
    type Item = P::Item;
    type IntoIter = P::Iter;

    fn into_iter(self) -> P::Iter {
        let state = self.0.state();
        self.0.iter(&state)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        assert!(index <= self.0.len(), "no more items than there are");
        let (left, right) = self.0.split_at(index);
        (Divisible(left), Divisible(right))
    }
}

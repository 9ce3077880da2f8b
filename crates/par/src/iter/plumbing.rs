//! What an indexed iterator is made of, for code that divides and runs one by itself.
//!
//! ```
//! use sumac::{iter::plumbing::{Producer, ProducerCallback}, prelude::*};
//!
//! /// The last items first.
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
//! It is a part of rayon's module of this name. The rest of that (consumers, folders, bridges) is
//! about how rayon runs iterators; here that is the essay in [`shape`], and closed.

use crate::shape;

/// What is left of an iterator: so many items, which can be divided anywhere.
pub trait Producer: Send + Sized {
    /// What it yields.
    type Item;
    /// All of it.
    type IntoIter: Iterator<Item = Self::Item> + DoubleEndedIterator + ExactSizeIterator;

    /// Returns all that is left.
    fn into_iter(self) -> Self::IntoIter;

    /// Returns the least number of items that a part should have. Nothing here asks.
    fn min_len(&self) -> usize {
        1
    }

    /// Returns the greatest number of items that a part should have. Nothing here asks.
    fn max_len(&self) -> usize {
        usize::MAX
    }

    /// Returns the first `index` items, and the others.
    ///
    /// # Panics
    /// If there are fewer.
    fn split_at(self, index: usize) -> (Self, Self);
}

/// A function of a [`Producer`], whatever its type: what
/// [`with_producer`](crate::iter::IndexedParallelIterator::with_producer) calls.
pub trait ProducerCallback<T> {
    /// What it returns.
    type Output;

    /// Called with all of the iterator.
    fn callback<P: Producer<Item = T>>(self, producer: P) -> Self::Output;
}

/// A producer as users see it. It leads back to no loop of ours, so nothing relies on what they do.
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

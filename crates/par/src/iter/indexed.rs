//! `IndexedParallelIterator`.

use super::{IntoParallelIterator, ParallelIterator, Zip};
use crate::shape::Producer;

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
}

//! `take` and `skip`: one split before the loop starts, and no cost inside it. Skipped items are
//! run as a loop of their own before, as in std and in rayon, since producing an item may have side
//! effects.

use crate::{
    consume::for_each::ForEach,
    iter::{IndexedParallelIterator, ParallelIterator},
    kernel,
    shape::{Producer, Seal, drive_indexed},
};

/// See [`IndexedParallelIterator::take`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Take<I> {
    pub(crate) base: I,
    pub(crate) n: usize,
}

impl<I: IndexedParallelIterator> ParallelIterator for Take<I> {
    type Item = I::Item;

    drive_indexed!();
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Take<I> {
    type Producer<'p>
        = I::Producer<'p>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len().min(self.n)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        let n = self.len();
        let (taken, _) = self.base.producer(seal).split_at(n);
        taken
    }
}

/// See [`IndexedParallelIterator::skip`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Skip<I> {
    pub(crate) base: I,
    pub(crate) n: usize,
}

impl<I: IndexedParallelIterator> ParallelIterator for Skip<I> {
    type Item = I::Item;

    drive_indexed!();
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Skip<I> {
    type Producer<'p>
        = I::Producer<'p>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len().saturating_sub(self.n)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        let n = self.base.len().min(self.n);
        let (skipped, left) = self.base.producer(seal).split_at(n);
        if n > 0 {
            kernel::drive(skipped, &ForEach { f: drop });
        }
        left
    }
}

//! `enumerate`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};
use std::{iter, ops::Range};

/// See [`IndexedParallelIterator::enumerate`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Enumerate<I> {
    pub(crate) base: I,
}

impl<I: IndexedParallelIterator> ParallelIterator for Enumerate<I> {
    type Item = (usize, I::Item);

    drive_indexed!();
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Enumerate<I> {
    type Producer<'p>
        = EnumerateProducer<I::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        EnumerateProducer {
            base: self.base.producer(seal),
            first: 0,
        }
    }
}

/// The remaining items of an [`Enumerate`].
#[derive(Debug)]
pub struct EnumerateProducer<P> {
    base: P,
    first: usize,
}

impl<P: Producer> Producer for EnumerateProducer<P> {
    type Item = (usize, P::Item);
    type State = P::State;
    type Iter = iter::Zip<Range<usize>, P::Iter>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(at);
        let enumerate = |base, first| EnumerateProducer { base, first };
        (
            enumerate(left, self.first),
            enumerate(right, self.first + at),
        )
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        let end = self.first + self.base.len();
        (self.first..end).zip(self.base.iter(state))
    }
}

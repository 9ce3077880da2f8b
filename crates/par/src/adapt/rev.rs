//! `rev`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};
use std::iter;

/// See [`IndexedParallelIterator::rev`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Rev<I> {
    pub(crate) base: I,
}

impl<I: IndexedParallelIterator> ParallelIterator for Rev<I> {
    type Item = I::Item;

    drive_indexed!();
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Rev<I> {
    type Producer<'p>
        = Rev<I::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        Rev {
            base: self.base.producer(seal),
        }
    }
}

impl<P: Producer<Iter: DoubleEndedIterator>> Producer for Rev<P> {
    type Item = P::Item;
    type State = P::State;
    type Iter = iter::Rev<P::Iter>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let at = self.base.len() - at;
        let (right, left) = self.base.split_at(at);
        (Rev { base: left }, Rev { base: right })
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        self.base.iter(state).rev()
    }
}

//! `zip` and `zip_eq`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
    source::delegate::delegate,
};
use std::iter;

/// See [`IndexedParallelIterator::zip`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Zip<A, B> {
    pub(crate) a: A,
    pub(crate) b: B,
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ParallelIterator for Zip<A, B> {
    type Item = (A::Item, B::Item);

    drive_indexed!();
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> IndexedParallelIterator for Zip<A, B> {
    type Producer<'p>
        = Zip<A::Producer<'p>, B::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        Zip {
            a: self.a.producer(seal),
            b: self.b.producer(seal),
        }
    }
}

impl<A: Producer, B: Producer> Producer for Zip<A, B> {
    type Item = (A::Item, B::Item);
    type State = (A::State, B::State);
    type Iter = iter::Zip<A::Iter, B::Iter>;

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left_a, a) = self.a.split_at(at);
        let (left_b, b) = self.b.split_at(at);
        let left = Zip {
            a: left_a,
            b: left_b,
        };
        (left, Zip { a, b })
    }

    fn state(&self) -> Self::State {
        (self.a.state(), self.b.state())
    }

    fn iter(self, (a, b): &Self::State) -> Self::Iter {
        self.a.iter(a).zip(self.b.iter(b))
    }
}

delegate! {
    /// See [`IndexedParallelIterator::zip_eq`].
    #[derive(Clone, Debug)]
    ZipEq [A, B] [A: IndexedParallelIterator, B: IndexedParallelIterator]
    => Zip<A, B>, (A::Item, B::Item), indexed
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ZipEq<A, B> {
    #[track_caller]
    pub(crate) fn new(a: A, b: B) -> Self {
        assert_eq!(a.len(), b.len(), "iterators must have the same length");
        ZipEq { base: Zip { a, b } }
    }
}

//! `zip_eq`.

use super::zip::Zip;
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Seal, Sink},
};

/// See [`IndexedParallelIterator::zip_eq`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct ZipEq<A, B> {
    zip: Zip<A, B>,
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ZipEq<A, B> {
    #[track_caller]
    pub(crate) fn new(a: A, b: B) -> Self {
        assert_eq!(a.len(), b.len(), "iterators must have the same length");
        ZipEq { zip: Zip { a, b } }
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ParallelIterator for ZipEq<A, B> {
    type Item = (A::Item, B::Item);

    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output {
        self.zip.drive(sink)
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.zip.exact_len(seal)
    }
}

impl<A, B> IndexedParallelIterator for ZipEq<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator,
{
    type Producer<'p>
        = <Zip<A, B> as IndexedParallelIterator>::Producer<'p>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.zip.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        self.zip.producer(seal)
    }
}

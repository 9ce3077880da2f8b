//! `chunks`.

use super::group::{self, Group, GroupProducer, PerRun};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Seal, drive_indexed},
};

/// See [`IndexedParallelIterator::chunks`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Chunks<I> {
    base: I,
    size: usize,
}

impl<I> Chunks<I> {
    #[track_caller]
    pub(crate) fn new(base: I, size: usize) -> Self {
        assert!(size != 0, "chunk_size must not be zero");
        Chunks { base, size }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Chunks<I> {
    type Item = Vec<I::Item>;

    drive_indexed!();
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Chunks<I> {
    type Producer<'p>
        = GroupProducer<I::Producer<'p>, Collected>
    where
        Self: 'p;

    fn len(&self) -> usize {
        group::count(self.base.len(), self.size)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        GroupProducer {
            base: self.base.producer(seal),
            size: self.size,
            per_run: Collected,
        }
    }
}

/// Groups are collected.
#[derive(Clone, Copy, Debug)]
pub struct Collected;

impl<T> Group<T> for Collected {
    type Output = Vec<T>;

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, items: J) -> Vec<T> {
        items.collect()
    }
}

impl PerRun for Collected {
    type Group = Self;

    fn begin(self) -> Self {
        self
    }
}

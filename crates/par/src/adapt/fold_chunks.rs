//! `fold_chunks` and `fold_chunks_with`.

use super::{
    group::{self, Group, GroupProducer, PerRun},
    original::Original,
};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Seal, drive_indexed},
};
use std::{fmt, rc::Rc};

/// See [`IndexedParallelIterator::fold_chunks`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FoldChunks<I, ID, F> {
    base: I,
    size: usize,
    fold: Fold<ID, F>,
}

crate::debug::debug! { FoldChunks [I, ID, F] [I] base = base, chunk_size = size }

impl<I, ID, F> FoldChunks<I, ID, F> {
    #[track_caller]
    pub(crate) fn new(base: I, size: usize, identity: ID, op: F) -> Self {
        assert!(size != 0, "chunk_size must not be zero");
        let fold = Fold { identity, op };
        FoldChunks { base, size, fold }
    }
}

impl<I, ID, U, F> ParallelIterator for FoldChunks<I, ID, F>
where
    I: IndexedParallelIterator,
    ID: Fn() -> U + Sync + Send,
    U: Send,
    F: Fn(U, I::Item) -> U + Sync + Send,
{
    type Item = U;

    drive_indexed!();
}

impl<I, ID, U, F> IndexedParallelIterator for FoldChunks<I, ID, F>
where
    I: IndexedParallelIterator,
    ID: Fn() -> U + Sync + Send,
    U: Send,
    F: Fn(U, I::Item) -> U + Sync + Send,
{
    type Producer<'p>
        = GroupProducer<I::Producer<'p>, &'p Fold<ID, F>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        group::count(self.base.len(), self.size)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        GroupProducer {
            base: self.base.producer(seal),
            size: self.size,
            per_run: &self.fold,
        }
    }
}

/// Groups are folded, beginning with what `identity` gives.
#[derive(Clone, Debug)]
pub struct Fold<ID, F> {
    identity: ID,
    op: F,
}

impl<T, U, ID: Fn() -> U, F: Fn(U, T) -> U> Group<T> for &Fold<ID, F> {
    type Output = U;

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, items: J) -> U {
        items.fold((self.identity)(), &self.op)
    }
}

impl<ID: Sync, F: Sync> PerRun for &Fold<ID, F> {
    type Group = Self;

    fn begin(self) -> Self {
        self
    }
}

/// See [`IndexedParallelIterator::fold_chunks_with`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FoldChunksWith<I, U, F> {
    base: I,
    size: usize,
    fold: FoldWith<U, F>,
}

impl<I: fmt::Debug, U: fmt::Debug, F> fmt::Debug for FoldChunksWith<I, U, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoldChunksWith")
            .field("base", &self.base)
            .field("chunk_size", &self.size)
            .field("item", &self.fold.init)
            .finish()
    }
}

impl<I, U, F> FoldChunksWith<I, U, F> {
    #[track_caller]
    pub(crate) fn new(base: I, size: usize, init: U, op: F) -> Self {
        assert!(size != 0, "chunk_size must not be zero");
        let init = Original::new(init);
        let fold = FoldWith { init, op };
        FoldChunksWith { base, size, fold }
    }
}

impl<I, U, F> ParallelIterator for FoldChunksWith<I, U, F>
where
    I: IndexedParallelIterator,
    U: Send + Clone,
    F: Fn(U, I::Item) -> U + Sync + Send,
{
    type Item = U;

    drive_indexed!();
}

impl<I, U, F> IndexedParallelIterator for FoldChunksWith<I, U, F>
where
    I: IndexedParallelIterator,
    U: Send + Clone,
    F: Fn(U, I::Item) -> U + Sync + Send,
{
    type Producer<'p>
        = GroupProducer<I::Producer<'p>, &'p FoldWith<U, F>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        group::count(self.base.len(), self.size)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        GroupProducer {
            base: self.base.producer(seal),
            size: self.size,
            per_run: &self.fold,
        }
    }
}

/// Groups are folded, beginning with a clone.
#[derive(Clone, Debug)]
pub struct FoldWith<U, F> {
    init: Original<U>,
    op: F,
}

/// What the blocks of a run share: a clone to make clones of without looking out for others.
#[derive(Debug)]
pub struct FoldClones<'p, U, F> {
    init: Rc<U>,
    op: &'p F,
}

impl<U, F> Clone for FoldClones<'_, U, F> {
    fn clone(&self) -> Self {
        FoldClones {
            init: Rc::clone(&self.init),
            op: self.op,
        }
    }
}

impl<T, U: Clone, F: Fn(U, T) -> U> Group<T> for FoldClones<'_, U, F> {
    type Output = U;

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, items: J) -> U {
        items.fold(U::clone(&self.init), self.op)
    }
}

impl<'p, U: Send + Clone, F: Sync> PerRun for &'p FoldWith<U, F> {
    type Group = FoldClones<'p, U, F>;

    fn begin(self) -> FoldClones<'p, U, F> {
        FoldClones {
            init: Rc::new(self.init.copy()),
            op: &self.op,
        }
    }
}

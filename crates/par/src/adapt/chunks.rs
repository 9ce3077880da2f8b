//! `chunks`, `fold_chunks` and `fold_chunks_with`.

use super::{
    group::{Group, Grouped},
    original::Original,
};
use std::rc::Rc;

/// See [`IndexedParallelIterator::chunks`](crate::iter::IndexedParallelIterator::chunks).
pub type Chunks<I> = Grouped<I, Collected>;

crate::debug::debug! { Chunks [I] [I] base = base, size = size }

/// Groups are collected.
#[derive(Clone, Debug)]
pub struct Collected;

impl<T> Group<T> for Collected {
    type Output = Vec<T>;
    type Shared = ();

    fn begin(&self) {}

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, (): &(), items: J) -> Vec<T> {
        items.collect()
    }
}

/// See [`IndexedParallelIterator::fold_chunks`](crate::iter::IndexedParallelIterator::fold_chunks).
pub type FoldChunks<I, ID, F> = Grouped<I, Folded<ID, F>>;

crate::debug::debug! { FoldChunks [I, ID, F] [I] base = base, chunk_size = size }

/// Groups are folded, beginning with the value of `identity`.
#[derive(Clone, Debug)]
pub struct Folded<ID, F> {
    pub(crate) identity: ID,
    pub(crate) op: F,
}

impl<T, U, ID, F> Group<T> for Folded<ID, F>
where
    ID: Fn() -> U + Sync + Send,
    F: Fn(U, T) -> U + Sync + Send,
{
    type Output = U;
    type Shared = ();

    fn begin(&self) {}

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, (): &(), items: J) -> U {
        items.fold((self.identity)(), &self.op)
    }
}

/// See [`fold_chunks_with`](crate::iter::IndexedParallelIterator::fold_chunks_with).
pub type FoldChunksWith<I, U, F> = Grouped<I, FoldedWith<U, F>>;

crate::debug::debug! {
    FoldChunksWith [I, U, F] [I, U] base = base, chunk_size = size, item = group.init
}

/// Groups are folded, beginning with a clone.
#[derive(Clone, Debug)]
pub struct FoldedWith<U, F> {
    pub(crate) init: Original<U>,
    pub(crate) op: F,
}

/// The blocks of a run share a clone, which they clone without a lock.
impl<T, U, F> Group<T> for FoldedWith<U, F>
where
    U: Send + Clone,
    F: Fn(U, T) -> U + Sync + Send,
{
    type Output = U;
    type Shared = Rc<U>;

    fn begin(&self) -> Rc<U> {
        Rc::new(self.init.copy())
    }

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, init: &Rc<U>, items: J) -> U {
        items.fold(U::clone(init), &self.op)
    }
}

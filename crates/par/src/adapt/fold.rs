//! `fold` and `fold_with`: each piece becomes one item.
//!
//! A piece is a run, or a part of one that has been cut off: by `with_max_len`; and if the items
//! are looked through for any that will do, at the end of each block, since that search may end the
//! loop.

use super::original::Original;
use crate::{
    iter::ParallelIterator,
    shape::{Order, Sink},
};

/// See [`ParallelIterator::fold`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Fold<I, ID, F> {
    pub(crate) base: I,
    pub(crate) identity: ID,
    pub(crate) op: F,
}

crate::debug::debug! { Fold [I, ID, F] [I] base = base }

impl<I, U, ID, F> ParallelIterator for Fold<I, ID, F>
where
    I: ParallelIterator,
    ID: Fn() -> U + Sync + Send,
    F: Fn(U, I::Item) -> U + Sync + Send,
    U: Send,
{
    type Item = U;

    fn drive<S: Sink<U>>(self, sink: &S) -> S::Output {
        self.base.drive(&FoldSink {
            base: sink,
            identity: &self.identity,
            op: &self.op,
        })
    }
}

/// See [`ParallelIterator::fold_with`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FoldWith<I, U, F> {
    base: I,
    init: Original<U>,
    op: F,
}

crate::debug::debug! { FoldWith [I, U, F] [I, U] base = base, item = init }

impl<I, U, F> FoldWith<I, U, F> {
    pub(crate) fn new(base: I, init: U, op: F) -> Self {
        let init = Original::new(init);
        FoldWith { base, init, op }
    }
}

impl<I, U, F> ParallelIterator for FoldWith<I, U, F>
where
    I: ParallelIterator,
    U: Send + Clone,
    F: Fn(U, I::Item) -> U + Sync + Send,
{
    type Item = U;

    fn drive<S: Sink<U>>(self, sink: &S) -> S::Output {
        self.base.drive(&FoldSink {
            base: sink,
            identity: &|| self.init.copy(),
            op: &self.op,
        })
    }
}

struct FoldSink<'a, S, ID, F> {
    base: &'a S,
    identity: &'a ID,
    op: &'a F,
}

impl<T, U, S, ID, F> Sink<T> for FoldSink<'_, S, ID, F>
where
    S: Sink<U>,
    ID: Fn() -> U + Sync,
    F: Fn(U, T) -> U + Sync,
{
    /// The value of the piece, unless none has begun since the last one was cut off.
    type Acc = (S::Acc, Option<U>);
    type Output = S::Output;

    /// In any order, if all of a piece is in one block.
    const ORDER: Order = match S::ORDER {
        Order::Any => Order::Any,
        Order::Forward | Order::Backward => Order::Forward,
    };
    const PIECES: bool = true;

    fn begin(&self, position: usize) -> Self::Acc {
        (self.base.begin(position), Some((self.identity)()))
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut Self::Acc, items: J) {
        let value = acc.1.take().unwrap_or_else(self.identity);
        acc.1 = Some(items.fold(value, self.op));
        if Self::ORDER == Order::Any {
            self.cut(acc);
        }
    }

    #[inline]
    fn cut(&self, (acc, value): &mut Self::Acc) {
        self.base.push_all(acc, value.take().into_iter());
    }

    fn finish(&self, (mut acc, value): Self::Acc) -> S::Output {
        self.base.push_all(&mut acc, value.into_iter());
        self.base.finish(acc)
    }

    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, (acc, _): &Self::Acc) -> bool {
        self.base.is_full(acc)
    }
}

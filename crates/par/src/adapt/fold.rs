//! `fold` and `fold_with`: each piece becomes one item.
//!
//! A piece is a run, or a part that was cut off from one: by `with_max_len`, or at the end of each
//! block if the consumer searches for any item, since the search may end the loop.

use super::original::{Given, Init, Original};
use crate::{
    iter::ParallelIterator,
    shape::{Order, Sink},
};

/// See [`ParallelIterator::fold`].
pub type Fold<I, ID, F> = FoldPieces<I, Given<ID>, F>;

crate::debug::debug! { Fold [I, ID, F] [I] base = base }

/// See [`ParallelIterator::fold_with`].
pub type FoldWith<I, U, F> = FoldPieces<I, Original<U>, F>;

crate::debug::debug! { FoldWith [I, U, F] [I, U] base = base, item = init }

/// Folds each piece, beginning with a value of its own.
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FoldPieces<I, N, F> {
    pub(crate) base: I,
    pub(crate) init: N,
    pub(crate) op: F,
}

impl<I, N, F> ParallelIterator for FoldPieces<I, N, F>
where
    I: ParallelIterator,
    N: Init<Value: Send>,
    F: Fn(N::Value, I::Item) -> N::Value + Sync + Send,
{
    type Item = N::Value;

    fn drive<S: Sink<N::Value>>(self, sink: &S) -> S::Output {
        self.base.drive(&FoldSink {
            base: sink,
            init: &self.init,
            op: &self.op,
        })
    }
}

struct FoldSink<'a, S, N, F> {
    base: &'a S,
    init: &'a N,
    op: &'a F,
}

impl<T, S, N, F> Sink<T> for FoldSink<'_, S, N, F>
where
    S: Sink<N::Value>,
    N: Init,
    F: Fn(N::Value, T) -> N::Value + Sync,
{
    /// The value of the piece, or `None` if no piece has started since the last cut.
    type Acc = (S::Acc, Option<N::Value>);
    type Output = S::Output;

    /// In any order, if each piece is within one block.
    const ORDER: Order = match S::ORDER {
        Order::Any => Order::Any,
        Order::Forward | Order::Backward => Order::Forward,
    };
    const PIECES: bool = true;

    fn begin(&self, position: usize) -> Self::Acc {
        (self.base.begin(position), Some(self.init.value()))
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut Self::Acc, items: J) {
        let value = acc.1.take().unwrap_or_else(|| self.init.value());
        acc.1 = Some(items.fold(value, self.op));
        if const { matches!(Self::ORDER, Order::Any) } {
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

//! The common part of *transforms*, which apply adaptors of std's iterators to the items of a run:
//! `filter` and others (`filter.rs`, `until.rs`).

use crate::{
    iter::ParallelIterator,
    shape::{Order, Seal, Sink},
};

/// An adaptor of the items of a run.
pub trait Transform<T>: Sync + Send {
    /// The type of the resulting items.
    type Output: Send;

    /// Whether the items of a run must come from left to right.
    const FORWARD: bool = false;

    /// Adapts the items of a run.
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = Self::Output>;

    /// Returns whether no more items are needed.
    #[inline]
    fn is_over(&self) -> bool {
        false
    }
}

/// Items with a transform. The adaptors' types are aliases of this one.
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Transformed<I, F> {
    pub(crate) base: I,
    pub(crate) transform: F,
}

impl<I, F> Transformed<I, F> {
    pub(crate) fn new(base: I, transform: F) -> Self {
        Transformed { base, transform }
    }
}

impl<I: ParallelIterator, F: Transform<I::Item>> ParallelIterator for Transformed<I, F> {
    type Item = F::Output;

    fn drive<S: Sink<F::Output>>(self, sink: &S) -> S::Output {
        self.base.drive(&TransformSink {
            base: sink,
            transform: &self.transform,
        })
    }

    #[inline]
    fn push_few<S, Few>(
        self,
        sink: &S,
        run: &mut Option<S::Acc>,
        position: usize,
        few: Few,
        seal: Seal,
    ) -> Option<Self>
    where
        S: Sink<F::Output>,
        Few: FnOnce(usize) -> bool,
    {
        let Transformed { base, transform } = self;
        let through = TransformSink {
            base: sink,
            transform: &transform,
        };
        let left = base.push_few(&through, run, position, few, seal);
        left.map(|base| Transformed { base, transform })
    }
}

struct TransformSink<'a, S, F> {
    base: &'a S,
    transform: &'a F,
}

impl<T, F: Transform<T>, S: Sink<F::Output>> Sink<T> for TransformSink<'_, S, F> {
    type Acc = S::Acc;
    type Output = S::Output;

    const ORDER: Order = if F::FORWARD { Order::Forward } else { S::ORDER };
    const PIECES: bool = S::PIECES;

    #[inline]
    fn begin(&self, position: usize) -> S::Acc {
        self.base.begin(position)
    }

    #[inline]
    fn allot(&self, acc: &mut S::Acc, positions: usize) {
        self.base.allot(acc, positions);
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        if !self.transform.is_over() {
            self.base.push_all(acc, self.transform.through(items));
        }
    }

    #[inline]
    fn cut(&self, acc: &mut S::Acc) {
        self.base.cut(acc);
    }

    #[inline]
    fn finish(&self, acc: S::Acc) -> S::Output {
        self.base.finish(acc)
    }

    #[inline]
    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, acc: &S::Acc) -> bool {
        self.transform.is_over() || self.base.is_full(acc)
    }

    #[inline]
    fn has_last(&self, acc: &S::Acc) -> bool {
        self.base.has_last(acc)
    }
}

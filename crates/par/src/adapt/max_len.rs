//! `with_max_len`: cuts runs where that is observable, as in `fold`. Elsewhere it does nothing,
//! since loops are split when an idle thread asks for work.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Order, Seal, Sink},
};

/// See [`IndexedParallelIterator::with_max_len`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct MaxLen<I> {
    pub(crate) base: I,
    pub(crate) max: usize,
}

impl<I: IndexedParallelIterator> ParallelIterator for MaxLen<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        if !S::PIECES {
            return self.base.drive(sink);
        }
        self.base.drive(&MaxLenSink {
            base: sink,
            max: self.max.max(1),
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for MaxLen<I> {
    type Producer<'p>
        = I::Producer<'p>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        self.base.producer(seal)
    }
}

struct MaxLenSink<'a, S> {
    base: &'a S,
    max: usize,
}

/// A run, and the number of items that its piece may still get.
struct Run<B> {
    base: B,
    room: usize,
}

impl<T, S: Sink<T>> Sink<T> for MaxLenSink<'_, S> {
    type Acc = Run<S::Acc>;
    type Output = S::Output;

    const ORDER: Order = S::ORDER;
    const PIECES: bool = true;

    fn begin(&self, position: usize) -> Self::Acc {
        Run {
            base: self.base.begin(position),
            room: self.max,
        }
    }

    fn allot(&self, run: &mut Self::Acc, positions: usize) {
        self.base.allot(&mut run.base, positions);
    }

    fn push_all<J: Iterator<Item = T>>(&self, run: &mut Self::Acc, items: J) {
        let mut items = items.peekable();
        while items.peek().is_some() {
            if run.room == 0 {
                self.cut(run);
            }
            let mut taken = 0;
            let piece = items.by_ref().take(run.room);
            self.base
                .push_all(&mut run.base, piece.inspect(|_| taken += 1));
            run.room -= taken;
            if self.is_full(run) {
                break;
            }
        }
    }

    fn cut(&self, run: &mut Self::Acc) {
        self.base.cut(&mut run.base);
        run.room = self.max;
    }

    fn finish(&self, run: Self::Acc) -> S::Output {
        self.base.finish(run.base)
    }

    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    fn is_full(&self, run: &Self::Acc) -> bool {
        self.base.is_full(&run.base)
    }

    fn has_last(&self, run: &Self::Acc) -> bool {
        self.base.has_last(&run.base)
    }
}

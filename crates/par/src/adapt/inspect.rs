//! `inspect`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink, forward},
};
use std::iter;

/// See [`ParallelIterator::inspect`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Inspect<I, F> {
    pub(crate) base: I,
    pub(crate) f: F,
}

crate::debug::debug! { Inspect [I, F] [I] base = base }

impl<I, F> ParallelIterator for Inspect<I, F>
where
    I: ParallelIterator,
    F: Fn(&I::Item) + Sync + Send,
{
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&InspectSink {
            base: sink,
            f: &self.f,
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

struct InspectSink<'a, S, F> {
    base: &'a S,
    f: &'a F,
}

impl<T, S: Sink<T>, F: Fn(&T) + Sync> Sink<T> for InspectSink<'_, S, F> {
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        self.base.push_all(acc, items.inspect(self.f));
    }
}

impl<I, F> IndexedParallelIterator for Inspect<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(&I::Item) + Sync + Send,
{
    type Producer<'p>
        = InspectProducer<'p, I::Producer<'p>, F>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        InspectProducer {
            base: self.base.producer(seal),
            f: &self.f,
        }
    }
}

/// What is left of an [`Inspect`].
#[derive(Debug)]
pub struct InspectProducer<'p, P, F> {
    base: P,
    f: &'p F,
}

impl<'p, P, F> Producer for InspectProducer<'p, P, F>
where
    P: Producer,
    F: Fn(&P::Item) + Sync,
{
    type Item = P::Item;
    type State = P::State;
    type Iter = iter::Inspect<P::Iter, &'p F>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(at);
        let inspect = |base| InspectProducer { base, f: self.f };
        (inspect(left), inspect(right))
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        self.base.iter(state).inspect(self.f)
    }
}

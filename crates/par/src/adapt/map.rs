//! `map`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink, forward},
};
use std::iter;

/// See [`ParallelIterator::map`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Map<I, F> {
    pub(crate) base: I,
    pub(crate) f: F,
}

crate::debug::debug! { Map [I, F] [I] base = base }

impl<I, F, R> ParallelIterator for Map<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&MapSink {
            base: sink,
            f: &self.f,
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

struct MapSink<'a, S, F> {
    base: &'a S,
    f: &'a F,
}

impl<T, R, S: Sink<R>, F: Fn(T) -> R + Sync> Sink<T> for MapSink<'_, S, F> {
    forward!();

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: I) {
        self.base.push_all(acc, items.map(self.f));
    }
}

impl<I, F, R> IndexedParallelIterator for Map<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: Send,
{
    type Producer<'p>
        = MapProducer<'p, I::Producer<'p>, F>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        MapProducer {
            base: self.base.producer(seal),
            f: &self.f,
        }
    }
}

/// What is left of a [`Map`].
#[derive(Debug)]
pub struct MapProducer<'p, P, F> {
    base: P,
    f: &'p F,
}

impl<'p, P, F, R> Producer for MapProducer<'p, P, F>
where
    P: Producer,
    F: Fn(P::Item) -> R + Sync,
{
    type Item = R;
    type State = P::State;
    type Iter = iter::Map<P::Iter, &'p F>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(at);
        let map = |base| MapProducer { base, f: self.f };
        (map(left), map(right))
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        self.base.iter(state).map(self.f)
    }
}

//! `update`.

use super::each::{Do, Each};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink, forward},
};

/// See [`ParallelIterator::update`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Update<I, F> {
    pub(crate) base: I,
    pub(crate) f: F,
}

crate::debug::debug! { Update [I, F] [I] base = base }

impl<I, F> ParallelIterator for Update<I, F>
where
    I: ParallelIterator,
    F: Fn(&mut I::Item) + Sync + Send,
{
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&UpdateSink {
            base: sink,
            f: &self.f,
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

struct UpdateSink<'a, S, F> {
    base: &'a S,
    f: &'a F,
}

impl<T, S: Sink<T>, F: Fn(&mut T) + Sync> Sink<T> for UpdateSink<'_, S, F> {
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        let mut action = Updating(self.f);
        self.base
            .push_all(acc, items.map(move |item| action.to(item)));
    }
}

impl<I, F> IndexedParallelIterator for Update<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(&mut I::Item) + Sync + Send,
{
    type Producer<'p>
        = UpdateProducer<'p, I::Producer<'p>, F>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        UpdateProducer {
            base: self.base.producer(seal),
            f: &self.f,
        }
    }
}

/// What is left of an [`Update`].
#[derive(Debug)]
pub struct UpdateProducer<'p, P, F> {
    base: P,
    f: &'p F,
}

impl<'p, P, F> Producer for UpdateProducer<'p, P, F>
where
    P: Producer,
    F: Fn(&mut P::Item) + Sync,
{
    type Item = P::Item;
    type State = P::State;
    type Iter = Each<P::Iter, Updating<'p, F>>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(at);
        let update = |base| UpdateProducer { base, f: self.f };
        (update(left), update(right))
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        Each {
            items: self.base.iter(state),
            action: Updating(self.f),
        }
    }
}

/// Each item is changed.
#[derive(Debug)]
pub struct Updating<'p, F>(&'p F);

impl<T, F: Fn(&mut T)> Do<T> for Updating<'_, F> {
    type Output = T;

    #[inline]
    fn to(&mut self, mut item: T) -> T {
        (self.0)(&mut item);
        item
    }
}

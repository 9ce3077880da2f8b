//! `map_init`: each run has a state.
//!
//! As a sink, the state is part of the run's accumulator. As a producer, the blocks of the run share it; only one of them is
//! running at any time, on the run's thread.

use super::each::{Do, Each};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink},
};
use std::{cell::RefCell, rc::Rc};

/// See [`ParallelIterator::map_init`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct MapInit<I, N, F> {
    pub(crate) base: I,
    pub(crate) init: N,
    pub(crate) f: F,
}

crate::debug::debug! { MapInit [I, N, F] [I] base = base }

impl<I, N, X, F, R> ParallelIterator for MapInit<I, N, F>
where
    I: ParallelIterator,
    N: Fn() -> X + Sync + Send,
    F: Fn(&mut X, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&StateSink {
            base: sink,
            init: &self.init,
            f: &self.f,
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

pub(super) struct StateSink<'a, S, N, F> {
    pub(super) base: &'a S,
    pub(super) init: &'a N,
    pub(super) f: &'a F,
}

impl<T, X, R, S, N, F> Sink<T> for StateSink<'_, S, N, F>
where
    S: Sink<R>,
    N: Fn() -> X + Sync,
    F: Fn(&mut X, T) -> R + Sync,
{
    type Acc = (S::Acc, X);
    type Output = S::Output;

    fn begin(&self, position: usize) -> Self::Acc {
        (self.base.begin(position), (self.init)())
    }

    #[inline]
    fn allot(&self, (acc, _): &mut Self::Acc, positions: usize) {
        self.base.allot(acc, positions);
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, (acc, state): &mut Self::Acc, items: J) {
        let items = items.map(|item| (self.f)(state, item));
        self.base.push_all(acc, items);
    }

    fn finish(&self, (acc, _): Self::Acc) -> S::Output {
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

impl<I, N, X, F, R> IndexedParallelIterator for MapInit<I, N, F>
where
    I: IndexedParallelIterator,
    N: Fn() -> X + Sync + Send,
    F: Fn(&mut X, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Producer<'p>
        = MapInitProducer<'p, I::Producer<'p>, N, F>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        MapInitProducer {
            base: self.base.producer(seal),
            init: &self.init,
            f: &self.f,
        }
    }
}

/// What is left of a [`MapInit`].
#[derive(Debug)]
pub struct MapInitProducer<'p, P, N, F> {
    base: P,
    init: &'p N,
    f: &'p F,
}

impl<'p, P, N, X, F, R> Producer for MapInitProducer<'p, P, N, F>
where
    P: Producer,
    N: Fn() -> X + Sync,
    F: Fn(&mut X, P::Item) -> R + Sync,
{
    type Item = R;
    type State = (P::State, Rc<RefCell<X>>);
    type Iter = Each<P::Iter, WithState<'p, X, F>>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let MapInitProducer { base, init, f } = self;
        let (left, right) = base.split_at(at);
        let map = |base| MapInitProducer { base, init, f };
        (map(left), map(right))
    }

    fn state(&self) -> Self::State {
        (self.base.state(), Rc::new(RefCell::new((self.init)())))
    }

    fn iter(self, (base, state): &Self::State) -> Self::Iter {
        Each {
            items: self.base.iter(base),
            action: WithState {
                state: Rc::clone(state),
                f: self.f,
            },
        }
    }
}

/// `f` gets the state of the run.
#[derive(Debug)]
pub struct WithState<'p, X, F> {
    pub(super) state: Rc<RefCell<X>>,
    pub(super) f: &'p F,
}

impl<T, X, R, F: Fn(&mut X, T) -> R> Do<T> for WithState<'_, X, F> {
    type Output = R;

    #[inline]
    fn to(&mut self, item: T) -> R {
        (self.f)(&mut self.state.borrow_mut(), item)
    }
}

//! `map_with`: each run has a clone as its state; see map_init.rs.

use super::{
    each::Each,
    map_init::{StateSink, WithState},
    original::Original,
};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink},
};
use std::{cell::RefCell, rc::Rc};

/// See [`ParallelIterator::map_with`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct MapWith<I, X, F> {
    base: I,
    init: Original<X>,
    f: F,
}

crate::debug::debug! { MapWith [I, X, F] [I, X] base = base, item = init }

impl<I, X, F> MapWith<I, X, F> {
    pub(crate) fn new(base: I, init: X, f: F) -> Self {
        let init = Original::new(init);
        MapWith { base, init, f }
    }
}

impl<I, X, F, R> ParallelIterator for MapWith<I, X, F>
where
    I: ParallelIterator,
    X: Send + Clone,
    F: Fn(&mut X, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&StateSink {
            base: sink,
            init: &|| self.init.copy(),
            f: &self.f,
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

impl<I, X, F, R> IndexedParallelIterator for MapWith<I, X, F>
where
    I: IndexedParallelIterator,
    X: Send + Clone,
    F: Fn(&mut X, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Producer<'p>
        = MapWithProducer<'p, I::Producer<'p>, X, F>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        MapWithProducer {
            base: self.base.producer(seal),
            init: &self.init,
            f: &self.f,
        }
    }
}

/// What is left of a [`MapWith`].
#[derive(Debug)]
pub struct MapWithProducer<'p, P, X, F> {
    base: P,
    init: &'p Original<X>,
    f: &'p F,
}

impl<'p, P, X, F, R> Producer for MapWithProducer<'p, P, X, F>
where
    P: Producer,
    X: Send + Clone,
    F: Fn(&mut X, P::Item) -> R + Sync,
{
    type Item = R;
    type State = (P::State, Rc<RefCell<X>>);
    type Iter = Each<P::Iter, WithState<'p, X, F>>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let MapWithProducer { base, init, f } = self;
        let (left, right) = base.split_at(at);
        let map = |base| MapWithProducer { base, init, f };
        (map(left), map(right))
    }

    fn state(&self) -> Self::State {
        (self.base.state(), Rc::new(RefCell::new(self.init.copy())))
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

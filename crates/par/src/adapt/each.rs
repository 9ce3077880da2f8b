//! The common part of *actions*, which turn one item into one: `map`, `inspect` and others
//! (`map.rs`).
//!
//! In a sink, an action's state of a run is part of the run's accumulator. In a producer, the
//! blocks of the run share the state; only one of them runs at any time, on the run's thread.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Order, Producer, Seal, Sink},
};
use std::{cell::RefCell, rc::Rc};

/// A function of each item.
pub trait Action<T>: Sync + Send {
    /// The type of the results.
    type Output: Send;
    /// The state of a run; `()` for most.
    type State;
    /// The state as the blocks of a run share it.
    type Shared: Shared<Self::State>;
    /// The items of a block. An iterator of std if there is one, since its `zip` is fast for those.
    type Block<'p, J: Items<T>>: Items<Self::Output>
    where
        Self: 'p;

    /// Whether the items of a run must come from left to right.
    const FORWARD: bool = false;

    /// Creates the state of a run.
    fn begin(&self) -> Self::State;

    /// Maps an item.
    fn act(&self, state: &mut Self::State, item: T) -> Self::Output;

    /// Maps each item of a block.
    fn block<'p, J: Items<T>>(&'p self, shared: &Self::Shared, items: J) -> Self::Block<'p, J>;
}

/// The state of a run, shared by its blocks.
pub trait Shared<X>: Clone {
    /// Shares a state.
    fn new(state: X) -> Self;

    /// Calls `f` with the state.
    fn with<R>(&self, f: impl FnOnce(&mut X) -> R) -> R;
}

impl Shared<()> for () {
    fn new((): ()) {}

    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut ()) -> R) -> R {
        f(&mut ())
    }
}

impl<X> Shared<X> for Rc<RefCell<X>> {
    fn new(state: X) -> Self {
        Rc::new(RefCell::new(state))
    }

    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut X) -> R) -> R {
        f(&mut self.borrow_mut())
    }
}

/// What indexed producers yield.
pub trait Items<T>: DoubleEndedIterator<Item = T> + ExactSizeIterator {}

impl<T, J: DoubleEndedIterator<Item = T> + ExactSizeIterator> Items<T> for J {}

/// Items with an action. The adaptors' types are aliases of this one.
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Each<I, A> {
    pub(crate) base: I,
    pub(crate) action: A,
}

impl<I, A> Each<I, A> {
    pub(crate) fn new(base: I, action: A) -> Self {
        Each { base, action }
    }
}

impl<I: ParallelIterator, A: Action<I::Item>> ParallelIterator for Each<I, A> {
    type Item = A::Output;

    fn drive<S: Sink<A::Output>>(self, sink: &S) -> S::Output {
        self.base.drive(&EachSink {
            base: sink,
            action: &self.action,
        })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
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
        S: Sink<A::Output>,
        Few: FnOnce(usize) -> bool,
    {
        let Each { base, action } = self;
        let each = EachSink {
            base: sink,
            action: &action,
        };
        let mut acting = run.take().map(|acc| (acc, action.begin()));
        let left = base.push_few(&each, &mut acting, position, few, seal);
        *run = acting.map(|(acc, _)| acc);
        left.map(|base| Each { base, action })
    }
}

struct EachSink<'a, S, A> {
    base: &'a S,
    action: &'a A,
}

impl<T, A: Action<T>, S: Sink<A::Output>> Sink<T> for EachSink<'_, S, A> {
    type Acc = (S::Acc, A::State);
    type Output = S::Output;

    const ORDER: Order = if A::FORWARD { Order::Forward } else { S::ORDER };
    const PIECES: bool = S::PIECES;

    #[inline]
    fn begin(&self, position: usize) -> Self::Acc {
        (self.base.begin(position), self.action.begin())
    }

    #[inline]
    fn allot(&self, (acc, _): &mut Self::Acc, positions: usize) {
        self.base.allot(acc, positions);
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, (acc, state): &mut Self::Acc, items: J) {
        let items = items.map(|item| self.action.act(state, item));
        self.base.push_all(acc, items);
    }

    #[inline]
    fn cut(&self, (acc, _): &mut Self::Acc) {
        self.base.cut(acc);
    }

    #[inline]
    fn finish(&self, (acc, _): Self::Acc) -> S::Output {
        self.base.finish(acc)
    }

    #[inline]
    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, (acc, _): &Self::Acc) -> bool {
        self.base.is_full(acc)
    }

    #[inline]
    fn has_last(&self, (acc, _): &Self::Acc) -> bool {
        self.base.has_last(acc)
    }
}

impl<I: IndexedParallelIterator, A: Action<I::Item>> IndexedParallelIterator for Each<I, A> {
    type Producer<'p>
        = EachProducer<'p, I::Producer<'p>, A>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        EachProducer {
            base: self.base.producer(seal),
            action: &self.action,
        }
    }
}

/// The remaining items of an [`Each`].
#[derive(Debug)]
pub struct EachProducer<'p, P, A> {
    base: P,
    action: &'p A,
}

impl<'p, P, A> Producer for EachProducer<'p, P, A>
where
    P: Producer<Iter: DoubleEndedIterator + ExactSizeIterator>,
    A: Action<P::Item>,
{
    type Item = A::Output;
    type State = (P::State, A::Shared);
    type Iter = A::Block<'p, P::Iter>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let EachProducer { base, action } = self;
        let (left, right) = base.split_at(at);
        let each = |base| EachProducer { base, action };
        (each(left), each(right))
    }

    fn state(&self) -> Self::State {
        let shared = A::Shared::new(self.action.begin());
        (self.base.state(), shared)
    }

    fn iter(self, (base, shared): &Self::State) -> Self::Iter {
        self.action.block(shared, self.base.iter(base))
    }
}

/// The items of a block with an action, where std has no such iterator.
#[derive(Clone, Debug)]
pub struct Acting<'p, J, A, H> {
    items: J,
    action: &'p A,
    shared: H,
}

impl<'p, J, A, H: Clone> Acting<'p, J, A, H> {
    pub(super) fn new(items: J, action: &'p A, shared: &H) -> Self {
        let shared = shared.clone();
        Acting {
            items,
            action,
            shared,
        }
    }
}

impl<J, A, H> Iterator for Acting<'_, J, A, H>
where
    J: Iterator,
    A: Action<J::Item, Shared = H>,
    H: Shared<A::State>,
{
    type Item = A::Output;

    #[inline]
    fn next(&mut self) -> Option<A::Output> {
        let item = self.items.next()?;
        Some(self.shared.with(|state| self.action.act(state, item)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, A::Output) -> B>(self, init: B, mut f: F) -> B {
        let Acting {
            items,
            action,
            shared,
        } = self;
        items.fold(init, |acc, item| {
            f(acc, shared.with(|state| action.act(state, item)))
        })
    }
}

impl<J, A, H> DoubleEndedIterator for Acting<'_, J, A, H>
where
    J: DoubleEndedIterator,
    A: Action<J::Item, Shared = H>,
    H: Shared<A::State>,
{
    #[inline]
    fn next_back(&mut self) -> Option<A::Output> {
        let item = self.items.next_back()?;
        Some(self.shared.with(|state| self.action.act(state, item)))
    }

    #[inline]
    fn rfold<B, F: FnMut(B, A::Output) -> B>(self, init: B, mut f: F) -> B {
        let Acting {
            items,
            action,
            shared,
        } = self;
        items.rfold(init, |acc, item| {
            f(acc, shared.with(|state| action.act(state, item)))
        })
    }
}

impl<J, A, H> ExactSizeIterator for Acting<'_, J, A, H>
where
    J: ExactSizeIterator,
    A: Action<J::Item, Shared = H>,
    H: Shared<A::State>,
{
}

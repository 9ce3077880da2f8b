//! `chain`.

use super::at::{At, Start};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Order, Producer, Seal, Sink},
};
use std::iter;
use sumac_core::join;

/// See [`ParallelIterator::chain`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Chain<A, B> {
    pub(crate) a: A,
    pub(crate) b: B,
}

/// Runs both parts, beginning with the one that the sink wants first, and merges their outputs.
fn both<T, S: Sink<T>>(
    sink: &S,
    left: impl FnOnce() -> S::Output + Send,
    right: impl FnOnce() -> S::Output + Send,
) -> S::Output {
    let (left, right) = if const { matches!(S::ORDER, Order::Backward) } {
        let (right, left) = join(right, left);
        (left, right)
    } else {
        join(left, right)
    };
    sink.merge(left, right)
}

impl<A, B> ParallelIterator for Chain<A, B>
where
    A: ParallelIterator,
    B: ParallelIterator<Item = A::Item>,
{
    type Item = A::Item;

    fn drive<S: Sink<A::Item>>(self, sink: &S) -> S::Output {
        let Chain { a, b } = self;
        match (a.exact_len(Seal(())), b.exact_len(Seal(()))) {
            (Some(before), Some(len)) => {
                let left = At::new(
                    sink,
                    Start::After {
                        before: 0,
                        len: before,
                    },
                );
                let right = At::new(sink, Start::After { before, len });
                both(sink, || a.drive(&left), || b.drive(&right))
            }
            _ => {
                let last = At::new(sink, Start::Here(usize::MAX));
                both(sink, || a.drive(sink), || b.drive(&last))
            }
        }
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.a.exact_len(seal)?.checked_add(self.b.exact_len(seal)?)
    }
}

impl<A, B> IndexedParallelIterator for Chain<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Producer<'p>
        = Chain<A::Producer<'p>, B::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        let len = self.a.len().checked_add(self.b.len());
        len.expect("no more items than usize can count")
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        Chain {
            a: self.a.producer(seal),
            b: self.b.producer(seal),
        }
    }
}

impl<A, B> Producer for Chain<A, B>
where
    A: Producer<Iter: DoubleEndedIterator + ExactSizeIterator>,
    B: Producer<Item = A::Item, Iter: DoubleEndedIterator + ExactSizeIterator>,
{
    type Item = A::Item;
    type State = (A::State, B::State);
    type Iter = Chained<A::Iter, B::Iter>;

    fn len(&self) -> usize {
        self.a.len() + self.b.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let in_a = at.min(self.a.len());
        let (left_a, a) = self.a.split_at(in_a);
        let (left_b, b) = self.b.split_at(at - in_a);
        let left = Chain {
            a: left_a,
            b: left_b,
        };
        (left, Chain { a, b })
    }

    fn state(&self) -> Self::State {
        (self.a.state(), self.b.state())
    }

    fn iter(self, (a, b): &Self::State) -> Self::Iter {
        Chained(self.a.iter(a).chain(self.b.iter(b)))
    }
}

/// std's chain with a known length.
#[derive(Debug)]
pub struct Chained<A, B>(iter::Chain<A, B>);

impl<A, B> Iterator for Chained<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline]
    fn fold<C, F: FnMut(C, A::Item) -> C>(self, init: C, f: F) -> C {
        self.0.fold(init, f)
    }
}

impl<A, B> DoubleEndedIterator for Chained<A, B>
where
    A: DoubleEndedIterator + ExactSizeIterator,
    B: DoubleEndedIterator<Item = A::Item> + ExactSizeIterator,
{
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        self.0.next_back()
    }
}

impl<A, B> ExactSizeIterator for Chained<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
}

//! `Either` of two parallel iterators with the same items.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink},
};
use either::{Either, for_both};

/// ```
/// use sumac::{iter::Either, prelude::*};
///
/// let both_ways = |down| {
///     let up = (1..4).into_par_iter();
///     if down { Either::Left(up.rev()) } else { Either::Right(up) }
/// };
/// assert_eq!(both_ways(true).collect::<Vec<_>>(), [3, 2, 1]);
/// assert_eq!(both_ways(false).collect::<Vec<_>>(), [1, 2, 3]);
/// ```
impl<L, R> ParallelIterator for Either<L, R>
where
    L: ParallelIterator,
    R: ParallelIterator<Item = L::Item>,
{
    type Item = L::Item;

    fn drive<S: Sink<L::Item>>(self, sink: &S) -> S::Output {
        for_both!(self, items => items.drive(sink))
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        for_both!(self, items => items.exact_len(seal))
    }

    fn into_vec(self, seal: Seal) -> Vec<L::Item> {
        for_both!(self, items => items.into_vec(seal))
    }
}

impl<L, R> IndexedParallelIterator for Either<L, R>
where
    L: IndexedParallelIterator,
    R: IndexedParallelIterator<Item = L::Item>,
{
    type Producer<'p>
        = Either<L::Producer<'p>, R::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        for_both!(self, items => items.len())
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        match self {
            Either::Left(items) => Either::Left(items.producer(seal)),
            Either::Right(items) => Either::Right(items.producer(seal)),
        }
    }
}

impl<P, Q> Producer for Either<P, Q>
where
    P: Producer,
    Q: Producer<Item = P::Item>,
{
    type Item = P::Item;
    type State = Either<P::State, Q::State>;
    type Iter = Either<P::Iter, Q::Iter>;

    fn len(&self) -> usize {
        for_both!(self, producer => producer.len())
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Either::Left(producer) => {
                let (left, right) = producer.split_at(at);
                (Either::Left(left), Either::Left(right))
            }
            Either::Right(producer) => {
                let (left, right) = producer.split_at(at);
                (Either::Right(left), Either::Right(right))
            }
        }
    }

    fn state(&self) -> Self::State {
        match self {
            Either::Left(producer) => Either::Left(producer.state()),
            Either::Right(producer) => Either::Right(producer.state()),
        }
    }

    fn iter(self, state: &Self::State) -> Self::Iter {
        match (self, state) {
            (Either::Left(producer), Either::Left(state)) => Either::Left(producer.iter(state)),
            (Either::Right(producer), Either::Right(state)) => Either::Right(producer.iter(state)),
            _ => unreachable!("a loop has one kind of producer and its state"),
        }
    }
}

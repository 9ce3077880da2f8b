//! `unzip` and `partition`: each run collects two vectors.

use super::{collect::concatenate, slots};
use crate::{
    iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator},
    shape::{Seal, Sink},
};
use either::{Either, for_both};
use std::marker::PhantomData;

/// Collects the halves of all pairs, in order.
pub(crate) fn unzip<A, B, I>(items: I) -> (Vec<A>, Vec<B>)
where
    A: Send,
    B: Send,
    I: ParallelIterator<Item = (A, B)>,
{
    let (mut left, mut right) = (Vec::new(), Vec::new());
    append(&mut left, &mut right, items);
    (left, right)
}

/// Appends the halves of all pairs, in order.
pub(crate) fn append<A, B, I>(left: &mut Vec<A>, right: &mut Vec<B>, items: I)
where
    A: Send,
    B: Send,
    I: ParallelIterator<Item = (A, B)>,
{
    if let Some(len) = items.exact_len(Seal(())) {
        slots::append_pairs(left, right, items, len);
        return;
    }
    let split = |(a, b), sides: &mut (Vec<A>, Vec<B>)| {
        sides.0.push(a);
        sides.1.push(b);
    };
    let lists = items.drive(&TwoLists::new(split));
    slots::append_lists(left, lists.0);
    slots::append_lists(right, lists.1);
}

/// Collects the items for which `predicate` holds, and the others.
pub(crate) fn partition<I, P>(items: I, predicate: P) -> (Vec<I::Item>, Vec<I::Item>)
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync,
{
    let split = |item, sides: &mut (Vec<I::Item>, Vec<I::Item>)| {
        if predicate(&item) {
            sides.0.push(item);
        } else {
            sides.1.push(item);
        }
    };
    let (yes, no) = items.drive(&TwoLists::new(split));
    (concatenate(yes), concatenate(no))
}

/// Puts each item into the list that `split` chooses.
struct TwoLists<F, A, B> {
    split: F,
    sides: PhantomData<fn() -> (A, B)>,
}

impl<F, A, B> TwoLists<F, A, B> {
    fn new<T>(split: F) -> Self
    where
        F: Fn(T, &mut (Vec<A>, Vec<B>)),
    {
        TwoLists {
            split,
            sides: PhantomData,
        }
    }
}

impl<T, A, B, F> Sink<T> for TwoLists<F, A, B>
where
    A: Send,
    B: Send,
    F: Fn(T, &mut (Vec<A>, Vec<B>)) + Sync,
{
    type Acc = (Vec<A>, Vec<B>);
    type Output = (Vec<Vec<A>>, Vec<Vec<B>>);

    fn begin(&self, _: usize) -> Self::Acc {
        (Vec::new(), Vec::new())
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Self::Acc, items: I) {
        items.for_each(|item| (self.split)(item, acc));
    }

    fn finish(&self, (left, right): Self::Acc) -> Self::Output {
        (vec![left], vec![right])
    }

    fn merge(&self, mut left: Self::Output, right: Self::Output) -> Self::Output {
        left.0.extend(right.0);
        left.1.extend(right.1);
        left
    }
}

/// Collects the `Left` and the `Right` items.
fn separate<A, B, I>(items: I) -> (Vec<A>, Vec<B>)
where
    A: Send,
    B: Send,
    I: ParallelIterator<Item = Either<A, B>>,
{
    let split = |item, sides: &mut (Vec<A>, Vec<B>)| match item {
        Either::Left(left) => sides.0.push(left),
        Either::Right(right) => sides.1.push(right),
    };
    let (left, right) = items.drive(&TwoLists::new(split));
    (concatenate(left), concatenate(right))
}

/// `Left` items extend the first of a pair, `Right` items the second.
impl<A, B, X, Y> ParallelExtend<Either<A, B>> for (X, Y)
where
    A: Send,
    B: Send,
    X: ParallelExtend<A>,
    Y: ParallelExtend<B>,
{
    fn par_extend<I: IntoParallelIterator<Item = Either<A, B>>>(&mut self, items: I) {
        let (left, right) = separate(items.into_par_iter());
        self.0.par_extend(left);
        self.1.par_extend(right);
    }
}

/// `Left` items are collected in the first of a pair, `Right` items in the second.
impl<A, B, X, Y> FromParallelIterator<Either<A, B>> for (X, Y)
where
    A: Send,
    B: Send,
    X: FromParallelIterator<A>,
    Y: FromParallelIterator<B>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Either<A, B>>>(items: I) -> Self {
        let (left, right) = separate(items.into_par_iter());
        (X::from_par_iter(left), Y::from_par_iter(right))
    }
}

/// Extends the collection in it.
impl<T, X, Y> ParallelExtend<T> for Either<X, Y>
where
    T: Send,
    X: ParallelExtend<T>,
    Y: ParallelExtend<T>,
{
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
        for_both!(self, collection => collection.par_extend(items));
    }
}

/// Pairs extend pairs.
impl<A, B, X, Y> ParallelExtend<(A, B)> for (X, Y)
where
    A: Send,
    B: Send,
    X: ParallelExtend<A>,
    Y: ParallelExtend<B>,
{
    fn par_extend<I: IntoParallelIterator<Item = (A, B)>>(&mut self, items: I) {
        let (left, right) = unzip(items.into_par_iter());
        self.0.par_extend(left);
        self.1.par_extend(right);
    }
}

/// Pairs are collected into pairs.
impl<A, B, X, Y> FromParallelIterator<(A, B)> for (X, Y)
where
    A: Send,
    B: Send,
    X: FromParallelIterator<A>,
    Y: FromParallelIterator<B>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = (A, B)>>(items: I) -> Self {
        let (left, right) = unzip(items.into_par_iter());
        (X::from_par_iter(left), Y::from_par_iter(right))
    }
}

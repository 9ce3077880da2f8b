//! `unzip` and `partition_map`: each run collects two vectors.

use super::{collect::concatenate, each_run::EachRun, slots};
use crate::{
    iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator},
    shape::Seal,
};
use either::{Either, for_both};

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
    let (lefts, rights): (Vec<_>, Vec<_>) = items.drive(&EachRun::new()).into_iter().unzip();
    slots::append_lists(left, lefts);
    slots::append_lists(right, rights);
}

/// The `Left` and the `Right` items of a run.
struct Sides<A, B>(Vec<A>, Vec<B>);

impl<A, B> Default for Sides<A, B> {
    fn default() -> Self {
        Sides(Vec::new(), Vec::new())
    }
}

impl<A, B> Extend<Either<A, B>> for Sides<A, B> {
    #[inline]
    fn extend<I: IntoIterator<Item = Either<A, B>>>(&mut self, items: I) {
        items.into_iter().for_each(|item| match item {
            Either::Left(left) => self.0.push(left),
            Either::Right(right) => self.1.push(right),
        });
    }
}

/// Collects the `Left` and the `Right` items, in order.
fn separate<A, B, I>(items: I) -> (Vec<A>, Vec<B>)
where
    A: Send,
    B: Send,
    I: ParallelIterator<Item = Either<A, B>>,
{
    let runs = items.drive(&EachRun::new());
    let (lefts, rights) = runs
        .into_iter()
        .map(|Sides(left, right)| (left, right))
        .unzip();
    (concatenate(lefts), concatenate(rights))
}

/// A pair of collections, extended by or collected from items that become two vectors first.
macro_rules! pairs {
    ($($Item:ty => $in_two:ident;)*) => {$(
        impl<A, B, X, Y> ParallelExtend<$Item> for (X, Y)
        where
            A: Send,
            B: Send,
            X: ParallelExtend<A>,
            Y: ParallelExtend<B>,
        {
            fn par_extend<I: IntoParallelIterator<Item = $Item>>(&mut self, items: I) {
                let (left, right) = $in_two(items.into_par_iter());
                self.0.par_extend(left);
                self.1.par_extend(right);
            }
        }

        impl<A, B, X, Y> FromParallelIterator<$Item> for (X, Y)
        where
            A: Send,
            B: Send,
            X: FromParallelIterator<A>,
            Y: FromParallelIterator<B>,
        {
            fn from_par_iter<I: IntoParallelIterator<Item = $Item>>(items: I) -> Self {
                let (left, right) = $in_two(items.into_par_iter());
                (X::from_par_iter(left), Y::from_par_iter(right))
            }
        }
    )*};
}

pairs! {
    (A, B) => unzip;
    Either<A, B> => separate;
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

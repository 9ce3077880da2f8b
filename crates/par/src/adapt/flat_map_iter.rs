//! `flat_map_iter` and `flatten_iter`.

use crate::{
    iter::ParallelIterator,
    shape::{Sink, forward},
};

/// See [`ParallelIterator::flat_map_iter`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FlatMapIter<I, F> {
    pub(crate) base: I,
    pub(crate) f: F,
}

crate::debug::debug! { FlatMapIter [I, F] [I] base = base }

impl<I, F, R> ParallelIterator for FlatMapIter<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: IntoIterator<Item: Send>,
{
    type Item = R::Item;

    fn drive<S: Sink<R::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&FlatMapIterSink {
            base: sink,
            f: &self.f,
        })
    }
}

/// See [`ParallelIterator::flatten_iter`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct FlattenIter<I> {
    pub(crate) base: I,
}

impl<I> ParallelIterator for FlattenIter<I>
where
    I: ParallelIterator<Item: IntoIterator<Item: Send>>,
{
    type Item = <I::Item as IntoIterator>::Item;

    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&FlatMapIterSink {
            base: sink,
            f: &|item| item,
        })
    }
}

struct FlatMapIterSink<'a, S, F> {
    base: &'a S,
    f: &'a F,
}

impl<T, R, S, F> Sink<T> for FlatMapIterSink<'_, S, F>
where
    R: IntoIterator,
    S: Sink<R::Item>,
    F: Fn(T) -> R + Sync,
{
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        self.base.push_all(acc, items.flat_map(self.f));
    }
}

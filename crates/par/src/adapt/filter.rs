//! `filter`.

use crate::{
    iter::ParallelIterator,
    shape::{Sink, forward},
};

/// See [`ParallelIterator::filter`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Filter<I, P> {
    pub(crate) base: I,
    pub(crate) predicate: P,
}

crate::debug::debug! { Filter [I, P] [I] base = base }

impl<I, P> ParallelIterator for Filter<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&FilterSink {
            base: sink,
            predicate: &self.predicate,
        })
    }
}

struct FilterSink<'a, S, P> {
    base: &'a S,
    predicate: &'a P,
}

impl<T, S: Sink<T>, P: Fn(&T) -> bool + Sync> Sink<T> for FilterSink<'_, S, P> {
    forward!();

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: I) {
        self.base.push_all(acc, items.filter(self.predicate));
    }
}

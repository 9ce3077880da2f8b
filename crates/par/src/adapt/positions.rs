//! `positions`.

use super::enumerate::Enumerate;
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Sink, forward},
};

/// See [`IndexedParallelIterator::positions`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Positions<I, F> {
    pub(crate) base: I,
    pub(crate) predicate: F,
}

crate::debug::debug! { Positions [I, F] [I] base = base }

impl<I, F> ParallelIterator for Positions<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(I::Item) -> bool + Sync + Send,
{
    type Item = usize;

    fn drive<S: Sink<usize>>(self, sink: &S) -> S::Output {
        let Positions { base, predicate } = self;
        Enumerate { base }.drive(&PositionsSink {
            base: sink,
            predicate: &predicate,
        })
    }
}

struct PositionsSink<'a, S, F> {
    base: &'a S,
    predicate: &'a F,
}

impl<T, S: Sink<usize>, F: Fn(T) -> bool + Sync> Sink<(usize, T)> for PositionsSink<'_, S, F> {
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = (usize, T)>>(&self, acc: &mut S::Acc, items: J) {
        let positions =
            items.filter_map(|(position, item)| (self.predicate)(item).then_some(position));
        self.base.push_all(acc, positions);
    }
}

//! `filter`.

use crate::{
    iter::ParallelIterator,
    shape::{Seal, Sink, forward},
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
        S: Sink<I::Item>,
        Few: FnOnce(usize) -> bool,
    {
        let Filter { base, predicate } = self;
        let filter = FilterSink {
            base: sink,
            predicate: &predicate,
        };
        let left = base.push_few(&filter, run, position, few, seal);
        left.map(|base| Filter { base, predicate })
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

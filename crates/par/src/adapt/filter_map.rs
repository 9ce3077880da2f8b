//! `filter_map`.

use crate::{
    iter::ParallelIterator,
    shape::{Sink, forward},
};

/// See [`ParallelIterator::filter_map`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FilterMap<I, F> {
    pub(crate) base: I,
    pub(crate) f: F,
}

crate::debug::debug! { FilterMap [I, F] [I] base = base }

impl<I, F, R> ParallelIterator for FilterMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> Option<R> + Sync + Send,
    R: Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&FilterMapSink {
            base: sink,
            f: &self.f,
        })
    }
}

struct FilterMapSink<'a, S, F> {
    base: &'a S,
    f: &'a F,
}

impl<T, R, S: Sink<R>, F: Fn(T) -> Option<R> + Sync> Sink<T> for FilterMapSink<'_, S, F> {
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        self.base.push_all(acc, items.filter_map(self.f));
    }
}

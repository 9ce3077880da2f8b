//! `until_cancelled`.

use crate::{
    cancel::CancelToken,
    iter::ParallelIterator,
    shape::{Sink, forward},
};

/// See [`ParallelIterator::until_cancelled`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct UntilCancelled<I> {
    pub(crate) base: I,
    pub(crate) token: CancelToken,
}

impl<I: ParallelIterator> ParallelIterator for UntilCancelled<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&UntilCancelledSink {
            base: sink,
            token: &self.token,
        })
    }
}

struct UntilCancelledSink<'a, S> {
    base: &'a S,
    token: &'a CancelToken,
}

impl<T, S: Sink<T>> Sink<T> for UntilCancelledSink<'_, S> {
    forward!(|sink| sink.token.is_cancelled());

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        if !self.token.is_cancelled() {
            self.base.push_all(acc, items);
        }
    }
}

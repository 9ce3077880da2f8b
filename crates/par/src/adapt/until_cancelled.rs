//! `until_cancelled`.

use crate::{cancel::CancelToken, iter::ParallelIterator, shape::Sink};

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
    type Acc = S::Acc;
    type Output = S::Output;

    #[inline]
    fn begin(&self, position: usize) -> S::Acc {
        self.base.begin(position)
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        if !self.token.is_cancelled() {
            self.base.push_all(acc, items);
        }
    }

    #[inline]
    fn finish(&self, acc: S::Acc) -> S::Output {
        self.base.finish(acc)
    }

    #[inline]
    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, acc: &S::Acc) -> bool {
        self.token.is_cancelled() || self.base.is_full(acc)
    }
}

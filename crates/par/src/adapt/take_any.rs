//! `take_any` and `skip_any`: so many items, whichever come first. The threads draw from one
//! counter.

use crate::{
    iter::ParallelIterator,
    shape::{Sink, forward},
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// See [`ParallelIterator::take_any`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct TakeAny<I> {
    pub(crate) base: I,
    pub(crate) n: usize,
}

/// See [`ParallelIterator::skip_any`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct SkipAny<I> {
    pub(crate) base: I,
    pub(crate) n: usize,
}

/// The number of items that may still be taken.
struct Budget(AtomicUsize);

impl Budget {
    fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Takes one, if there is one left.
    #[inline]
    fn take_one(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        !self.is_empty()
            && self
                .0
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
                .is_ok()
    }
}

impl<I: ParallelIterator> ParallelIterator for TakeAny<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&TakeSink {
            base: sink,
            budget: &Budget(AtomicUsize::new(self.n)),
        })
    }
}

struct TakeSink<'a, S> {
    base: &'a S,
    budget: &'a Budget,
}

impl<T, S: Sink<T>> Sink<T> for TakeSink<'_, S> {
    forward!(|sink| sink.budget.is_empty());

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        if !self.budget.is_empty() {
            self.base
                .push_all(acc, items.take_while(|_| self.budget.take_one()));
        }
    }
}

impl<I: ParallelIterator> ParallelIterator for SkipAny<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&SkipSink {
            base: sink,
            budget: &Budget(AtomicUsize::new(self.n)),
        })
    }
}

struct SkipSink<'a, S> {
    base: &'a S,
    budget: &'a Budget,
}

impl<T, S: Sink<T>> Sink<T> for SkipSink<'_, S> {
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        self.base
            .push_all(acc, items.skip_while(|_| self.budget.take_one()));
    }
}

//! `while_some`.

use crate::{
    iter::ParallelIterator,
    shape::{Sink, forward},
};
use std::sync::atomic::{AtomicBool, Ordering};

/// See [`ParallelIterator::while_some`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct WhileSome<I> {
    pub(crate) base: I,
}

impl<I, T> ParallelIterator for WhileSome<I>
where
    I: ParallelIterator<Item = Option<T>>,
    T: Send,
{
    type Item = T;

    fn drive<S: Sink<T>>(self, sink: &S) -> S::Output {
        self.base.drive(&WhileSomeSink {
            base: sink,
            over: &AtomicBool::new(false),
        })
    }
}

struct WhileSomeSink<'a, S> {
    base: &'a S,
    over: &'a AtomicBool,
}

impl<S> WhileSomeSink<'_, S> {
    #[inline]
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl<T, S: Sink<T>> Sink<Option<T>> for WhileSomeSink<'_, S> {
    forward!(|sink| sink.is_over());

    #[inline]
    fn push_all<J: Iterator<Item = Option<T>>>(&self, acc: &mut S::Acc, items: J) {
        if self.is_over() {
            return;
        }
        let items = items.map_while(|item| {
            if item.is_none() {
                self.over.store(true, Ordering::Relaxed);
            }
            item.filter(|_| !self.is_over())
        });
        self.base.push_all(acc, items);
    }
}

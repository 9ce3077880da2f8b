//! `take_any_while` and `skip_any_while`: until the predicate does not hold for some item,
//! whichever comes first.

use crate::{
    iter::ParallelIterator,
    shape::{Sink, forward},
};
use std::sync::atomic::{AtomicBool, Ordering};

/// See [`ParallelIterator::take_any_while`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct TakeAnyWhile<I, P> {
    pub(crate) base: I,
    pub(crate) predicate: P,
}

crate::debug::debug! { TakeAnyWhile [I, P] [I] base = base }

/// See [`ParallelIterator::skip_any_while`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct SkipAnyWhile<I, P> {
    pub(crate) base: I,
    pub(crate) predicate: P,
}

crate::debug::debug! { SkipAnyWhile [I, P] [I] base = base }

/// A predicate that holds for no item once it did not hold for one.
struct While<P> {
    predicate: P,
    over: AtomicBool,
}

impl<P> While<P> {
    fn new(predicate: P) -> Self {
        While {
            predicate,
            over: AtomicBool::new(false),
        }
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    #[inline]
    fn holds<T>(&self, item: &T) -> bool
    where
        P: Fn(&T) -> bool,
    {
        if self.is_over() {
            return false;
        }
        let holds = (self.predicate)(item);
        if !holds {
            self.over.store(true, Ordering::Relaxed);
        }
        holds
    }
}

impl<I, P> ParallelIterator for TakeAnyWhile<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&TakeSink {
            base: sink,
            condition: &While::new(self.predicate),
        })
    }
}

struct TakeSink<'a, S, P> {
    base: &'a S,
    condition: &'a While<P>,
}

impl<T, S: Sink<T>, P: Fn(&T) -> bool + Sync> Sink<T> for TakeSink<'_, S, P> {
    forward!(|sink| sink.condition.is_over());

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        if !self.condition.is_over() {
            let items = items.take_while(|item| self.condition.holds(item));
            self.base.push_all(acc, items);
        }
    }
}

impl<I, P> ParallelIterator for SkipAnyWhile<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&SkipSink {
            base: sink,
            condition: &While::new(self.predicate),
        })
    }
}

struct SkipSink<'a, S, P> {
    base: &'a S,
    condition: &'a While<P>,
}

impl<T, S: Sink<T>, P: Fn(&T) -> bool + Sync> Sink<T> for SkipSink<'_, S, P> {
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        let items = items.skip_while(|item| self.condition.holds(item));
        self.base.push_all(acc, items);
    }
}

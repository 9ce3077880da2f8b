//! `take_any` and `skip_any`, `take_any_while` and `skip_any_while`, `while_some`,
//! `until_cancelled`: whether an item is kept depends on a state that all threads share.

use super::transform::{Transform, Transformed};
use crate::cancel::CancelToken;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of items that threads may still draw.
#[derive(Debug)]
pub(crate) struct Budget(AtomicUsize);

impl Budget {
    pub(crate) fn new(n: usize) -> Self {
        Budget(AtomicUsize::new(n))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Draws one, if any is left.
    #[inline]
    fn draw(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        let draw = || {
            self.0
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
        };
        self.count() > 0 && draw().is_ok()
    }
}

impl Clone for Budget {
    fn clone(&self) -> Self {
        Budget::new(self.count())
    }
}

/// See [`ParallelIterator::take_any`](crate::iter::ParallelIterator::take_any).
pub type TakeAny<I> = Transformed<I, Taking>;

crate::debug::debug! { TakeAny [I] [I] base = base, n = transform.left }

/// Keeps a number of items.
#[derive(Clone, Debug)]
pub struct Taking {
    pub(crate) left: Budget,
}

impl<T: Send> Transform<T> for Taking {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.take_while(|_| self.left.draw())
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.left.count() == 0
    }
}

/// See [`ParallelIterator::skip_any`](crate::iter::ParallelIterator::skip_any).
pub type SkipAny<I> = Transformed<I, Skipping>;

crate::debug::debug! { SkipAny [I] [I] base = base, n = transform.left }

/// Leaves out a number of items.
#[derive(Clone, Debug)]
pub struct Skipping {
    pub(crate) left: Budget,
}

impl<T: Send> Transform<T> for Skipping {
    type Output = T;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.skip_while(|_| self.left.draw())
    }
}

/// A predicate that holds for no item once it did not hold for one.
#[derive(Debug)]
pub(crate) struct While<P> {
    predicate: P,
    over: AtomicBool,
}

impl<P> While<P> {
    pub(crate) fn new(predicate: P) -> Self {
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

impl<P: Clone> Clone for While<P> {
    fn clone(&self) -> Self {
        While::new(self.predicate.clone())
    }
}

/// See [`ParallelIterator::take_any_while`](crate::iter::ParallelIterator::take_any_while).
pub type TakeAnyWhile<I, P> = Transformed<I, TakingWhile<P>>;

crate::debug::debug! { TakeAnyWhile [I, P] [I] base = base }

/// Keeps items until a predicate does not hold.
#[derive(Clone, Debug)]
pub struct TakingWhile<P>(pub(crate) While<P>);

impl<T: Send, P: Fn(&T) -> bool + Sync + Send> Transform<T> for TakingWhile<P> {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.take_while(|item| self.0.holds(item))
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

/// See [`ParallelIterator::skip_any_while`](crate::iter::ParallelIterator::skip_any_while).
pub type SkipAnyWhile<I, P> = Transformed<I, SkippingWhile<P>>;

crate::debug::debug! { SkipAnyWhile [I, P] [I] base = base }

/// Leaves out items until a predicate does not hold.
#[derive(Clone, Debug)]
pub struct SkippingWhile<P>(pub(crate) While<P>);

impl<T: Send, P: Fn(&T) -> bool + Sync + Send> Transform<T> for SkippingWhile<P> {
    type Output = T;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.skip_while(|item| self.0.holds(item))
    }
}

/// See [`ParallelIterator::while_some`](crate::iter::ParallelIterator::while_some).
pub type WhileSome<I> = Transformed<I, Unwrapping>;

crate::debug::debug! { WhileSome [I] [I] base = base }

/// Keeps the values in the items until one is `None`.
#[derive(Debug, Default)]
pub struct Unwrapping {
    over: AtomicBool,
}

impl Clone for Unwrapping {
    fn clone(&self) -> Self {
        Unwrapping::default()
    }
}

impl<T: Send> Transform<Option<T>> for Unwrapping {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = Option<T>>>(&self, items: J) -> impl Iterator<Item = T> {
        items.map_while(|item| {
            if item.is_none() {
                self.over.store(true, Ordering::Relaxed);
            }
            item.filter(|_| !self.over.load(Ordering::Relaxed))
        })
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// See [`ParallelIterator::until_cancelled`](crate::iter::ParallelIterator::until_cancelled).
pub type UntilCancelled<I> = Transformed<I, Cancelling>;

crate::debug::debug! { UntilCancelled [I] [I] base = base, token = transform.token }

/// Keeps items until a token is cancelled.
#[derive(Clone, Debug)]
pub struct Cancelling {
    pub(crate) token: CancelToken,
}

impl<T: Send> Transform<T> for Cancelling {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.token.is_cancelled()
    }
}

//! `take_any` and `skip_any`, `take_any_while` and `skip_any_while`, `while_some`,
//! `until_cancelled`: whether an item is kept depends on a state that all threads share.

use super::transform::{Transform, Transformed};
use crate::{cancel::CancelToken, flag::Flag};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets items pass until it is closed.
pub trait Gate<T>: Sync + Send {
    /// Returns whether an item may pass.
    fn admits(&self, item: &T) -> bool;

    /// Returns whether no more items may pass.
    fn is_closed(&self) -> bool;
}

/// Lets a number of items pass, of all threads together.
#[derive(Debug)]
pub struct Budget(AtomicUsize);

impl Budget {
    pub(crate) fn new(n: usize) -> Self {
        Budget(AtomicUsize::new(n))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Budget {
    fn clone(&self) -> Self {
        Budget::new(self.count())
    }
}

impl<T> Gate<T> for Budget {
    #[inline]
    fn admits(&self, _: &T) -> bool {
        let less = |left: usize| left.checked_sub(1);
        let draw = || {
            self.0
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
        };
        self.count() > 0 && draw().is_ok()
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.count() == 0
    }
}

/// Lets items pass until a predicate does not hold for one.
#[derive(Clone, Debug)]
pub struct While<P> {
    predicate: P,
    over: Flag,
}

impl<P> While<P> {
    pub(crate) fn new(predicate: P) -> Self {
        let over = Flag::default();
        While { predicate, over }
    }
}

impl<T, P: Fn(&T) -> bool + Sync + Send> Gate<T> for While<P> {
    #[inline]
    fn admits(&self, item: &T) -> bool {
        if self.over.is_raised() {
            return false;
        }
        let holds = (self.predicate)(item);
        if !holds {
            self.over.raise();
        }
        holds
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.over.is_raised()
    }
}

/// Keeps the items that pass.
#[derive(Clone, Debug)]
pub struct Taking<G>(pub(crate) G);

impl<T: Send, G: Gate<T>> Transform<T> for Taking<G> {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.take_while(|item| self.0.admits(item))
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.0.is_closed()
    }
}

/// Leaves out the items that pass.
#[derive(Clone, Debug)]
pub struct Skipping<G>(pub(crate) G);

impl<T: Send, G: Gate<T>> Transform<T> for Skipping<G> {
    type Output = T;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.skip_while(|item| self.0.admits(item))
    }
}

/// See [`ParallelIterator::take_any`](crate::iter::ParallelIterator::take_any).
pub type TakeAny<I> = Transformed<I, Taking<Budget>>;

crate::debug::debug! { TakeAny [I] [I] base = base, n = transform.0 }

/// See [`ParallelIterator::skip_any`](crate::iter::ParallelIterator::skip_any).
pub type SkipAny<I> = Transformed<I, Skipping<Budget>>;

crate::debug::debug! { SkipAny [I] [I] base = base, n = transform.0 }

/// See [`ParallelIterator::take_any_while`](crate::iter::ParallelIterator::take_any_while).
pub type TakeAnyWhile<I, P> = Transformed<I, Taking<While<P>>>;

crate::debug::debug! { TakeAnyWhile [I, P] [I] base = base }

/// See [`ParallelIterator::skip_any_while`](crate::iter::ParallelIterator::skip_any_while).
pub type SkipAnyWhile<I, P> = Transformed<I, Skipping<While<P>>>;

crate::debug::debug! { SkipAnyWhile [I, P] [I] base = base }

/// See [`ParallelIterator::while_some`](crate::iter::ParallelIterator::while_some).
pub type WhileSome<I> = Transformed<I, Unwrapping>;

crate::debug::debug! { WhileSome [I] [I] base = base }

/// Keeps the values in the items until one is `None`.
#[derive(Clone, Debug, Default)]
pub struct Unwrapping {
    over: Flag,
}

impl<T: Send> Transform<Option<T>> for Unwrapping {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = Option<T>>>(&self, items: J) -> impl Iterator<Item = T> {
        items.map_while(|item| {
            if item.is_none() {
                self.over.raise();
            }
            item.filter(|_| !self.over.is_raised())
        })
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.over.is_raised()
    }
}

/// See [`ParallelIterator::until_cancelled`](crate::iter::ParallelIterator::until_cancelled).
pub type UntilCancelled<I> = Transformed<I, Cancelling>;

crate::debug::debug! { UntilCancelled [I] [I] base = base, token = transform.0 }

/// Keeps items until a token is cancelled.
#[derive(Clone, Debug)]
pub struct Cancelling(pub(crate) CancelToken);

impl<T: Send> Transform<T> for Cancelling {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.0.is_cancelled()
    }
}

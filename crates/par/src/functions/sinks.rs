//! The sinks of these functions.

use crate::shape::{Order, Sink};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Calls a function.
pub(super) struct Calls<F> {
    pub(super) body: F,
}

impl<F: Fn(usize) + Sync> Sink<usize> for Calls<F> {
    type Acc = ();
    type Output = ();

    fn begin(&self, _: usize) {}

    #[inline]
    fn push_all<I: Iterator<Item = usize>>(&self, (): &mut (), indices: I) {
        indices.for_each(&self.body);
    }

    fn finish(&self, (): ()) {}

    fn merge(&self, (): (), (): ()) {}
}

/// Puts together what is made of the indices.
pub(super) struct Reducing<M, R> {
    pub(super) map: M,
    pub(super) reduce: R,
}

impl<T, M, R> Sink<usize> for Reducing<M, R>
where
    T: Send,
    M: Fn(usize) -> T + Sync,
    R: Fn(T, T) -> T + Sync,
{
    type Acc = Option<T>;
    type Output = Option<T>;

    fn begin(&self, _: usize) -> Option<T> {
        None
    }

    #[inline]
    fn push_all<I: Iterator<Item = usize>>(&self, acc: &mut Option<T>, indices: I) {
        let block = indices.map(&self.map).reduce(&self.reduce);
        *acc = self.merge(acc.take(), block);
    }

    fn finish(&self, acc: Option<T>) -> Option<T> {
        acc
    }

    #[inline]
    fn merge(&self, left: Option<T>, right: Option<T>) -> Option<T> {
        match (left, right) {
            (Some(left), Some(right)) => Some((self.reduce)(left, right)),
            (left, right) => left.or(right),
        }
    }
}

/// Looks for something.
pub(super) struct Finding<F> {
    pub(super) find: F,
    pub(super) found: AtomicBool,
}

impl<T, F> Sink<usize> for Finding<F>
where
    T: Send,
    F: Fn(usize) -> Option<T> + Sync,
{
    type Acc = Option<T>;
    type Output = Option<T>;

    const ORDER: Order = Order::Any;

    fn begin(&self, _: usize) -> Option<T> {
        None
    }

    #[inline]
    fn push_all<I: Iterator<Item = usize>>(&self, acc: &mut Option<T>, mut indices: I) {
        if acc.is_none() && !self.found.load(Relaxed) {
            *acc = indices.find_map(&self.find);
            if acc.is_some() {
                self.found.store(true, Relaxed);
            }
        }
    }

    fn finish(&self, acc: Option<T>) -> Option<T> {
        acc
    }

    fn merge(&self, left: Option<T>, right: Option<T>) -> Option<T> {
        left.or(right)
    }

    #[inline]
    fn is_full(&self, _: &Option<T>) -> bool {
        self.found.load(Relaxed)
    }
}

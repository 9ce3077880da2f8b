//! `for_each` and its like.

use crate::shape::Sink;
use std::sync::{Mutex, PoisonError};

pub(crate) struct ForEach<F> {
    pub(crate) f: F,
}

impl<T, F: Fn(T) + Sync> Sink<T> for ForEach<F> {
    type Acc = ();
    type Output = ();

    fn begin(&self, _: usize) {}

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, (): &mut (), items: I) {
        items.for_each(&self.f);
    }

    fn finish(&self, (): ()) {}

    fn merge(&self, (): (), (): ()) {}
}

/// `for_each_init`: each run has a state.
pub(crate) struct ForEachInit<N, F> {
    pub(crate) init: N,
    pub(crate) f: F,
}

impl<T, X, N, F> Sink<T> for ForEachInit<N, F>
where
    N: Fn() -> X + Sync,
    F: Fn(&mut X, T) + Sync,
{
    type Acc = X;
    type Output = ();

    fn begin(&self, _: usize) -> X {
        (self.init)()
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, state: &mut X, items: I) {
        items.for_each(|item| (self.f)(state, item));
    }

    fn finish(&self, _: X) {}

    fn merge(&self, (): (), (): ()) {}
}

/// A state for each run, from one that is `Clone` but need not be `Sync`.
pub(crate) fn clones<X: Clone + Send>(state: X) -> impl Fn() -> X + Sync + Send {
    let state = Mutex::new(state);
    move || state.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

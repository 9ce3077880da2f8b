//! What a run begins with: what a function gives, or a clone.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// Gives each run a value of its own.
pub trait Init: Sync + Send {
    /// What it gives.
    type Value;

    /// One more.
    fn value(&self) -> Self::Value;
}

/// What a function gives.
#[derive(Clone, Debug)]
pub struct Given<N>(pub(crate) N);

impl<T, N: Fn() -> T + Sync + Send> Init for Given<N> {
    type Value = T;

    #[inline]
    fn value(&self) -> T {
        (self.0)()
    }
}

/// What is cloned for each run, by whichever thread begins it: it need not be `Sync`.
pub struct Original<T>(Mutex<T>);

impl<T: Clone + Send> Init for Original<T> {
    type Value = T;

    fn value(&self) -> T {
        self.copy()
    }
}

impl<T> Original<T> {
    pub(crate) fn new(value: T) -> Self {
        Original(Mutex::new(value))
    }
}

impl<T: Clone> Original<T> {
    /// A copy. A panic in `clone` does no harm to those that come later.
    pub(crate) fn copy(&self) -> T {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl<T: Clone> Clone for Original<T> {
    fn clone(&self) -> Self {
        Original::new(self.copy())
    }
}

/// The value, as if it were nothing but that.
impl<T: fmt::Debug> fmt::Debug for Original<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.try_lock() {
            Ok(value) => value.fmt(f),
            Err(_) => f.write_str("<in use>"),
        }
    }
}

//! The first value of a run: the result of a function, or a clone.

use crate::unwind::lock;
use std::{fmt, sync::Mutex};

/// Creates a value for each run.
pub trait Init: Sync + Send {
    /// The type of the values.
    type Value;

    /// Creates a value.
    fn value(&self) -> Self::Value;
}

/// Results of a function.
#[derive(Clone, Debug)]
pub struct Given<N>(pub(crate) N);

impl<T, N: Fn() -> T + Sync + Send> Init for Given<N> {
    type Value = T;

    #[inline]
    fn value(&self) -> T {
        (self.0)()
    }
}

/// A value that is cloned for each run, by the thread that starts the run. It need not be `Sync`.
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
    /// Clones the value. A panic in `clone` does not affect later calls.
    pub(crate) fn copy(&self) -> T {
        lock(&self.0).clone()
    }
}

impl<T: Clone> Clone for Original<T> {
    fn clone(&self) -> Self {
        Original::new(self.copy())
    }
}

/// Prints the value alone.
impl<T: fmt::Debug> fmt::Debug for Original<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.try_lock() {
            Ok(value) => value.fmt(f),
            Err(_) => f.write_str("<in use>"),
        }
    }
}

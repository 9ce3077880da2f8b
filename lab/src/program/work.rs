//! What a program changes in place: the state it starts from, and the state it works on.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A state that every call finds as it was made.
pub(crate) struct Work<T> {
    initial: T,
    current: Mutex<T>,
}

impl<T: Clone> Work<T> {
    /// Starts from this.
    pub(crate) fn new(initial: T) -> Work<T> {
        Work {
            current: Mutex::new(initial.clone()),
            initial,
        }
    }

    /// Goes back to the start.
    pub(crate) fn reset(&self) {
        self.lock().clone_from(&self.initial);
    }

    /// The state to work on.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state to start from.
    pub(crate) fn initial(&self) -> &T {
        &self.initial
    }
}

//! Telling other threads that this one has panicked, and not minding that one has.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls its function if a panic drops it. Forget it where nothing can panic any more.
pub(crate) struct OnUnwind<F: Fn()>(pub(crate) F);

impl<F: Fn()> Drop for OnUnwind<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Locks, ignoring poison: if user code panics under such a lock, what it guards is whole.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

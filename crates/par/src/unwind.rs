//! Telling other threads that this one has panicked.

/// Calls its function if a panic drops it. Forget it where nothing can panic any more.
pub(crate) struct OnUnwind<F: Fn()>(pub(crate) F);

impl<F: Fn()> Drop for OnUnwind<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

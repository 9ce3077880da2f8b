//! Telling loops to stop.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Tells the holders of its clones that something is not wanted any more.
///
/// Loops look at it [if asked to](crate::iter::ParallelIterator::until_cancelled). It stays
/// cancelled for good.
///
/// # Examples
///
/// ```
/// use sumac::CancelToken;
///
/// let token = CancelToken::new();
/// let theirs = token.clone();
/// assert!(!theirs.is_cancelled());
/// token.cancel();
/// assert!(theirs.is_cancelled());
/// ```
///
/// # Cost
/// An allocation for all clones together; a load to look at it.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        CancelToken::default()
    }

    /// Cancels it and all its clones. What was written before is seen by those who see it
    /// cancelled.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Returns whether this token, or a clone of it, was cancelled.
    #[must_use]
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

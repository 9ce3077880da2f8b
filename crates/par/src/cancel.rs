//! `CancelToken`: stops loops.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Tells loops, or other holders of its clones, to stop.
///
/// Loops stop by [`until_cancelled`](crate::iter::ParallelIterator::until_cancelled). A token stays
/// cancelled.
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
/// One allocation for all clones together; one load to check it.
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

    /// Cancels the token and all its clones. Synchronises with each
    /// [`is_cancelled`](Self::is_cancelled) that returns true.
    ///
    /// ```
    /// use sumac::{CancelToken, prelude::*};
    ///
    /// let token = CancelToken::new();
    /// token.cancel();
    /// assert_eq!((0..1000).into_par_iter().until_cancelled(&token).count(), 0);
    /// ```
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Returns whether this token or a clone of it was cancelled.
    ///
    /// ```
    /// let token = sumac::CancelToken::new();
    /// token.clone().cancel();
    /// assert!(token.is_cancelled());
    /// ```
    #[must_use]
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

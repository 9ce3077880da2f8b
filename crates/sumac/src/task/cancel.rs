//! `CancelToken`: tells others to stop.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that any number of threads and tasks share: once cancelled, always cancelled.
///
/// Nothing is interrupted: whoever can stop looks at it from time to time.
///
/// # Examples
///
/// ```
/// use sumac::CancelToken;
///
/// let token = CancelToken::new();
/// let task = sumac::spawn({
///     let token = token.clone();
///     move || while !token.is_cancelled() { std::thread::yield_now() }
/// });
/// token.cancel();
/// task.join();
/// ```
///
/// # Cost
/// One load to look. One allocation per token, none per clone.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the token and all its clones. What was written before is visible to whoever sees that.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Whether the token, or a clone of it, has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

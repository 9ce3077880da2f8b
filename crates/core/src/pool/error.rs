//! `ThreadPoolBuildError`.

use std::{borrow::Cow, error::Error, fmt};

/// The reason why a pool could not be built, or [resized](crate::ThreadPool::resize).
pub struct ThreadPoolBuildError(pub(super) Cow<'static, str>);

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ThreadPoolBuildError {
    /// As it is displayed, which is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ThreadPoolBuildError {}

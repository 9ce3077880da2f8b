//! `ThreadPoolBuildError`.

use std::{error::Error, fmt};

/// The reason why a pool could not be built, or [resized](crate::ThreadPool::resize).
pub struct ThreadPoolBuildError(ErrorKind);

enum ErrorKind {
    GlobalExists,
    CurrentThreadInPool,
    NotResizable,
    TooMany(usize),
}

impl ThreadPoolBuildError {
    pub(crate) fn global_exists() -> Self {
        ThreadPoolBuildError(ErrorKind::GlobalExists)
    }

    pub(crate) fn thread_in_pool() -> Self {
        ThreadPoolBuildError(ErrorKind::CurrentThreadInPool)
    }

    pub(crate) fn not_resizable() -> Self {
        ThreadPoolBuildError(ErrorKind::NotResizable)
    }

    pub(crate) fn too_many(most: usize) -> Self {
        ThreadPoolBuildError(ErrorKind::TooMany(most))
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            ErrorKind::GlobalExists => "the global thread pool has already been built",
            ErrorKind::CurrentThreadInPool => "the current thread already belongs to a thread pool",
            ErrorKind::NotResizable => "the threads of the pool come from its spawn handler",
            ErrorKind::TooMany(most) => {
                return write!(f, "the pool was built for at most {most} threads");
            }
        })
    }
}

impl fmt::Debug for ThreadPoolBuildError {
    /// As it is displayed, which is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ThreadPoolBuildError {}

//! Why a pool could not be built, in rayon's words.

use std::{error::Error, fmt, io};

/// Why a pool could not be built.
#[derive(Debug)]
pub struct ThreadPoolBuildError(Kind);

#[derive(Debug)]
enum Kind {
    GlobalPoolAlreadyInitialized,
    CurrentThreadAlreadyInPool,
    Refused(io::Error),
}

impl ThreadPoolBuildError {
    pub(crate) fn global_exists() -> Self {
        ThreadPoolBuildError(Kind::GlobalPoolAlreadyInitialized)
    }

    pub(crate) fn thread_in_pool() -> Self {
        ThreadPoolBuildError(Kind::CurrentThreadAlreadyInPool)
    }

    /// The system, or the user's spawn handler, starts no thread.
    pub(crate) fn refused(error: io::Error) -> Self {
        ThreadPoolBuildError(Kind::Refused(error))
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Programs compare these.
        match &self.0 {
            Kind::GlobalPoolAlreadyInitialized => {
                "The global thread pool has already been initialized.".fmt(f)
            }
            Kind::CurrentThreadAlreadyInPool => {
                "The current thread is already part of another thread pool.".fmt(f)
            }
            Kind::Refused(error) => error.fmt(f),
        }
    }
}

impl Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Kind::Refused(error) => Some(error),
            _ => None,
        }
    }
}

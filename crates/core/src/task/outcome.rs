//! How tasks end: with a value, a panic, or not at all.

use crate::{join::job::Payload, pool::shared::Shared, protocol::primitive::Mutex, unwind};
use std::{
    any::Any,
    error::Error,
    fmt,
    io::{self, Write},
    panic,
    sync::{PoisonError, Weak},
};

pub(crate) type Outcome<T> = Result<T, JoinError>;

/// The reason why a task has no value, see [`Promise::try_join`](crate::Promise::try_join).
pub struct JoinError(pub(super) Cause);

pub(super) enum Cause {
    /// In a mutex to be `Sync`.
    Panicked(Mutex<Payload>),
    Cancelled,
    PoolEnded,
    Unresolved,
}

impl JoinError {
    pub(crate) fn panicked(payload: Payload) -> Self {
        JoinError(Cause::Panicked(Mutex::new(payload)))
    }

    /// Returns whether the task panicked.
    ///
    /// # Examples
    ///
    /// ```
    /// let promise = sumac::spawn(|| -> u8 { panic!("boom") });
    /// let error = promise.try_join().expect_err("the task panicked");
    /// assert!(error.is_panic());
    /// ```
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Cause::Panicked(_))
    }

    /// Returns whether the task was cancelled or its pool was dropped before the task ran; for a
    /// future, before it ended.
    ///
    /// # Examples
    ///
    /// ```
    /// let (resolver, promise) = sumac::promise::<u8>();
    /// resolver.cancel();
    /// assert!(promise.try_join().expect_err("there is no value").is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0, Cause::Cancelled | Cause::PoolEnded)
    }

    /// Returns the panic's payload, for [`std::panic::resume_unwind`].
    ///
    /// # Examples
    ///
    /// ```
    /// let (resolver, promise) = sumac::promise::<u8>();
    /// resolver.fail(Box::new("boom"));
    /// let error = promise.try_join().expect_err("it failed");
    /// let payload = error.into_panic().expect("a panic");
    /// assert_eq!(payload.downcast_ref(), Some(&"boom"));
    /// ```
    ///
    /// # Errors
    /// If it is not a panic: returns the error.
    pub fn into_panic(self) -> Result<Box<dyn Any + Send + 'static>, Self> {
        match self.0 {
            Cause::Panicked(payload) => {
                Ok(payload.into_inner().unwrap_or_else(PoisonError::into_inner))
            }
            other => Err(JoinError(other)),
        }
    }

    /// Resumes the panic, or panics with a message.
    #[track_caller]
    pub(crate) fn throw(self) -> ! {
        match self.into_panic() {
            Ok(payload) => panic::resume_unwind(payload),
            Err(error) => panic!("{error}"),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Cause::Panicked(_) => "the task panicked",
            Cause::Cancelled => "the task was cancelled",
            Cause::PoolEnded => "the task's pool was dropped before the task ended",
            Cause::Unresolved => "the resolver was dropped without a value",
        })
    }
}

impl fmt::Debug for JoinError {
    /// As it is displayed, which is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for JoinError {}

/// Passes a panic that no caller can receive to the pool's handler; without one, aborts the
/// process.
pub(super) fn report(pool: &Weak<Shared>, payload: Payload) {
    let pool = pool.upgrade();
    match pool.as_ref().and_then(|pool| pool.panic.as_ref()) {
        Some(handler) => unwind::swallow(|| handler(payload)),
        None => {
            // An error of writing the message is ignored.
            let _ = writeln!(
                io::stderr(),
                "sumac: a detached task panicked, and its pool has no panic handler; aborting"
            );
            std::process::abort();
        }
    }
}

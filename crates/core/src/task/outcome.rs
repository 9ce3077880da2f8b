//! How tasks end: with a value, a panic, or not at all; and the sources of promises.

use crate::{
    join::job::Payload,
    pool::shared::Shared,
    protocol::{completion::Completion, primitive::Mutex},
    unwind,
};
use std::{
    any::Any,
    error::Error,
    fmt,
    io::{self, Write},
    panic::{self, AssertUnwindSafe},
    sync::{PoisonError, Weak},
};

pub(crate) type Outcome<T> = Result<T, JoinError>;

/// The source of a promise's value.
pub(crate) trait Source<T>: Send + Sync {
    fn completion(&self) -> &Completion;

    /// Returns when the outcome is there, and runs the task if no other thread does. Only the
    /// promise calls this, and then takes the outcome.
    fn settle(&self);

    /// Returns the task's pool, if the value is that of a task or an activity.
    fn pool(&self) -> Option<&Weak<Shared>>;

    /// Returns true if the task will not run.
    fn cancel(&self) -> bool;

    /// Takes the outcome, if it has not been taken.
    ///
    /// # Safety
    /// It is there and the caller's (stage.rs, *one owner of the outcome*).
    unsafe fn take(&self) -> Option<Outcome<T>>;
}

/// The reason why a task has no value, see [`Promise::try_join`](crate::Promise::try_join).
pub struct JoinError(JoinErrorKind);

enum JoinErrorKind {
    /// In a mutex to be `Sync`.
    Panicked(Mutex<Payload>),
    Cancelled,
    PoolEnded,
    Unresolved,
}

impl JoinError {
    pub(crate) fn panicked(payload: Payload) -> Self {
        JoinError(JoinErrorKind::Panicked(Mutex::new(payload)))
    }

    pub(crate) fn cancelled() -> Self {
        JoinError(JoinErrorKind::Cancelled)
    }

    pub(crate) fn pool_ended() -> Self {
        JoinError(JoinErrorKind::PoolEnded)
    }

    pub(crate) fn unresolved() -> Self {
        JoinError(JoinErrorKind::Unresolved)
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
        matches!(self.0, JoinErrorKind::Panicked(_))
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
        matches!(self.0, JoinErrorKind::Cancelled | JoinErrorKind::PoolEnded)
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
            JoinErrorKind::Panicked(payload) => {
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
            JoinErrorKind::Panicked(_) => "the task panicked",
            JoinErrorKind::Cancelled => "the task was cancelled",
            JoinErrorKind::PoolEnded => "the task's pool was dropped before the task ended",
            JoinErrorKind::Unresolved => "the resolver was dropped without a value",
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

/// Drops an unused outcome of this pool's. A panic goes to the pool's handler, except while the
/// thread is panicking itself and so has reported one. If the outcome belongs to no task, a panic
/// in the value's destructor is the caller's own.
pub(crate) fn dispose<T>(pool: Option<&Weak<Shared>>, outcome: Outcome<T>) {
    let Some(pool) = pool else {
        let failed = outcome.map_err(JoinError::into_panic).err();
        return failed.into_iter().flatten().for_each(unwind::discard);
    };
    let payload = match outcome {
        Ok(value) => panic::catch_unwind(AssertUnwindSafe(|| drop(value))).err(),
        Err(error) => error.into_panic().ok(),
    };
    match payload {
        Some(payload) if std::thread::panicking() => unwind::discard(payload),
        Some(payload) => report(pool, payload),
        None => {}
    }
}

/// Passes a panic that no caller can receive to the pool's handler; without one, aborts the
/// process. A pool that is gone may have had one, so there the panic is only told of.
fn report(pool: &Weak<Shared>, payload: Payload) {
    let pool = pool.upgrade();
    if let Some(handler) = pool.as_ref().and_then(|pool| pool.panic.as_ref()) {
        return unwind::swallow(|| handler(payload));
    }
    let why = match pool {
        Some(_) => "its pool has no panic handler; aborting",
        None => "its promise was dropped after its pool",
    };
    // An error of writing the message is ignored.
    let _ = writeln!(io::stderr(), "sumac: a detached task panicked, and {why}");
    if pool.is_some() {
        std::process::abort();
    }
    unwind::discard(payload);
}

//! Why an operation has no answer.

use std::{
    any::Any,
    error::Error,
    fmt,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// What an operation comes to.
pub(crate) type Outcome<A> = Result<A, BatchError>;

/// Why an operation has no answer, see [`Batched::try_apply`](crate::Batched::try_apply).
pub struct BatchError(Kind);

enum Kind {
    /// With the payload, for one of the callers; what it says, for the others.
    Panicked(Mutex<Option<Payload>>, Arc<str>),
    Poisoned,
    Unanswered,
}

/// Why the operations of a batch have no answers.
pub(crate) enum Failure {
    Poisoned,
    Unanswered,
    Panicked(Panicked),
}

impl Failure {
    pub(crate) fn error(&self) -> BatchError {
        match self {
            Failure::Poisoned => BatchError(Kind::Poisoned),
            Failure::Unanswered => BatchError::unanswered(),
            Failure::Panicked(panicked) => panicked.error(),
        }
    }
}

/// A batch that has panicked: makes the errors of its callers.
pub(crate) struct Panicked {
    payload: Mutex<Option<Payload>>,
    message: Arc<str>,
}

impl Panicked {
    pub(crate) fn new(payload: Payload) -> Self {
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Panicked {
            message: message.unwrap_or("(no message)").into(),
            payload: Mutex::new(Some(payload)),
        }
    }

    /// The error of one of the callers: the first gets the payload.
    pub(crate) fn error(&self) -> BatchError {
        let payload = self
            .payload
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        BatchError(Kind::Panicked(
            Mutex::new(payload),
            Arc::clone(&self.message),
        ))
    }
}

impl BatchError {
    pub(crate) fn poisoned() -> Self {
        BatchError(Kind::Poisoned)
    }

    pub(crate) fn unanswered() -> Self {
        BatchError(Kind::Unanswered)
    }

    /// Returns whether the structure panicked in the batch that the operation was in.
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Kind::Panicked(..))
    }

    /// Returns whether the structure was poisoned by an earlier panic.
    pub fn is_poisoned(&self) -> bool {
        matches!(self.0, Kind::Poisoned)
    }

    /// Returns the panic's payload, which one of the batch's callers gets.
    ///
    /// # Errors
    /// Returns the error if it has no payload.
    pub fn into_panic(self) -> Result<Box<dyn Any + Send + 'static>, Self> {
        match self.0 {
            Kind::Panicked(payload, message) => {
                match payload.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    Some(payload) => Ok(payload),
                    None => Err(BatchError(Kind::Panicked(Mutex::new(None), message))),
                }
            }
            other => Err(BatchError(other)),
        }
    }

    /// Goes on with the panic, or begins one that says what happened.
    #[track_caller]
    pub(crate) fn throw(self) -> ! {
        match self.into_panic() {
            Ok(payload) => resume_unwind(payload),
            Err(error) => panic!("{error}"),
        }
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Panicked(_, message) => write!(f, "the operation's batch panicked: {message}"),
            Kind::Poisoned => f.write_str("the structure is poisoned: an earlier batch panicked"),
            Kind::Unanswered => f.write_str("the structure left the operation without an answer"),
        }
    }
}

impl fmt::Debug for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BatchError")
            .field(&self.to_string())
            .finish()
    }
}

impl Error for BatchError {}

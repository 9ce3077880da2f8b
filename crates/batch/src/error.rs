//! `BatchError`: the reason why an operation has no answer.

use std::{
    any::Any,
    error::Error,
    fmt,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// The answer to an operation, or the error.
pub(crate) type Outcome<A> = Result<A, BatchError>;

/// The reason why an operation has no answer, see
/// [`Batched::try_apply`](crate::Batched::try_apply).
///
/// ```
/// use sumac::batch::{Batched, Plain, PriorityQueue, PriorityQueueOp};
///
/// let queue = Batched::new(PriorityQueue::from(vec![1]));
/// let clone = |_: &i32| -> i32 { panic!("no clone") };
/// let error = queue.try_apply(Plain(PriorityQueueOp::Peek(clone))).unwrap_err();
/// assert!(error.is_panic() && queue.is_poisoned());
/// assert!(queue.try_apply(Plain(PriorityQueueOp::Len)).unwrap_err().is_poisoned());
/// assert_eq!(error.into_panic().unwrap().downcast_ref(), Some(&"no clone"));
/// ```
pub struct BatchError(Kind);

enum Kind {
    /// With the payload, for one of the callers; with its message, for the others.
    Panicked(Mutex<Option<Payload>>, Arc<str>),
    Poisoned,
    Unanswered,
}

/// The reason why the operations of a batch have no answers.
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

/// A batch that has panicked: creates the errors of its callers.
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

    /// Creates the error of one of the callers: the first gets the payload.
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

    /// Returns whether the structure panicked in the batch of the operation.
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Kind::Panicked(..))
    }

    /// Returns whether the structure was poisoned by an earlier panic.
    pub fn is_poisoned(&self) -> bool {
        matches!(self.0, Kind::Poisoned)
    }

    /// Returns the panic's payload, which only one of the batch's callers gets.
    ///
    /// ```
    /// use sumac::batch::{Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(1));
    /// let error = counter.try_with_mut(|_| -> () { panic!("half changed") }).unwrap_err();
    /// assert_eq!(error.into_panic().unwrap().downcast_ref(), Some(&"half changed"));
    /// ```
    ///
    /// # Errors
    /// If it has no payload: returns the error.
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

    /// Resumes the panic, or panics with a message.
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
    /// As it is displayed, which is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for BatchError {}

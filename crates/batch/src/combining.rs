//! `Combining`: a value behind a lock whose holder carries out what others wait to do.
//!
//! The structure of a `Batched` whose operations are closures in their callers' frames. A pointer
//! to a closure is followed in its batch only, before its record is done: so the frame is there
//! (record.rs, *stays*).

use crate::{
    batched::Batched,
    error::BatchError,
    structure::{BatchedStructure, Plain, Request},
};
use std::{
    fmt, mem,
    panic::{self, AssertUnwindSafe, RefUnwindSafe, UnwindSafe},
    ptr::NonNull,
    sync::{
        PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use sumac_core::Scope;

/// A value that many threads use, one at a time, like one in a [`Mutex`](std::sync::Mutex); but a
/// thread that finds it in use leaves its closure to the thread that uses it, and that one calls
/// the closures of all who wait, one after the other. So the value stays in one processor's cache.
/// (*Flat combining*: Hendler, Incze, Shavit, Tzafrir, SPAA 2010.)
///
/// # Examples
///
/// ```
/// use std::collections::HashMap;
/// use sumac::batch::Combining;
///
/// let words = Combining::new(HashMap::new());
/// std::thread::scope(|s| {
///     for word in ["fork", "join", "fork"] {
///         let words = &words;
///         s.spawn(move || words.with(|words| *words.entry(word).or_insert(0) += 1));
///     }
/// });
/// assert_eq!(words.with(|words| words["fork"]), 2);
/// ```
pub struct Combining<T: Send> {
    batched: Batched<Calls<T>>,
    poisoned: AtomicBool,
}

/// Calls closures with a value.
struct Calls<T>(T);

/// A closure in the frame of the caller that waits for it.
struct Call<T>(NonNull<dyn FnMut(&mut T) + Send>);

// SAFETY: the closure is `Send`, and the thread that has this has it to itself.
unsafe impl<T> Send for Call<T> {}

impl<T> Call<T> {
    fn call(self, value: &mut T) {
        let Call(mut closure) = self;
        // SAFETY: its caller waits, and no other thread has the pointer: it is not `Clone`.
        let closure = unsafe { closure.as_mut() };
        closure(value);
    }
}

impl<T: Send> BatchedStructure for Calls<T> {
    type Op = Call<T>;
    type Answer = ();

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Call<T>, ()>]) {
        for request in batch {
            request.take_op().call(&mut self.0);
            request.answer(());
        }
    }

    #[inline]
    fn run_one(&mut self, call: Call<T>) -> Result<(), Call<T>> {
        call.call(&mut self.0);
        Ok(())
    }
}

impl<T: Send> Combining<T> {
    /// Takes a value.
    pub fn new(value: T) -> Self {
        Combining {
            batched: Batched::new(Calls(value)),
            poisoned: AtomicBool::new(false),
        }
    }

    /// Calls `f` with the value, on this thread or on that of another caller.
    ///
    /// # Cost
    /// As [`Batched::apply`]: if no other thread is there, about that of a mutex. No allocation.
    ///
    /// # Panics
    /// If `f` does: then the value is poisoned, as that of a mutex, and later calls panic. If
    /// called inside of another closure, on its thread.
    ///
    /// # Deadlocks
    /// A closure may fork. If what it forks calls this, on another thread, both may wait for ever,
    /// as with a mutex.
    #[track_caller]
    pub fn with<R, F>(&self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R + Send,
        R: Send,
    {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => error.throw(),
        }
    }

    /// As [`with`](Self::with), but returns an error where the value is poisoned.
    ///
    /// # Errors
    /// If an earlier closure has panicked: then `f` is not called.
    ///
    /// # Panics
    /// If `f` does, or if called inside of another closure, on its thread.
    pub fn try_with<R, F>(&self, f: F) -> Result<R, BatchError>
    where
        F: FnOnce(&mut T) -> R + Send,
        R: Send,
    {
        let mut f = Some(f);
        let mut result = None;
        let mut call = |value: &mut T| {
            if self.poisoned.load(Ordering::Relaxed) {
                return;
            }
            let Some(f) = f.take() else { return };
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| f(value)));
            if outcome.is_err() {
                self.poisoned.store(true, Ordering::Relaxed);
            }
            result = Some(outcome);
        };
        let call: &mut (dyn FnMut(&mut T) + Send) = &mut call;
        // SAFETY: only a lifetime changes. The pointer is followed before the operation has ended,
        // which we wait for (above).
        let call = unsafe {
            mem::transmute::<
                NonNull<dyn FnMut(&mut T) + Send + '_>,
                NonNull<dyn FnMut(&mut T) + Send + 'static>,
            >(NonNull::from(call))
        };
        self.batched.try_apply(Plain(Call(call)))?;
        match result {
            Some(Ok(result)) => Ok(result),
            Some(Err(payload)) => panic::resume_unwind(payload),
            None => Err(BatchError::poisoned()),
        }
    }

    /// Returns whether a closure has panicked.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Relaxed)
    }

    /// Lets calls through again: the value is as the panic has left it.
    pub fn clear_poison(&self) {
        self.poisoned.store(false, Ordering::Relaxed);
    }

    /// Returns the value.
    ///
    /// # Errors
    /// If it is poisoned; the error has it, as a mutex's has.
    pub fn into_inner(self) -> Result<T, PoisonError<T>> {
        let poisoned = self.is_poisoned();
        let calls = self.batched.into_inner();
        let Calls(value) = calls.unwrap_or_else(PoisonError::into_inner);
        if poisoned {
            Err(PoisonError::new(value))
        } else {
            Ok(value)
        }
    }
}

// A value that a panic has left half changed is poisoned.
impl<T: Send> UnwindSafe for Combining<T> {}
impl<T: Send> RefUnwindSafe for Combining<T> {}

impl<T: Send + Default> Default for Combining<T> {
    fn default() -> Self {
        Combining::new(T::default())
    }
}

impl<T: Send> From<T> for Combining<T> {
    fn from(value: T) -> Self {
        Combining::new(value)
    }
}

impl<T: Send> fmt::Debug for Combining<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Combining")
            .field("poisoned", &self.is_poisoned())
            .finish_non_exhaustive()
    }
}

//! `Combining`: a value behind a lock whose holder calls the closures of waiting threads.
//!
//! A `Batched` structure whose operations are closures in their callers' frames. A pointer to a
//! closure is dereferenced only in its batch, before its record is done: so the frame is alive
//! (record.rs, *stays*).

use crate::{
    error::BatchError,
    protocol::batched::Batched,
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

/// A value that one thread at a time uses, as in a [`Mutex`](std::sync::Mutex); but a thread that
/// finds it in use leaves its closure to the holder, which calls the closures of all waiting
/// threads one after the other. So the value stays in one processor's cache. (*Flat combining*:
/// Hendler, Incze, Shavit, Tzafrir, SPAA 2010.)
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

// SAFETY: the closure is `Send`, and only the thread that owns this uses it.
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
    /// Creates a lock around a value.
    ///
    /// ```
    /// use sumac::batch::Combining;
    ///
    /// let words = Combining::new(vec!["fork"]);
    /// words.with(|words| words.push("join"));
    /// assert_eq!(words.with(|words| words.len()), 2);
    /// ```
    pub fn new(value: T) -> Self {
        Combining {
            batched: Batched::new(Calls(value)),
            poisoned: AtomicBool::new(false),
        }
    }

    /// Calls `f` with the value, on this thread or on that of another caller.
    ///
    /// ```
    /// use sumac::batch::Combining;
    ///
    /// let total = Combining::new(0);
    /// assert_eq!(total.with(|total| { *total += 7; *total }), 7);
    /// ```
    ///
    /// # Cost
    /// That of [`Batched::apply`]: without contention, about that of a mutex. No allocation.
    ///
    /// # Panics
    /// If `f` panics: then the value is poisoned, as in a mutex, and later calls panic. If called
    /// inside another closure, on its thread.
    ///
    /// # Deadlocks
    /// A closure may fork. If a forked half calls this on another thread, both may wait for ever,
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

    /// Calls `f` as [`with`](Self::with) does, but returns an error if the value is poisoned.
    ///
    /// ```
    /// use sumac::batch::Combining;
    ///
    /// let total = Combining::new(0);
    /// assert_eq!(total.try_with(|total| *total)?, 0);
    /// # Ok::<(), sumac::batch::BatchError>(())
    /// ```
    ///
    /// # Errors
    /// If an earlier closure has panicked; then `f` is not called.
    ///
    /// # Panics
    /// If `f` panics, or if called inside another closure, on its thread.
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
        // SAFETY: only a lifetime changes. The pointer is dereferenced before the operation has
        // ended, and we wait for that (above).
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
    ///
    /// ```
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    /// use sumac::batch::Combining;
    ///
    /// let value = Combining::new(1);
    /// let panics = || value.with(|_| panic!("half changed"));
    /// assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    /// assert!(value.is_poisoned());
    /// ```
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Relaxed)
    }

    /// Clears the poison: the value is as the panic has left it.
    ///
    /// ```
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    /// use sumac::batch::Combining;
    ///
    /// let value = Combining::new(1);
    /// let panics = || value.with(|_| panic!("half changed"));
    /// assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    /// assert!(value.is_poisoned());
    /// value.clear_poison();
    /// assert_eq!(value.with(|value| *value), 1);
    /// ```
    pub fn clear_poison(&self) {
        self.poisoned.store(false, Ordering::Relaxed);
    }

    /// Returns the value.
    ///
    /// ```
    /// let words = sumac::batch::Combining::new(vec!["fork"]);
    /// words.with(|words| words.push("join"));
    /// assert_eq!(words.into_inner().unwrap(), ["fork", "join"]);
    /// ```
    ///
    /// # Errors
    /// If it is poisoned; the error contains the value, as with a mutex.
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

// A value that a panic has left inconsistent is poisoned.
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

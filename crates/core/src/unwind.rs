//! Helpers for panics: those that are swallowed, those that abort, and what is done in any case.

use std::{
    any::Any,
    mem,
    panic::{self, AssertUnwindSafe},
    process,
};

/// Calls `f`, and swallows a panic, also one of its payload's destructor. For users' code that must
/// not unwind into its caller's, here and in the crates above.
pub fn swallow(f: impl FnOnce()) {
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(f)) {
        discard(payload);
    }
}

/// Calls a function when it is dropped, also by a panic.
#[must_use]
pub(crate) struct Finally<F: FnMut()>(pub(crate) F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Calls `f`; a panic in it aborts the process. For code that must not unwind because other threads
/// use memory of the frames below.
pub(crate) fn abort_on_panic<R>(f: impl FnOnce() -> R) -> R {
    let abort = Finally(|| {
        eprintln!("sumac: a panic where other threads use the stack; aborting");
        process::abort();
    });
    let result = f();
    mem::forget(abort);
    result
}

/// Drops a panic's payload. If dropping it panics, that panic's payload is dropped in turn; an
/// endless chain is leaked.
#[cold]
#[inline(never)]
pub(crate) fn discard(mut payload: Box<dyn Any + Send>) {
    const PATIENCE: usize = 8;
    for _ in 0..PATIENCE {
        match panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            Ok(()) => return,
            Err(next) => payload = next,
        }
    }
    mem::forget(payload);
}

/// Returns the results of both halves of a join, or resumes the first panic. The second may be
/// missing only if the first panicked.
#[cfg(any(feature = "hooks", feature = "testing"))]
pub(crate) fn both<A, B>(
    (a, b): (std::thread::Result<A>, Option<std::thread::Result<B>>),
) -> (A, B) {
    match (a, b) {
        (Ok(a), Some(Ok(b))) => (a, b),
        (Err(first), later) => {
            swallow(|| drop(later));
            panic::resume_unwind(first)
        }
        (a, Some(Err(later))) => {
            swallow(|| drop(a));
            panic::resume_unwind(later)
        }
        (Ok(_), None) => unreachable!("the second half follows a first that has ended"),
    }
}

//! Panics that are not passed on.

use std::{
    any::Any,
    mem,
    panic::{self, AssertUnwindSafe},
    process,
};

/// Calls `f`; a panic in it goes no further.
pub(crate) fn swallow(f: impl FnOnce()) {
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(f)) {
        discard(payload);
    }
}

/// Calls `f`; a panic in it ends the process. For what must not unwind because other threads use
/// memory of the frames below.
pub(crate) fn abort_on_panic<R>(f: impl FnOnce() -> R) -> R {
    struct Abort;

    impl Drop for Abort {
        fn drop(&mut self) {
            eprintln!("sumac: a panic where other threads use the stack; aborting");
            process::abort();
        }
    }

    let abort = Abort;
    let result = f();
    mem::forget(abort);
    result
}

/// Drops a panic's payload. If dropping it panics, that panic's payload is dropped in its place,
/// and so on; one that goes on for ever is leaked.
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

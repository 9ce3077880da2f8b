//! Panics that are not passed on.

use std::{
    any::Any,
    mem,
    panic::{self, AssertUnwindSafe},
};

/// Calls `f`; a panic in it goes no further.
pub(crate) fn swallow(f: impl FnOnce()) {
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(f)) {
        discard(payload);
    }
}

/// Drops a panic's payload. If dropping it panics, that panic's payload is dropped in its place, and so on; one
/// that goes on for ever is leaked.
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

//! Substitutes for clock and threads on WebAssembly without WASI, where std's functions panic.
//!
//! The clock stands still. The system refuses each thread, so pools run everything on their
//! callers, as wherever threads are refused. There is no reserve either. A thread that would have
//! to wait runs the queued tasks of its pools, since no other thread will: only they can end its
//! wait. If there is none, it panics instead of waiting for ever.

use crate::pool::find;
use std::time::Duration;

/// Always the same point in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant;

impl Instant {
    pub(crate) fn now() -> Self {
        Instant
    }

    pub(crate) fn elapsed(self) -> Duration {
        Duration::ZERO
    }
}

pub(crate) use self::wait_alone as spin_loop;

/// Runs a queued task instead of waiting.
///
/// # Panics
/// If there is none.
#[doc(hidden)]
pub fn wait_alone() {
    assert!(
        find::run_any(|_| true),
        "this thread waits for another, and this system has no others: no task is queued either"
    );
}

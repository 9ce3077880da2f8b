//! What stands for clock and threads where a system has neither: WebAssembly outside of WASI, for
//! which std has functions that panic.
//!
//! The clock stands still. The system refuses each thread, so pools run all on their callers, as
//! they do wherever threads are refused. Here there is no reserve either. A thread that would have
//! to wait runs the tasks that are queued in its pools, since no other will: whatever it waits for
//! can only come from them. If there is none it panics, where it would wait for ever.

use crate::task;
use std::time::Duration;

/// Always the same moment.
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

/// Runs a queued task instead of waiting.
///
/// # Panics
/// If there is none.
pub fn wait_alone() {
    assert!(
        task::run_any(),
        "this thread waits for another, and this system has no others: no task is queued either"
    );
}

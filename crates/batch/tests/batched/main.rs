//! `Batched` itself, with a structure that can do everything a structure can do wrong.

#![forbid(unsafe_code)]

mod at_once;
mod attacks;
mod basics;
mod cost;
mod futures;
mod hostile;
mod panics;
mod probe;
mod reads;
mod storm;
mod waiting;

use sumac_test_support::{LONG, wait_until, within};

/// Runs `body` on a thread of its own; fails if that takes three minutes, which on any machine is a
/// hang.
pub(crate) fn in_time(what: &str, body: impl FnOnce() + Send + 'static) {
    within(LONG * 3 / 2, what, body);
}

/// Waits until `done`, giving way.
#[track_caller]
pub(crate) fn until(done: impl FnMut() -> bool) {
    assert!(wait_until(LONG, done), "waits for ever");
}

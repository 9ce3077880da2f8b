//! Whether the calling thread is in a session, and what it does in place of waiting.

use std::cell::Cell;

thread_local! {
    static INSTEAD: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Returns whether the calling thread is in a session.
#[inline]
pub(crate) fn is_active() -> bool {
    INSTEAD.get().is_some()
}

/// From now on the calling thread is in a session, and does this in place of waiting; or in none.
pub(super) fn set(instead: Option<fn()>) {
    INSTEAD.set(instead);
}

/// On a thread that is in a session: does something in place of waiting.
pub(crate) fn wait() {
    INSTEAD.get().inspect(|instead| instead());
}

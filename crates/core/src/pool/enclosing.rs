//! The scopes that a thread is inside: as the owner of one whose operation runs, or in one of its
//! tasks. A yield runs tasks of these wherever the scope is queued: another thread may have taken
//! it out of the queue of this thread, which has spawned tasks, and then wait for this one.

use crate::{
    join::{member::Member, thread::Thread},
    unwind::Finally,
};
use std::{cell::Cell, mem, ptr};

/// A scope that a thread may be inside.
pub(crate) trait Enclosing {
    /// Runs one of its tasks on the calling thread, which sits on `me`. Returns false if there is
    /// none, or the scope is one of another pool.
    fn run_one(&self, thread: &Thread, me: &Member) -> bool;
}

/// A scope that the thread is inside, and the next one outside.
struct Entered {
    scope: *const dyn Enclosing,
    outer: *const Entered,
}

thread_local! {
    /// Null, or the innermost scope: on the thread's stack, as are those outside of it, until
    /// `inside` returns or unwinds.
    static INNERMOST: Cell<*const Entered> = const { Cell::new(ptr::null()) };
}

/// Calls `f`, with the calling thread inside the scope.
pub(crate) fn inside<R>(scope: &dyn Enclosing, f: impl FnOnce() -> R) -> R {
    // SAFETY: only the lifetime changes; no thread uses it after we have returned (`INNERMOST`).
    let scope = unsafe { mem::transmute::<&dyn Enclosing, &'static dyn Enclosing>(scope) };
    let here = Entered {
        scope,
        outer: INNERMOST.get(),
    };
    let _leave = Finally(|| INNERMOST.set(here.outer));
    INNERMOST.set(&raw const here);
    f()
}

/// Runs a task of a scope of `me`'s pool that the calling thread, which sits on `me`, is inside.
/// Returns false if there is none.
pub(crate) fn run_one(thread: &Thread, me: &Member) -> bool {
    let mut at = INNERMOST.get();
    // SAFETY: null, or on this thread's stack below us until it is no longer the innermost.
    while let Some(entered) = unsafe { at.as_ref() } {
        // SAFETY: lent to `inside`, which has not returned.
        if unsafe { &*entered.scope }.run_one(thread, me) {
            return true;
        }
        at = entered.outer;
    }
    false
}

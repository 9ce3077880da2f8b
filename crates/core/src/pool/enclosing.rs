//! The scopes that a thread is inside: as the owner of one whose operation runs, or in one of its
//! tasks. A yield runs tasks of these wherever the scope is queued: another thread may have taken
//! it out of the queue of this thread, which has spawned tasks, and then wait for this one.
//!
//! A scope may have parts that its owner alone runs (broadcasts). For an owner that is no worker
//! they are with the scope. It answers them in a yield, and wherever it waits in a pool, as workers
//! answer calls, since the threads that it waits for may wait for them. It does not where it waits
//! for a pool from outside of all pools: nor would rayon, where such a thread has no part.

use crate::{
    join::{member::Member, thread::Thread},
    protocol::parker::Parker,
    unwind::Finally,
};
use std::{cell::Cell, mem, ptr, sync::Arc};

/// A scope that a thread may be inside.
pub(crate) trait Enclosing {
    /// Runs one of its tasks on the calling thread, which sits on `me`, and perhaps owns it. Returns
    /// false if there is none, or the scope is one of another pool.
    fn run_one(&self, thread: &Thread, me: &Member, owns: bool) -> bool;

    /// Returns whether there is a part for the owner alone: a hint, except for an owner that then
    /// sleeps by a parker, which is unparked when one comes.
    fn calls_owner(&self, sleeps: Option<&Arc<Parker>>) -> bool;

    /// Runs such a part on the calling thread, the owner. Returns false if there is none.
    fn answer(&self) -> bool;
}

/// A scope that the thread is inside, perhaps as its owner, and the next one outside.
struct Entered {
    scope: *const dyn Enclosing,
    owns: bool,
    outer: *const Entered,
}

thread_local! {
    /// Null, or the innermost scope: on the thread's stack, as are those outside of it, until
    /// `inside` returns or unwinds.
    static INNERMOST: Cell<*const Entered> = const { Cell::new(ptr::null()) };
}

/// Calls `f`, with the calling thread inside the scope, perhaps as its owner.
pub(crate) fn inside<R>(scope: &dyn Enclosing, owns: bool, f: impl FnOnce() -> R) -> R {
    // SAFETY: only the lifetime changes; no thread uses it after we have returned (`INNERMOST`).
    let scope = unsafe { mem::transmute::<&dyn Enclosing, &'static dyn Enclosing>(scope) };
    let here = Entered {
        scope,
        owns,
        outer: INNERMOST.get(),
    };
    let _leave = Finally(|| INNERMOST.set(here.outer));
    INNERMOST.set(&raw const here);
    f()
}

/// Calls `find` with the scopes that the calling thread is inside, the innermost first, and whether
/// it owns them, until that returns true. Returns whether it has.
fn any(mut find: impl FnMut(&dyn Enclosing, bool) -> bool) -> bool {
    let mut at = INNERMOST.get();
    // SAFETY: null, or on this thread's stack below us until it is no longer the innermost.
    while let Some(entered) = unsafe { at.as_ref() } {
        // SAFETY: lent to `inside`, which has not returned.
        if find(unsafe { &*entered.scope }, entered.owns) {
            return true;
        }
        at = entered.outer;
    }
    false
}

/// Runs a task of a scope of `me`'s pool that the calling thread, which sits on `me`, is inside.
/// Returns false if there is none.
pub(crate) fn run_one(thread: &Thread, me: &Member) -> bool {
    any(|scope, owns| scope.run_one(thread, me, owns))
}

/// Returns whether there is a part for the calling thread alone of a scope that it is inside. If it
/// then sleeps by a parker, a part that comes later ends that.
pub(crate) fn is_called(sleeps: Option<&Arc<Parker>>) -> bool {
    any(|scope, owns| owns && scope.calls_owner(sleeps))
}

/// Runs such a part. Returns false if there is none.
pub(crate) fn answer() -> bool {
    any(|scope, owns| owns && scope.answer())
}

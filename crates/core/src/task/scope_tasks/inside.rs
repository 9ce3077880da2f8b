//! The scopes that a thread is inside: as the owner of one whose operation runs, or in one of its
//! tasks. A yield runs tasks of these wherever the scope is queued: another thread may have taken
//! it out of the queue of this thread, which has spawned tasks, and then wait for this one.

use super::{Outside, ScopeTasks};
use crate::{
    join::{member::Member, thread::Thread},
    protocol::primitive::lock,
    unwind::Finally,
};
use std::{cell::Cell, ptr, sync::Arc};

/// A scope that the thread is inside, and the next one outside.
struct EnteredScope {
    tasks: *const Arc<ScopeTasks>,
    outer: *const EnteredScope,
}

thread_local! {
    /// Null, or the innermost scope: on the thread's stack, as are those outside of it, until
    /// `ScopeTasks::inside` returns or unwinds.
    static INNERMOST: Cell<*const EnteredScope> = const { Cell::new(ptr::null()) };
}

impl ScopeTasks {
    /// Calls `f`, with the calling thread inside the scope.
    pub(crate) fn inside<R>(self: &Arc<Self>, f: impl FnOnce() -> R) -> R {
        let here = EnteredScope {
            tasks: self,
            outer: INNERMOST.get(),
        };
        let _leave = Finally(|| INNERMOST.set(here.outer));
        INNERMOST.set(&raw const here);
        f()
    }
}

/// Runs a task of a scope of `me`'s pool that the calling thread, which sits on `me`, is inside.
/// Returns false if there is none.
pub(crate) fn run_inside(thread: &Thread, me: &Member) -> bool {
    let mut at = INNERMOST.get();
    // SAFETY: null, or on this thread's stack below us until it is no longer the innermost.
    while let Some(inside) = unsafe { at.as_ref() } {
        // SAFETY: lent to `ScopeTasks::inside`, which has not returned.
        let tasks: &Arc<ScopeTasks> = unsafe { &*inside.tasks };
        if ptr::eq(tasks.pool.as_ptr(), me.shared) {
            let state = lock(&tasks.state);
            if !state.tasks.is_empty() {
                tasks.work_on(state, thread, me, Outside::MayGive);
                return true;
            }
        }
        at = inside.outer;
    }
    false
}

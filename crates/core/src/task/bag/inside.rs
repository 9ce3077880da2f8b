//! The scopes that a thread is inside of: as the owner of one whose operation runs, or in one of
//! its tasks. A yield runs tasks of these wherever their ticket is queued: what a thread has
//! spawned in a scope may have been taken by another thread, which then waits for this one.

use super::{Bag, Outside};
use crate::{
    join::{member::Member, thread::Thread},
    protocol::primitive::lock,
};
use std::{cell::Cell, ptr, sync::Arc};

/// A scope that the thread is inside of, and the next one outside.
struct Inside {
    bag: *const Arc<Bag>,
    outer: *const Inside,
}

thread_local! {
    /// Null, or the innermost: on the thread's stack, as those outside of it are, until `Leave`.
    static INNERMOST: Cell<*const Inside> = const { Cell::new(ptr::null()) };
}

/// Makes the scope outside the innermost one again, also when unwinding.
struct Leave(*const Inside);

impl Drop for Leave {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}

impl Bag {
    /// Calls `f`, inside of which the calling thread is inside of the scope.
    pub(crate) fn inside<R>(self: &Arc<Self>, f: impl FnOnce() -> R) -> R {
        let here = Inside {
            bag: self,
            outer: INNERMOST.get(),
        };
        let _leave = Leave(here.outer);
        INNERMOST.set(&raw const here);
        f()
    }
}

/// Runs a task of a scope of `me`'s pool that the calling thread, which sits on `me`, is inside of.
/// False if there is none.
pub(crate) fn run_inside(thread: &Thread, me: &Member) -> bool {
    let mut at = INNERMOST.get();
    // SAFETY: null, or on this thread's stack below us until it is no longer the innermost.
    while let Some(inside) = unsafe { at.as_ref() } {
        // SAFETY: lent to `Bag::inside`, which has not returned.
        let bag: &Arc<Bag> = unsafe { &*inside.bag };
        if ptr::eq(bag.pool.as_ptr(), me.shared) {
            let state = lock(&bag.state);
            if !state.items.is_empty() {
                bag.work_on(state, thread, me, Outside::MayGive);
                return true;
            }
        }
        at = inside.outer;
    }
    false
}

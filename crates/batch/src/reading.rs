//! Which structures the calling thread reads at the moment: reads are not inside of a batch, and
//! still must not use their own structure, since its next leader waits for them.
//!
//! A list of frames, the innermost first, in a thread-local word.
//!
//! Invariant, **frames**: each frame in the list is one of a call of `reading` of this thread that
//! has not returned. For it is put in and taken off by that call, which catches `f`'s panic in
//! between, and calls return in the reverse order. No other thread has the list.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, thread,
};

struct Frame {
    structure: *const (),
    outer: *const Frame,
}

thread_local! {
    static INNERMOST: Cell<*const Frame> = const { Cell::new(ptr::null()) };
}

/// Calls `f`, which reads the structure at this address, and catches its panic.
#[inline]
pub(crate) fn reading<R>(structure: *const (), f: impl FnOnce() -> R) -> thread::Result<R> {
    let frame = Frame {
        structure,
        outer: INNERMOST.get(),
    };
    INNERMOST.set(&raw const frame);
    let result = catch_unwind(AssertUnwindSafe(f));
    INNERMOST.set(frame.outer);
    result
}

/// Whether the calling thread reads the structure at this address.
#[inline]
pub(crate) fn reads(structure: *const ()) -> bool {
    let mut at = INNERMOST.get();
    // SAFETY: null or a frame of a call that has not returned (*frames*). No user's code runs here.
    while let Some(frame) = unsafe { at.as_ref() } {
        if ptr::eq(frame.structure, structure) {
            return true;
        }
        at = frame.outer;
    }
    false
}

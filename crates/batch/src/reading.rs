//! Which structures the calling thread reads at the moment: reads are not inside of a batch, and
//! still must not use their own structure, since its next leader waits for them.
//!
//! A list of frames, the innermost first, in a thread-local word.
//!
//! Invariant, **frames**: each frame in the list is one of a call of `reading` of this thread that
//! has not returned. For it is put in by that call and taken off when it returns or unwinds, calls
//! return in the reverse order, and frames are borrowed until then. No other thread has the list.

use std::{cell::Cell, ptr};

struct Frame {
    structure: *const (),
    outer: *const Frame,
}

thread_local! {
    static INNERMOST: Cell<*const Frame> = const { Cell::new(ptr::null()) };
}

/// Takes a frame off when it is dropped.
struct Leave<'f>(&'f Frame);

impl Drop for Leave<'_> {
    #[inline]
    fn drop(&mut self) {
        INNERMOST.set(self.0.outer);
    }
}

/// Calls `f`, which reads the structure at this address.
#[inline]
pub(crate) fn reading<R>(structure: *const (), f: impl FnOnce() -> R) -> R {
    let frame = Frame {
        structure,
        outer: INNERMOST.get(),
    };
    let leave = Leave(&frame);
    INNERMOST.set(leave.0);
    f()
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

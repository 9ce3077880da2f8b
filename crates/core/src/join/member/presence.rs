//! Whether a thread sits on a member, and whether it takes part in the pool's work.
//!
//! Invariant *one at a time*: a thread sits down only on a seat that no other has (seats.rs). Only
//! that thread writes here; for all others it is a hint.

use crate::protocol::primitive::{AtomicBool, AtomicU32, Ordering};

#[derive(Default)]
pub(crate) struct Presence {
    seated: AtomicBool,
    /// How many calls the seated thread is inside of in which it takes part.
    inside: AtomicU32,
}

impl Presence {
    /// The calling thread sits down, or gets up.
    pub(crate) fn set_seated(&self, seated: bool) {
        self.seated.store(seated, Ordering::Release);
    }

    pub(crate) fn is_seated(&self) -> bool {
        self.seated.load(Ordering::Acquire)
    }

    /// The seated thread, which is the calling one, takes part in the pool's work until the result
    /// is dropped.
    pub(crate) fn take_part(&self) -> TakingPart<'_> {
        let inside = self.inside.load(Ordering::Relaxed);
        self.inside.store(inside + 1, Ordering::Relaxed);
        TakingPart(&self.inside)
    }

    /// Whether the seated thread has said that it takes part.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.load(Ordering::Relaxed) > 0
    }
}

/// A call in which a thread takes part in the work of a pool.
pub(crate) struct TakingPart<'m>(&'m AtomicU32);

impl Drop for TakingPart<'_> {
    fn drop(&mut self) {
        let inside = self.0.load(Ordering::Relaxed);
        self.0.store(inside - 1, Ordering::Relaxed);
    }
}

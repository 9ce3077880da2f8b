//! Whether the thread that sits on a member takes part in the pool's work. Only that thread writes
//! here; for all others it is a hint.

use crate::{
    protocol::primitive::{AtomicU32, Ordering},
    unwind::Finally,
};

#[derive(Default)]
pub(crate) struct Presence {
    /// The number of calls around the seated thread in which it takes part.
    inside: AtomicU32,
}

impl Presence {
    /// Makes the seated thread, which is the calling one, take part in the pool's work until the
    /// result is dropped.
    pub(crate) fn take_part(&self) -> Finally<impl FnMut()> {
        let inside = self.inside.load(Ordering::Relaxed);
        self.inside.store(inside + 1, Ordering::Relaxed);
        Finally(|| {
            let inside = self.inside.load(Ordering::Relaxed);
            self.inside.store(inside - 1, Ordering::Relaxed);
        })
    }

    /// Returns whether the seated thread takes part.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.load(Ordering::Relaxed) > 0
    }
}

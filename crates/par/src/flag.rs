//! A flag by which one thread of a loop tells the others.

use std::sync::atomic::{AtomicBool, Ordering};

/// Lowered until a thread raises it. Orders no other memory accesses.
#[derive(Debug, Default)]
pub(crate) struct Flag(AtomicBool);

impl Flag {
    #[inline]
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A clone is lowered: it is for another loop.
impl Clone for Flag {
    fn clone(&self) -> Self {
        Flag::default()
    }
}

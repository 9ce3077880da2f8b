//! A hint where to search: a member, and how many stolen jobs deep it is.
//!
//! It may be out of date when it is read, and its two halves may be of different times. A reader
//! sees the writer's earlier writes (release, acquire).

use super::primitive::{AtomicPtr, AtomicU32, Ordering};
use std::ptr::{self, NonNull};

pub(crate) struct Hint<M> {
    who: AtomicPtr<M>,
    level: AtomicU32,
}

impl<M> Hint<M> {
    pub(crate) fn new() -> Self {
        Hint {
            who: AtomicPtr::new(ptr::null_mut()),
            level: AtomicU32::new(0),
        }
    }

    pub(crate) fn set(&self, who: *const M, level: u32) {
        self.level.store(level, Ordering::Relaxed);
        self.who.store(who.cast_mut(), Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        self.who.store(ptr::null_mut(), Ordering::Relaxed);
    }

    /// Does as [`clear`](Self::clear), if the hint names this member.
    pub(crate) fn clear_of(&self, who: *const M) {
        let (who, null) = (who.cast_mut(), ptr::null_mut());
        let relaxed = Ordering::Relaxed;
        let _ = self.who.compare_exchange(who, null, relaxed, relaxed);
    }

    pub(crate) fn get(&self) -> Option<(NonNull<M>, u32)> {
        let who = NonNull::new(self.who.load(Ordering::Acquire))?;
        Some((who, self.level.load(Ordering::Relaxed)))
    }
}

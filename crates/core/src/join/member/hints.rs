//! Where to look for parts of a member's work: hints for threads that wait for it.
//!
//! Invariant *of the pool*: the members that are named here are of the same pool as the member
//! itself, so they live as long.

use super::Member;
use crate::protocol::{
    hint::Hint,
    primitive::{AtomicU32, Ordering},
};
use std::ptr::NonNull;

/// Hints about other members.
pub(crate) struct Hints {
    /// The member that last took a job here and is running it, while the seated thread is busy with
    /// its own half.
    taken_by: Hint<Member>,
    /// The level at which that job was offered.
    taken_from: AtomicU32,
}

impl Hints {
    pub(crate) fn new() -> Self {
        Hints {
            taken_by: Hint::new(),
            taken_from: AtomicU32::new(0),
        }
    }

    /// Records that `taker` runs a job that was offered here, at which level, and the level that
    /// offered it.
    pub(crate) fn note_taker(&self, taker: &Member, level: u32, from: u32) {
        self.taken_from.store(from, Ordering::Relaxed);
        self.taken_by.set(taker, level);
    }

    /// Records that `taker` no longer does.
    pub(crate) fn forget_taker(&self, taker: &Member) {
        self.taken_by.clear_of(taker);
    }

    /// Returns the member that runs a job offered here at this level or deeper, and its level.
    pub(crate) fn taken_by(&self, from: u32) -> Option<(NonNull<Member>, u32)> {
        let taker = self.taken_by.get()?;
        (self.taken_from.load(Ordering::Relaxed) >= from).then_some(taker)
    }
}

//! Where to look for parts of what a member works on: hints for those who wait for it.
//!
//! Invariant *of the pool*: the members that are named here are of the same pool as the member
//! itself, so they live as long.

use super::Member;
use crate::protocol::{
    hint::Hint,
    primitive::{AtomicU32, Ordering},
};
use std::ptr::NonNull;

/// What a member says of others.
pub(crate) struct Hints {
    /// Who took a job here last and is running it, for as long as the seated thread is busy with
    /// its own half.
    taken_by: Hint<Member>,
    /// How deep in the work done here that job lay.
    taken_from: AtomicU32,
}

impl Hints {
    pub(crate) fn new() -> Self {
        Hints {
            taken_by: Hint::new(),
            taken_from: AtomicU32::new(0),
        }
    }

    /// Says that `taker` runs a job that was offered here, how deep, and how deep the work lay that
    /// offered it.
    pub(crate) fn note_taker(&self, taker: &Member, level: u32, from: u32) {
        self.taken_from.store(from, Ordering::Relaxed);
        self.taken_by.set(taker, level);
    }

    /// Says that `taker` no longer does.
    pub(crate) fn forget_taker(&self, taker: &Member) {
        self.taken_by.clear_of(taker);
    }

    /// Who runs a job that was offered here from so deep or deeper, and how deep.
    pub(crate) fn taken_by(&self, from: u32) -> Option<(NonNull<Member>, u32)> {
        let taker = self.taken_by.get()?;
        (self.taken_from.load(Ordering::Relaxed) >= from).then_some(taker)
    }
}

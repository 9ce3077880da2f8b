//! Where to look for parts of what a member works on: hints for those who wait for it.
//!
//! Invariant *of the pool*: the members that are named here are of the same pool as the member
//! itself, so they live as long. What is said of them may be out of date at any time.

use super::member::Member;
use std::{
    ptr::{self, NonNull},
    sync::atomic::{AtomicPtr, AtomicU32, Ordering},
};

/// A member, and how many stolen jobs deep it is in what one looks for.
pub(crate) struct Hint {
    member: AtomicPtr<Member>,
    level: AtomicU32,
}

impl Hint {
    pub(crate) fn new() -> Self {
        Hint {
            member: AtomicPtr::new(ptr::null_mut()),
            level: AtomicU32::new(0),
        }
    }

    pub(crate) fn set(&self, member: *const Member, level: u32) {
        self.level.store(level, Ordering::Relaxed);
        self.member.store(member.cast_mut(), Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        self.member.store(ptr::null_mut(), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<(NonNull<Member>, u32)> {
        let member = NonNull::new(self.member.load(Ordering::Acquire))?;
        Some((member, self.level.load(Ordering::Relaxed)))
    }
}

/// What a member says of others.
pub(crate) struct Hints {
    /// Whose job this member is waiting for.
    pub(crate) waiting_for: Hint,
    /// Who took a job here last and is running it, for as long as the seated thread is busy with
    /// its own half.
    taken_by: Hint,
    /// How deep in the work done here that job lay.
    taken_from: AtomicU32,
}

impl Hints {
    pub(crate) fn new() -> Self {
        Hints {
            waiting_for: Hint::new(),
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
        let taker = ptr::from_ref(taker).cast_mut();
        let _ = self.taken_by.member.compare_exchange(
            taker,
            ptr::null_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }

    /// Who runs a job that was offered here from so deep or deeper, and how deep.
    pub(crate) fn taken_by(&self, from: u32) -> Option<(NonNull<Member>, u32)> {
        let taker = self.taken_by.get()?;
        (self.taken_from.load(Ordering::Relaxed) >= from).then_some(taker)
    }
}

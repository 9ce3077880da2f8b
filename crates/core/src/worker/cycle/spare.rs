//! What only spares do (protocol/spares.rs), and what only other workers do: they end in pools that
//! change (pool/resizing.rs).

use super::Worker;
use crate::{
    policy::roles::Role,
    pool::inbox,
    protocol::{
        idle::Idler,
        primitive::{Ordering, fence},
    },
};

/// How long a thread sleeps at most that may end and is not told of it, in nanoseconds.
const LEFT_OVER: u64 = 1_000_000;
/// How long a spare sleeps before its thread ends, in nanoseconds.
pub(super) const KEPT: u64 = 10_000_000_000;

impl Worker<'_> {
    /// Returns its number, if it is a spare.
    pub(super) fn spare(&self) -> Option<usize> {
        self.shared.threads.spare(self.me.index)
    }

    /// Returns whether it is a spare that is not needed.
    pub(super) fn is_not_needed(&self) -> bool {
        self.spare().is_some() && self.shared.spares.is_one_left_over()
    }

    /// How long it sleeps at most: as a spare, until it is not needed, which it is not told; in a
    /// shutdown, until it may end, since others that are awake now will have.
    pub(super) fn longest_sleep(&self) -> Option<u64> {
        if self.shared.is_stopping() {
            return Some(LEFT_OVER);
        }
        self.spare().map(|_| KEPT)
    }

    /// Returns whether its worker is off, or it ends since that is asleep.
    pub(super) fn may_leave(&self) -> bool {
        self.has_left.get() || self.shared.threads.is_off(self.me.index)
    }

    /// As a worker or spare that does nothing: returns true if it ends, since its pool does. It is
    /// not idle any more.
    pub(super) fn leaves_with_pool(&self) -> bool {
        let leaves = self.shared.ending.is_terminating();
        if leaves {
            self.shared.idle.begin_job();
            // Either we see a call, or the thread that makes it sees that the pool ends (inbox.rs).
            fence(Ordering::SeqCst);
            while inbox::answer(self.thread, self.me) {}
        }
        leaves
    }

    /// As a worker that does nothing: returns true if it ends, since it is off.
    pub(super) fn leaves_as_off(&self) -> bool {
        if !self.shared.threads.is_off(self.me.index) {
            return false;
        }
        self.resign();
        self.shared.leaves_as_off(self.me)
    }

    /// In its role, where it would sleep until it is woken: returns true if it ends, since a
    /// shutdown waits.
    pub(super) fn leaves_asleep(&self) -> bool {
        let is_asleep = || {
            self.may_idle()
                && match self.role() {
                    Role::Leader | Role::Deputy => self.is_leader_dormant(),
                    Role::Sleeper => true,
                    Role::Busy => false,
                }
        };
        let may_leave = self.spare().is_none() && self.shared.ends_sleepers();
        let leaves = may_leave && self.shared.leaves_asleep(self.me, is_asleep);
        self.has_left.set(leaves);
        leaves
    }

    /// As a spare that is not needed, and would be one thread too many: sleeps until it is called.
    /// Returns true if its thread must end instead.
    pub(super) fn rests_as_spare(&mut self) -> bool {
        let Some(spare) = self.spare().filter(|_| self.is_not_needed()) else {
            return false;
        };
        let (spares, idle) = (&self.shared.spares, &self.shared.idle);
        let end = self.shared.now().saturating_add(KEPT);
        idle.begin_job();
        if !spares.rest(spare) {
            idle.end_job();
            return false;
        }
        self.resign();
        self.idle_since = None;
        // The reserve's T3 was in `rest`: we are idle no more.
        self.shared.call_more();
        let rests = || !spares.is_on(spare);
        while rests() {
            let ends = self.shared.is_stopping() || self.shared.ending.is_dropped();
            let ends = ends || self.shared.now() >= end;
            if ends && self.shared.leaves_asleep(self.me, rests) {
                return true;
            }
            self.park(Some(KEPT));
        }
        idle.end_job();
        false
    }
}

//! What only spares do (protocol/spares.rs), and what only other workers do: they end in pools that
//! change (pool/resizing.rs).

use super::Worker;
use crate::{policy::roles::Role, protocol::idle::Idler};

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
        let leaves = self.spare().is_none() && self.shared.leaves_asleep(self.me, is_asleep);
        self.has_left.set(leaves);
        leaves
    }

    /// As this spare, which is not needed, or whose pool is over: sleeps until it
    /// is called. Returns true if its thread must end instead.
    pub(super) fn rest_as_spare(&mut self, spare: usize, is_over: bool) -> bool {
        if !is_over && !self.is_not_needed() {
            self.left_over_since = None;
            return false;
        }
        let now = self.shared.now();
        let since = *self.left_over_since.get_or_insert(now);
        let left_over_for = now.saturating_sub(since);
        let (spares, idle) = (&self.shared.spares, &self.shared.idle);
        idle.begin_job();
        if !spares.rest(spare) {
            idle.end_job();
            if is_over {
                // A thread is blocked, and no other worker will come. We are told of nothing, so we
                // look now and then, and less and less often.
                self.park(Some((left_over_for / 8).clamp(LEFT_OVER, 100 * LEFT_OVER)));
            }
            return false;
        }
        self.resign();
        (self.idle_since, self.left_over_since) = (None, None);
        // The reserve's T3 was in `rest`: we are idle no more.
        self.shared.call_more();
        let end = now.saturating_add(KEPT);
        while spares.rests(spare) {
            let terminates = self.shared.ending.is_terminating();
            let is_kept = !self.shared.is_stopping() && self.shared.now() < end;
            if (is_over || !is_kept) && spares.end(spare) {
                return true;
            }
            if terminates {
                // To look once more.
                spares.go_on(spare);
                break;
            }
            self.park(Some(KEPT));
        }
        idle.end_job();
        false
    }
}

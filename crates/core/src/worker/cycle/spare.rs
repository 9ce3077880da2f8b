//! What only spares do (protocol/spares.rs).

use super::Worker;
use crate::protocol::idle::Idler;

/// How long a spare goes on when it is not needed, in nanoseconds: then calls that follow closely
/// upon each other wake it once.
pub(super) const LEFT_OVER: u64 = 1_000_000;
/// How long a spare sleeps before its thread ends, in nanoseconds.
pub(super) const KEPT: u64 = 10_000_000_000;

impl Worker<'_> {
    /// Returns whether it is a spare that is not needed.
    pub(super) fn is_not_needed(&self) -> bool {
        self.spare.is_some() && self.shared.spares.is_one_left_over()
    }

    /// As this spare, which has not been needed for a while, or whose pool is over: sleeps until it
    /// is called. Returns true if its thread must end instead.
    pub(super) fn rest_as_spare(&mut self, spare: usize, is_over: bool) -> bool {
        if !is_over && !self.is_not_needed() {
            self.left_over_since = None;
            return false;
        }
        let now = self.shared.now();
        let since = *self.left_over_since.get_or_insert(now);
        let left_over_for = now.saturating_sub(since);
        if !is_over && left_over_for < LEFT_OVER {
            return false;
        }
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
            if (is_over || self.shared.now() >= end) && spares.end(spare) {
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

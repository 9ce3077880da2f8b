//! What a thread can wait for (wait.rs).

use super::{
    job::{Job, Lineage},
    member::{Member, site::WaitsFor},
};
use crate::{pool::shared::Shared, protocol::parker::Parker};
use std::{ptr::NonNull, sync::Arc};

/// A pool, and the address of the entry in a queue there of work that a thread outside of the pool
/// waits for.
pub(crate) type Unstarted<'p> = (&'p Shared, usize);

/// Something that a thread can wait for. Other threads ask, too, whether it is over, who has taken
/// it and whether it has been started (pool/wait_for.rs): no user code runs then.
pub(crate) trait Awaited: Sync {
    /// What that is, for reports of stalls.
    fn is(&self) -> WaitsFor;

    /// The origin of the jobs to help with.
    fn lineage(&self) -> &Lineage;

    /// Where to look for them: a member that has taken a part of the awaited work, and how deep it
    /// runs that.
    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        self.lineage().get().filter(|_| nth == 0)
    }

    /// The awaited work, if a thread of another pool must start it and none has.
    fn unstarted(&self) -> Option<Unstarted<'_>> {
        None
    }

    /// Whether a part of the awaited work is due, if threads that wait for it run such parts, even
    /// if they may not help.
    fn step_is_due(&self) -> Option<bool> {
        None
    }

    /// Runs that part.
    fn advance(&self) {}

    fn is_over(&self) -> bool;

    /// Arranges that `parker` is unparked when the wait is over, and calls `park`, once, unless it
    /// is.
    fn sleep(&self, parker: &Arc<Parker>, park: &mut dyn FnMut());
}

/// A join's job, of which its owner waits for the latch.
impl Awaited for Job {
    fn is(&self) -> WaitsFor {
        WaitsFor::Join
    }

    fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    fn is_over(&self) -> bool {
        self.record.outcome().is_some()
    }

    /// The thread that sets the latch unparks its owner.
    fn sleep(&self, _: &Arc<Parker>, park: &mut dyn FnMut()) {
        self.record.sleep(park);
    }
}

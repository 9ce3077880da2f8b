//! Planted faults: the bugs that each protocol must not have, switched on one at a time by the loom
//! models to show that they would be caught. In every other build `planted` is the constant `false`.

/// A bug that a model can switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The latch is set without releasing the result.
    LatchRelaxed,
    /// The latch is set by look-then-store: an announcement in between is lost.
    LatchStoreOnly,
    /// A job is published without releasing its fields.
    PublishRelaxed,
    /// The owner reclaims by look-then-clear: a thief may take the same job.
    ReclaimNotAtomic,
    /// The leader goes dormant without looking at the slots again.
    SleepWithoutRescan,
    /// The leader raises the flags before it says that it is dormant.
    ArmBeforeDormant,
    /// A thread leaves without taking its flag back from the member.
    LeaveFlagBehind,
}

#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn planted(_: Fault) -> bool {
    false
}

#[cfg(loom)]
pub(crate) use loom_only::{plant, planted};

#[cfg(loom)]
mod loom_only {
    use super::Fault;
    use std::sync::Mutex;

    static PLANTED: Mutex<Option<Fault>> = Mutex::new(None);

    pub(crate) fn planted(fault: Fault) -> bool {
        *PLANTED.lock().unwrap() == Some(fault)
    }

    pub(crate) fn plant(fault: Option<Fault>) {
        *PLANTED.lock().unwrap() = fault;
    }
}

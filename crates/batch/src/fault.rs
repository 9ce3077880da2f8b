//! Planted faults: the bugs that the protocol must not have, switched on one at a time by the loom
//! models to show that they would be caught.
//!
//! Most are steps that go wrong, of which the code says nothing (faulty.rs). The others are
//! conditions, some of them planted in models; in every other build `planted` is the constant
//! `false`.

#[cfg(loom)]
use crate::primitive::faulty::Step;

/// Declares the faults, and for the models the list of them.
macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident,)*) => {
        /// A bug that a model can switch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(loom), allow(dead_code))]
        pub(crate) enum Fault {
            /// A step that goes wrong.
            #[cfg(loom)]
            Step(Step),
            $($(#[$doc])* $fault,)*
        }

        #[cfg(loom)]
        impl Fault {
            pub(crate) const ALL: &[Fault] = &[$(Fault::$fault,)*];
        }
    };
}

faults! {
    /// A read comes in while there is a leader.
    ReadDespiteLeader,
    /// A leader does not wait for the reads that are there.
    NotDrained,
    /// An operation is entered without `PENDING`: the leader that is there does not look.
    PendingSkipped,
    /// A claim is made without `PENDING`.
    ClaimUnannounced,
    /// Claims are served before batches, also after a claim.
    ClaimsGoFirst,
    /// A claim that has met a batch without a leader leaves it to the task: the next claim may come
    /// before that.
    ClaimPassesBy,
    /// A claim is not queued.
    ClaimNotQueued,
    /// A scheduled task looks whether there is a leader without the lock: that one may leave
    /// meanwhile, relying on the task.
    ScheduledByLooking,
    /// The first blocking caller of a batch that was taken is appointed for the next.
    BlockingKept,
    /// A leader that has seen that nothing waits leaves without the lock.
    FreeUnlocked,
    /// A leader appoints the next one and frees the structure too.
    FreeAndPassOn,
    /// A leader that leaves operations of futures behind queues no task.
    LeaveUnscheduled,
    /// A request that moves up where others were taken back does not know its new place.
    MovedKeepsIndex,
    /// An owner that gives up does not look at the batch that was taken.
    TakeBackBlindly,
    /// An owner that gives up does not wait for who is about to answer.
    TakeBackWithoutWaiting,
    /// A thread that answers wakes no waiter.
    AnswerWakesNobody,
    /// An owner replaces the waiter without having locked it.
    WatchUnlocked,
    /// `DONE` is stored before the waiter is taken.
    DoneBeforeTaken,
    /// Who passes the structure on does not wake the next leader.
    LeaveNextAsleep,
    /// A read in which the queued task was abandoned does not lead afterwards.
    AbandonedForgotten,
    /// The owner of an operation goes without taking it back.
    GoWithoutTakingBack,
}

#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn planted(_: Fault) -> bool {
    false
}

/// The bits of a word that are right, or none where the fault is planted.
#[inline(always)]
pub(crate) fn bits_unless(fault: Fault, right: u32) -> u32 {
    if planted(fault) { 0 } else { right }
}

#[cfg(all(test, loom))]
pub(crate) use loom_only::plant;
#[cfg(loom)]
pub(crate) use loom_only::planted;

#[cfg(loom)]
mod loom_only {
    use super::Fault;
    use crate::primitive::loom_atomics;
    use std::sync::OnceLock;

    static PLANTED: OnceLock<Fault> = OnceLock::new();

    pub(crate) fn planted(fault: Fault) -> bool {
        PLANTED.get() == Some(&fault)
    }

    /// Plants a fault for as long as the process lives.
    pub(crate) fn plant(fault: Fault) {
        match fault {
            Fault::Step(step) => loom_atomics::plant(step),
            listed => PLANTED.set(listed).expect("one fault at a time"),
        }
    }
}

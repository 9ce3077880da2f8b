//! The bugs that the protocol must not have, switched on one at a time to show that the models find
//! them: steps of the code that go wrong (core's faulty.rs), and faults of the models' gate
//! (gate/faulty.rs) or of what a model does itself.

use crate::primitive::{faulty::Step, loom_atomics};
use std::sync::OnceLock;

/// Declares the faults of the models, and the list of them.
macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident,)*) => {
        /// A bug that a model can switch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            /// A step that goes wrong.
            Step(Step),
            $($(#[$doc])* $fault,)*
        }

        impl Fault {
            pub(super) const ALL: &[Fault] = &[$(Fault::$fault,)*];
        }
    };
}

faults! {
    /// A read comes in while there is a leader.
    ReadDespiteLeader,
    /// A leader does not wait for the reads that are there.
    NotDrained,
    /// An operation or a claim is there without `PENDING`: the leader that is there does not look.
    PendingSkipped,
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
    /// A thread that has answered looks at the record again.
    TouchAfterDone,
    /// Who passes the structure on does not wake the next leader.
    LeaveNextAsleep,
    /// A read in which the queued task was abandoned does not lead afterwards.
    AbandonedForgotten,
    /// The owner of an operation goes without taking it back.
    GoWithoutTakingBack,
}

static PLANTED: OnceLock<Fault> = OnceLock::new();

pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(&fault)
}

/// Plants a fault for as long as the process lives.
pub(super) fn plant(fault: Fault) {
    match fault {
        Fault::Step(step) => loom_atomics::plant(step),
        own => PLANTED.set(own).expect("one fault at a time"),
    }
}

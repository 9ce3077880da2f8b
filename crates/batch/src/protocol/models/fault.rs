//! The bugs that the protocol must not have, switched on one at a time to show that the models find
//! them: steps of the code that go wrong (core's faulty.rs), and faults of the models' gate
//! (gate/faulty.rs) or of what a model does itself.

use crate::primitive::{faulty::Step, loom_atomics};

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

//! Planted faults: the bugs that the protocol must not have, switched on one at a time by the loom
//! models to show that they would be caught. In every other build `planted` is the constant
//! `false`.

use crate::primitive::Ordering;

/// Declares the faults, and for the models the list of them.
macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident,)*) => {
        /// A bug that a model can switch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(loom), allow(dead_code))]
        pub(crate) enum Fault {
            $($(#[$doc])* $fault,)*
        }

        #[cfg(loom)]
        impl Fault {
            pub(crate) const ALL: &[Fault] = &[$(Fault::$fault,)*];
        }
    };
}

faults! {
    /// The structure is begun without acquiring what the leader before wrote.
    BeginRelaxed,
    /// The structure is given back without releasing what was written.
    EndRelaxed,
    /// The structure is given back by look-then-store: an operation entered in between is
    /// forgotten.
    EndByStore,
    /// A read comes in without acquiring what the leader before wrote.
    ReadRelaxed,
    /// A read comes in while there is a leader.
    ReadDespiteLeader,
    /// A read goes without releasing: the leader writes what it has not finished to look at.
    ReadEndRelaxed,
    /// A leader does not wait for the reads that are there.
    NotDrained,
    /// It waits without acquiring what they have done.
    DrainRelaxed,
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
    /// A scheduled task that leads leaves `SCHEDULED` set: the next is not scheduled.
    ScheduledKept,
    /// A scheduled task looks whether there is a leader without the lock: that one may leave
    /// meanwhile, relying on the task.
    ScheduledByLooking,
    /// The first blocking caller of a batch that was taken is appointed for the next.
    BlockingKept,
    /// A leader that has seen that nothing waits leaves without the lock.
    FreeUnlocked,
    /// A leader frees the structure without releasing what it wrote.
    FreeRelaxed,
    /// A leader appoints the next one and frees the structure too.
    FreeAndPassOn,
    /// A leader that leaves operations of futures behind queues no task.
    LeaveUnscheduled,
    /// A request that moves up where others were taken back does not know its new place.
    MovedKeepsIndex,
    /// Its record does not know.
    MovedNotTold,
    /// An owner that gives up does not look at the batch that was taken.
    TakeBackBlindly,
    /// An owner that gives up does not wait for who is about to answer.
    TakeBackWithoutWaiting,
    /// A slot is emptied by look-then-store.
    EmptyNotAtomic,
    /// A thread that answers wakes no waiter.
    AnswerWakesNobody,
    /// An owner looks for a signal without acquiring what the signaller wrote.
    LookRelaxed,
    /// An owner replaces the waiter without having locked it.
    WatchUnlocked,
    /// An owner leaves a waiter without releasing it.
    WatchedRelaxed,
    /// A signaller signals by look-then-store: a waiter that comes in between is not woken.
    SignalByStore,
    /// A signaller signals without releasing what it wrote.
    SignalRelaxed,
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

/// The order of memory that is right, or none where the fault is planted.
#[inline(always)]
pub(crate) fn order_unless(fault: Fault, right: Ordering) -> Ordering {
    if planted(fault) {
        Ordering::Relaxed
    } else {
        right
    }
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
    use std::sync::OnceLock;

    static PLANTED: OnceLock<Fault> = OnceLock::new();

    pub(crate) fn planted(fault: Fault) -> bool {
        PLANTED.get() == Some(&fault)
    }

    /// Plants a fault for as long as the process lives.
    pub(crate) fn plant(fault: Fault) {
        PLANTED.set(fault).expect("one fault at a time");
    }
}

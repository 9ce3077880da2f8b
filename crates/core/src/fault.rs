//! Planted faults: the bugs that each protocol must not have, switched on one at a time by the loom
//! models and the schedule explorer to show that they would be caught. In every other build
//! `planted` is the constant `false`.

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
    /// Attention is raised without releasing the demand.
    RaiseRelaxed,
    /// Attention is raised by a store: the raise of another pool before it loses its release.
    RaiseStores,
    /// A thread raises its own attention by a store: the raise of another before it loses its
    /// release.
    OwnRaiseStores,
    /// Attention is lowered without acquiring what the raisers wrote.
    LowerRelaxed,
    /// The floor is set by look-then-store: a raise in between is lost.
    FloorNotAtomic,
    /// The latch is set without releasing the result.
    LatchRelaxed,
    /// The latch is set by look-then-store: an announcement in between is lost.
    LatchStoreOnly,
    /// The announcement of a wait is taken back by a store: a latch set meanwhile is open again.
    CancelByStore,
    /// A record is used again with its latch as it was.
    LatchKept,
    /// A job is published without releasing its fields.
    PublishRelaxed,
    /// A job is taken without acquiring its fields.
    TakeRelaxed,
    /// The owner reclaims by look-then-clear: a thief may take the same job.
    ReclaimNotAtomic,
    /// An unpark only wakes who sleeps already.
    UnparkWithoutToken,
    /// The leader goes dormant without looking at the slots again.
    SleepWithoutRescan,
    /// The leader raises the flags before it says that it is dormant.
    ArmBeforeDormant,
    /// The leader goes dormant without fences.
    DormantWithoutFences,
    /// A busy thread looks for a dormant leader without the fence after its publication.
    WakeWithoutFence,
    /// The leader says that it is dormant without releasing who it is.
    DormantRelaxed,
    /// A thread leaves without taking its flag back from the member.
    LeaveFlagBehind,
    /// A leader resigns although others sleep, and none leads.
    ResignWithoutHeir,
    /// The deputy of a busy leader resigns, and others sleep on.
    ResignWithoutDeputy,
    /// The leader appoints a deputy without a look whether there is one.
    AppointBlindly,
    /// A worker takes the lead although it is no longer the deputy.
    TakeOverBlindly,
    /// A deputy relieves a leader that has ended its job meanwhile.
    TakeOverFromFree,
    /// A thread sleeps without a look at the wait-for graph.
    NoWaitForGraph,
    /// A task is claimed by look-then-store: two may run it.
    ClaimNotAtomic,
    /// A task is finished without releasing its outcome.
    DoneRelaxed,
    /// A waiter looks whether the task is done, then says that it waits.
    AwaitByLooking,
    /// A promise looks whether the task is done, then detaches: the outcome may have no owner.
    DetachByLooking,
    /// A thread joins without taking the waker out that a poll has left.
    JoinKeepsWaker,
    /// It takes the waker out, but does not look whether the task is done.
    JoinLooksOnce,
    /// Planted in a model: a thread looks who waits for a queued task without the queue's lock.
    LookUnlocked,
    /// A waiter looks whether it waits for itself, then says that it waits.
    LookThenWait,
    /// A leader that has been relieved says that its successor is free.
    FreeForOthers,
    /// A phase's sum is written without saying that times change.
    SumUnannounced,
    /// A phase's sum is written without releasing that times change.
    SumRelaxed,
    /// A reader of times looks at the phase once.
    ReadOnce,
    /// A tick that finds all slots full wakes no worker.
    FullWakesNobody,
    /// A leader that keeps the lead in a job leaves its deputy asleep.
    LeaveDeputyAsleep,
    /// A waiter on watch leaves, and does not see that another's turn begins.
    LeaveWatchAlone,
    /// A waiter whose turn ends does not unpark the next.
    LeaveNextAsleep,
    /// The taker looks at the record of a job after it has set the latch.
    TouchAfterFinish,
    /// The owner of a job sleeps without announcing it.
    SleepUnannounced,
    /// A new member does not start out raised.
    SitUnraised,
    /// What a tick cannot give is no longer asked for.
    ForgetDemand,
    /// Planted in a model: a thread that leaves a pool does not look what its others want.
    LeaveUnrenewed,
    /// Planted in a model: a thread gives its seat back before it has left it.
    FreeSeatFirst,
    /// A worker gives its role up without unparking its heir.
    LeaveHeirAsleep,
    /// A nap is cut short by look-then-store: two may do it.
    CutByLooking,
    /// A leader looks whether the caller sleeps, then says that the deputy naps.
    LookBeforeNap,
    /// The leader ends its nap by look-then-store: it may miss that another has.
    NapEndsByLooking,
}

#[cfg(not(any(loom, explore)))]
#[inline(always)]
pub(crate) const fn planted(_: Fault) -> bool {
    false
}

/// Under the schedule explorer each schedule has its own.
#[cfg(explore)]
pub(crate) fn planted(fault: Fault) -> bool {
    crate::explore::current::planted(fault)
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

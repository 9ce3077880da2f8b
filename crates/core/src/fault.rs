//! Planted faults: the bugs that each protocol must not have, switched on one at a time by the loom
//! models and the schedule explorer to show that they would be caught.
//!
//! Most are steps that go wrong, of which the code says nothing (`protocol/faulty.rs`). The others
//! are conditions; in every build but the two, `planted` is the constant `false`.

#[cfg(any(loom, explore))]
#[cfg_attr(not(test), allow(unused_imports))]
pub(crate) use crate::protocol::faulty::{Step, Wrong};

/// Declares the faults, and for the models the list of them.
macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident,)*) => {
        /// A bug that a model can switch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(loom), allow(dead_code))]
        pub(crate) enum Fault {
            /// A step that goes wrong.
            #[cfg(any(loom, explore))]
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
    /// An unpark only wakes who sleeps already.
    UnparkWithoutToken,
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
    /// A leader that has been relieved says that its successor is free.
    FreeForOthers,
    /// A thread sleeps without a look at the wait-for graph.
    NoWaitForGraph,
    /// A thread joins without taking the waker out that a poll has left.
    JoinKeepsWaker,
    /// It takes the waker out, but does not look whether the task is done.
    JoinLooksOnce,
    /// A reader of times looks at the phase once.
    ReadOnce,
    /// A waiter on watch leaves, and does not see that another's turn begins.
    LeaveWatchAlone,
    /// The leader goes dormant without looking at the slots again.
    SleepWithoutRescan,
    /// Planted in a model, as those that follow: raises of the flags before the leader says that it
    /// is dormant.
    ArmBeforeDormant,
    /// A thread looks who waits for a queued task without the queue's lock.
    LookUnlocked,
    /// A tick that finds all slots full wakes no worker.
    FullWakesNobody,
    /// What a tick cannot give is no longer asked for.
    ForgetDemand,
    /// A worker gives its role up without unparking its heir.
    LeaveHeirAsleep,
    /// A leader that keeps the lead in a job leaves its deputy asleep.
    LeaveDeputyAsleep,
    /// A waiter whose turn ends does not unpark the next.
    LeaveNextAsleep,
    /// The taker looks at the record of a job after it has set the latch.
    TouchAfterFinish,
    /// The owner of a job sleeps without announcing it.
    SleepUnannounced,
    /// A leader looks whether the caller sleeps, then says that the deputy naps.
    LookBeforeNap,
    /// A thread that leaves a pool does not look what its others want.
    LeaveUnrenewed,
    /// A thread leaves without taking its flag back from the member.
    LeaveFlagBehind,
    /// A thread gives its seat back before it has left it.
    FreeSeatFirst,
}

#[cfg(not(any(loom, explore)))]
#[inline(always)]
pub(crate) const fn planted(_: Fault) -> bool {
    false
}

#[cfg(explore)]
pub(crate) use crate::explore::current::planted;
#[cfg(all(test, loom))]
pub(crate) use loom_only::plant;
#[cfg(loom)]
pub(crate) use loom_only::{planted, planted_step};

#[cfg(loom)]
mod loom_only {
    use super::{Fault, Step};
    use std::sync::OnceLock;

    static PLANTED: OnceLock<Fault> = OnceLock::new();

    pub(crate) fn planted(fault: Fault) -> bool {
        PLANTED.get() == Some(&fault)
    }

    pub(crate) fn planted_step() -> Option<Step> {
        match PLANTED.get() {
            Some(Fault::Step(step)) => Some(*step),
            _ => None,
        }
    }

    /// Plants a fault for as long as the process lives.
    pub(crate) fn plant(fault: Fault) {
        PLANTED.set(fault).expect("one fault at a time");
    }
}

//! Planted faults: the bugs that each protocol must not have, switched on one at a time by the loom
//! models to show that they would be caught. In every other build `planted` is the constant `false`.

/// Declares the faults, and for the models the list of them.
macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident,)*) => {
        /// A bug that a model can switch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// A job is published without releasing its fields.
    PublishRelaxed,
    /// A job is taken without acquiring its fields.
    TakeRelaxed,
    /// The owner reclaims by look-then-clear: a thief may take the same job.
    ReclaimNotAtomic,
    /// An unpark only wakes who sleeps already.
    UnparkWithoutToken,
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

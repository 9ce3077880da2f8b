//! The sleep of a member's thread, as the wait-for graph knows it (pool/wait_for.rs).

use super::Member;
use crate::{join::awaited::Awaited, pool::shared::Shared, protocol::primitive::ProcessLock};
use std::{cell::UnsafeCell, ptr};

/// The graph, for code that runs under its lock.
pub(crate) struct Graph(());

impl Graph {
    /// Calls `f` under the lock.
    pub(crate) fn locked<R>(f: impl FnOnce(&Graph) -> R) -> R {
        static LOCK: ProcessLock = ProcessLock::new(());
        let _guard = LOCK.lock();
        f(&Graph(()))
    }
}

/// What a thread sleeps in.
#[derive(Clone, Copy)]
pub(crate) enum Sleep<'w> {
    Wait(&'w dyn Awaited),
    /// It yields in vain: the pools in which it may have spawned the tasks that it yields for.
    Yield(&'w [*const Shared]),
}

impl Sleep<'_> {
    pub(crate) fn address(self) -> usize {
        match self {
            Sleep::Wait(wait) => ptr::from_ref(wait).addr(),
            Sleep::Yield(pools) => pools.as_ptr().addr(),
        }
    }
}

/// The sleep of the thread that sits on a member. Accessed under the lock only.
#[derive(Default)]
pub(crate) struct Sleeping(UnsafeCell<Option<Sleep<'static>>>);

impl Sleeping {
    pub(crate) fn set(&self, _: &Graph, sleep: Option<Sleep<'static>>) {
        // SAFETY: under the lock, so no other thread accesses it meanwhile.
        unsafe { *self.0.get() = sleep };
    }

    /// Its thread leaves the graph, under the lock, before the sleep ends (*valid*).
    pub(crate) fn get<'g>(&self, _: &'g Graph) -> Option<Sleep<'g>> {
        // SAFETY: as in `set`.
        unsafe { *self.0.get() }
    }
}

/// Returns whether the thread that sits on `member` sleeps in a wait.
pub(crate) fn is_asleep(member: &Member) -> bool {
    Graph::locked(|graph| member.sleeping.get(graph).is_some())
}

//! How the owner of a scope waits for it.

use super::ScopeTasks;
use crate::{
    join::{
        awaited::{Awaited, Unstarted},
        job::Lineage,
        member::{Member, site::WaitsFor},
    },
    pool::shared::Shared,
    protocol::{
        parker::Parker,
        primitive::{Ordering, lock},
    },
};
use std::{
    ptr::{self, NonNull},
    sync::Arc,
};

/// The owner of a scope, which waits for the threads that work on it.
pub(super) struct AwaitedScope<'b> {
    pub(super) tasks: &'b ScopeTasks,
    /// The pool, if the owner hands its work over to it.
    pub(super) outside: Option<&'b Shared>,
}

impl AwaitedScope<'_> {
    /// Whether the owner runs tasks itself.
    pub(super) fn runs(&self) -> bool {
        self.outside.is_none_or(|pool| !pool.hands_over())
    }
}

impl Awaited for AwaitedScope<'_> {
    fn is(&self) -> WaitsFor {
        WaitsFor::Scope
    }

    fn lineage(&self) -> &Lineage {
        &self.tasks.lineage
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        let state = lock(&self.tasks.state);
        let &(member, level) = state.active.get(nth)?;
        Some((member.0, level))
    }

    fn unstarted(&self) -> Option<Unstarted<'_>> {
        let pool = self.outside.filter(|_| !self.runs())?;
        let entry = ptr::from_ref(self.tasks).addr();
        self.tasks.has_tasks().then_some((pool, entry))
    }

    fn is_over(&self) -> bool {
        let has_tasks = self.tasks.has_tasks();
        let over = !has_tasks && self.tasks.workers.load(Ordering::Acquire) == 0;
        let runs = || self.runs() || !lock(&self.tasks.state).owners.is_empty();
        over || (has_tasks && runs())
    }

    fn sleep(&self, parker: &Arc<Parker>, park: &mut dyn FnMut()) {
        Shared::sleep_outside(self.outside, parker, &mut || {
            lock(&self.tasks.state).owner = Some(Arc::clone(parker));
            // A thread that changes something after this look unparks us.
            if self.runs() {
                self.tasks.tasks.sleep(|| self.is_over(), &mut *park);
            } else if !self.is_over() {
                park();
            }
        });
    }
}

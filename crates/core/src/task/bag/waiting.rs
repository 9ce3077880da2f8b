//! How the owner of a scope waits for those at work on it.

use super::{
    super::{scope::TaskScope, stand_in},
    Bag, End,
};
use crate::{
    job::Job, member::Member, parker::Parker, primitive::lock, shared::Shared, wait::Awaited,
};
use std::{
    ptr::NonNull,
    sync::{Arc, atomic::Ordering},
};

/// The owner of a scope, which waits for those at work on it.
pub(super) struct Waiting<'b> {
    pub(super) bag: &'b Bag,
    pub(super) pool: Option<&'b Shared>,
    /// The pool, if it takes the owner's work over.
    pub(super) outside: Option<&'b Shared>,
}

impl Bag {
    /// For an owner outside of the pool: runs tasks if it can have its turn there. Then it waits outside, since the
    /// tasks that others have begun may want its place.
    pub(super) fn run_in_turn(self: &Arc<Self>, pool: &Arc<Shared>) {
        if self.items.load(Ordering::Relaxed) == 0 {
            return;
        }
        let scope = TaskScope::of(Arc::clone(self));
        let newest = || self.take(&mut lock(&self.state), End::Newest);
        stand_in::in_turn(pool, |_| {
            while let Some(item) = newest() {
                self.call(|| item(&scope));
            }
        });
    }
}

impl Waiting<'_> {
    /// Whether the owner runs tasks itself.
    pub(super) fn runs(&self) -> bool {
        self.outside.is_none_or(|pool| !pool.hands_over())
    }

    /// Whether there are calls that no worker may answer any more.
    fn calls_in_vain(&self) -> bool {
        self.pool.is_some_and(Shared::is_terminating) && lock(&self.bag.state).calls > 0
    }

    /// Waits without helping.
    pub(super) fn sleep(&self) {
        let parker = Arc::new(Parker::new());
        while self.announce(&parker) {
            parker.park(None);
        }
    }
}

impl Awaited for Waiting<'_> {
    type Outcome = ();

    /// A scope may end in the middle of a join's half.
    const ALL_PROMOTED: bool = false;

    fn job(&self) -> &Job {
        &self.bag.job
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        let state = lock(&self.bag.state);
        state.takers.get(nth).map(|t| (t.member, t.level))
    }

    fn answers_all(&self) -> bool {
        let state = lock(&self.bag.state);
        state.calls + state.answering > 0
    }

    fn outcome(&self) -> Option<()> {
        let items = self.bag.items.load(Ordering::Relaxed) > 0;
        let over = !items && self.bag.workers.load(Ordering::Acquire) == 0;
        let runs = || self.runs() || !lock(&self.bag.state).owners.is_empty();
        (over || (items && runs()) || self.calls_in_vain()).then_some(())
    }

    fn announce(&self, parker: &Arc<Parker>) -> bool {
        lock(&self.bag.state).owner = Some(Arc::clone(parker));
        // A thread that changes something after this look unparks us.
        self.outcome().is_none()
    }
}

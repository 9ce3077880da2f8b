//! The gate of the models: the gate itself, but that a step goes wrong where a fault is planted
//! (models/fault.rs).

use super::{BUSY, EXTRA, Next, PENDING, SCHEDULED, Waited};
use crate::{
    primitive::Ordering,
    protocol::{
        models::fault::{Fault, planted},
        record::Record,
    },
    structure::Request,
};
use std::{ops::Deref, ptr};

pub(crate) struct Gate<O, A, T>(super::Gate<O, A, T>);

impl<O, A, T> Deref for Gate<O, A, T> {
    type Target = super::Gate<O, A, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<O, A, T> Gate<O, A, T> {
    pub(crate) fn new() -> Self {
        Gate(super::Gate::new())
    }

    /// What a blocking caller has entered or claimed is forgotten, before it waits.
    pub(crate) fn forget(&self) {
        if planted(Fault::PendingSkipped) {
            self.word.fetch_and(!PENDING, Ordering::AcqRel);
        }
        if planted(Fault::ClaimNotQueued) {
            self.forming().claims.clear();
        }
    }

    pub(crate) fn begin_scheduled(&self) -> bool {
        if planted(Fault::ScheduledByLooking) && self.word.load(Ordering::Acquire) & BUSY != 0 {
            self.word.fetch_and(!SCHEDULED, Ordering::AcqRel);
            return false;
        }
        if planted(Fault::NotDrained) {
            let _forming = self.forming();
            let before = self.word.fetch_and(!SCHEDULED, Ordering::AcqRel);
            let due = before & (BUSY | PENDING) == PENDING;
            return due && self.word.fetch_or(BUSY, Ordering::AcqRel) & BUSY == 0;
        }
        self.0.begin_scheduled()
    }

    pub(crate) fn take(&self, requests: &mut Vec<Request<O, A>>) -> Waited {
        let blocking = planted(Fault::BlockingKept).then(|| self.forming().blocking);
        let indices = planted(Fault::MovedKeepsIndex).then(|| self.indices());
        let waited = self.0.take(requests);
        if let Some(blocking) = blocking {
            self.forming().blocking = blocking;
        }
        for (request, index) in requests.iter_mut().zip(indices.into_iter().flatten()) {
            request.set_index(index);
        }
        waited
    }

    /// Of the requests that have not been taken back.
    fn indices(&self) -> Vec<usize> {
        let forming = self.forming();
        let is_gap = |index: usize| forming.slots[index].load(Ordering::Relaxed).is_null();
        let indices = forming.requests.iter().map(Request::index);
        indices.filter(|index| !is_gap(*index)).collect()
    }

    pub(crate) fn leave(&self, served: usize, claimed: bool) -> Next {
        if planted(Fault::FreeUnlocked) && self.nothing_waits() {
            self.word.fetch_and(SCHEDULED, Ordering::AcqRel);
            return Next::Nothing(None);
        }
        let next = match claimed {
            true if planted(Fault::ClaimsGoFirst) => self.0.leave(served, false),
            true if planted(Fault::ClaimPassesBy) => self.0.leave(EXTRA, false),
            _ => self.0.leave(served, claimed),
        };
        match next {
            Next::Nothing(Some(_)) if planted(Fault::LeaveNextAsleep) => Next::Nothing(None),
            Next::Nothing(Some(_)) if planted(Fault::FreeAndPassOn) => {
                self.word.fetch_and(!BUSY, Ordering::AcqRel);
                next
            }
            Next::Schedule if planted(Fault::LeaveUnscheduled) => Next::Nothing(None),
            _ => next,
        }
    }

    fn nothing_waits(&self) -> bool {
        let forming = self.forming();
        self.taken_mut().clear();
        forming.requests.is_empty() && forming.claims.is_empty()
    }

    pub(crate) fn take_back(&self, record: &Record<T>) -> Option<O> {
        let is_taken = || record.batch.load(Ordering::Relaxed) != self.forming().batch;
        if planted(Fault::TakeBackBlindly) && is_taken() {
            return None;
        }
        if planted(Fault::TakeBackWithoutWaiting) && is_taken() {
            let taken = self.taken();
            if !record.is_done() {
                let slot = &taken[record.index.load(Ordering::Relaxed)];
                slot.swap(ptr::null_mut(), Ordering::AcqRel);
            }
            return None;
        }
        self.0.take_back(record)
    }
}

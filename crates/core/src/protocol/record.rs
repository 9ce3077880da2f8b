//! The part of a job's record that two threads share: the owner's description of the work, the
//! taker's result, and the latch that returns the record.
//!
//! Life of a record (owner = the thread whose work it is, taker = the thread that took it from the
//! slot):
//! 1. *free*: only the owner touches it;
//! 2. the owner fills in the fields and publishes it in a slot (release);
//! 3. the taker (acquire) reads them, runs the work, writes `panic`, sets the latch (release); its
//!    last access is the latch;
//! 4. the owner, having reclaimed the slot or seen the latch set (acquire), reads `panic` and frees
//!    the record.
//!
//! Liveness: an owner that has announced that it sleeps is unparked by the thread that sets the
//! latch; an owner that announces it too late does not sleep (latch.rs).

use super::{
    latch::{Latch, LatchState},
    parker::Parker,
    primitive::UnsafeCell,
};

/// `F` is the type of the work, `P` that of its panic.
pub(crate) struct Record<F, P> {
    latch: Latch,
    fields: UnsafeCell<F>,
    panic: UnsafeCell<Option<P>>,
}

impl<F: Copy, P> Record<F, P> {
    pub(crate) fn new(fields: F) -> Self {
        Record {
            latch: Latch::new(),
            fields: UnsafeCell::new(fields),
            panic: UnsafeCell::new(None),
        }
    }

    /// Step 2, before the publication.
    ///
    /// # Safety
    /// The caller is the owner and the record is free.
    pub(crate) unsafe fn fill(&self, fields: F) {
        self.latch.reset();
        // SAFETY: the record is free, no other thread touches it (step 1).
        self.fields.with_mut(|f| unsafe { *f = fields });
    }

    /// Returns the fields that the owner has filled in.
    ///
    /// # Safety
    /// The record is between steps 2 and 4, and stays so during the call.
    pub(crate) unsafe fn fields(&self) -> F {
        // SAFETY: in between no thread writes them.
        self.fields.with(|f| unsafe { *f })
    }

    /// Step 3: keeps the panic for the owner.
    ///
    /// # Safety
    /// The caller took the job and has not set the latch.
    pub(crate) unsafe fn set_panic(&self, payload: Option<P>) {
        // SAFETY: only the taker touches it in step 3.
        self.panic.with_mut(|p| unsafe { *p = payload });
    }

    /// Step 4: takes the panic of the job, if it had one.
    ///
    /// # Safety
    /// The caller is the owner and has seen the latch set.
    pub(crate) unsafe fn take_panic(&self) -> Option<P> {
        debug_assert!(self.outcome().is_some());
        // SAFETY: the taker is done with the record (step 4).
        self.panic.with_mut(|p| unsafe { (*p).take() })
    }

    /// Returns the value of the latch, if it is set.
    pub(crate) fn outcome(&self) -> Option<LatchState> {
        let state = self.latch.state();
        state.is_set().then_some(state)
    }

    /// For the owner: calls `park` unless the latch is set. `park` must return when the owner's
    /// parker is unparked, since the latch is set then; it may return before.
    pub(crate) fn sleep(&self, park: impl FnOnce()) {
        if self.latch.announce_wait() {
            park();
            self.latch.cancel_wait();
        }
    }

    /// Step 3, its end: sets the latch and wakes the owner, whose parker this is, if it sleeps. The
    /// caller must not touch the record afterwards.
    pub(crate) fn finish(&self, state: LatchState, owner: &Parker) {
        if self.latch.set(state) {
            owner.unpark();
        }
    }
}

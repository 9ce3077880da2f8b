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
//!    the record. If the taker has declined, step 2 may follow instead: the owner, or a thread that
//!    stands in for it (remote.rs), publishes the same fields again.
//!
//! The latch is set once for each publication, by the taker, and waited on by the owner:
//!
//! ```text
//!   OPEN ──wait──► WAITING ──set──► DONE | DECLINED ──reopen──► OPEN
//!     │  ◄─cancel──                       ▲
//!     └──────────────set──────────────────┘
//! ```
//!
//! A pool frees its records only when no thread uses it any more, so the setter's reference never
//! dangles (as it could to a latch in a stack frame).
//!
//! Liveness: an owner that has announced that it sleeps is unparked by the thread that sets the
//! latch; an owner that announces it too late does not sleep.

use super::{
    parker::Parker,
    primitive::{AtomicU32, Ordering, UnsafeCell},
};

/// `F` is the type of the work, `P` that of its panic.
pub(crate) struct Record<F, P> {
    latch: AtomicU32,
    fields: UnsafeCell<F>,
    panic: UnsafeCell<Option<P>>,
}

/// The job is unfinished, and the owner is awake.
const OPEN: u32 = 0;
/// The job is unfinished, and the owner sleeps or is about to.
const WAITING: u32 = 1;

/// How a latch is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The job has run; its result or panic can be read.
    Done = 2,
    /// The taker could not run it; the owner has to.
    Declined = 3,
}

impl<F: Copy, P> Record<F, P> {
    pub(crate) fn new(fields: F) -> Self {
        Record {
            latch: AtomicU32::new(OPEN),
            fields: UnsafeCell::new(fields),
            panic: UnsafeCell::new(None),
        }
    }

    /// Step 2, before the publication.
    ///
    /// # Safety
    /// The caller is the owner and the record is free.
    pub(crate) unsafe fn fill(&self, fields: F) {
        self.latch.store(OPEN, Ordering::Relaxed);
        // SAFETY: the record is free, no other thread touches it (step 1).
        self.fields.with_mut(|f| unsafe { *f = fields });
    }

    /// Step 2 again, before the publication, with the same fields.
    ///
    /// # Safety
    /// The caller is the owner, or stands in for it, and has seen the latch set to `Declined`.
    pub(crate) unsafe fn reopen(&self) {
        debug_assert_eq!(self.outcome(), Some(Ended::Declined));
        self.latch.store(OPEN, Ordering::Relaxed);
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

    /// Returns how the latch is set, if it is.
    pub(crate) fn outcome(&self) -> Option<Ended> {
        match self.latch.load(Ordering::Acquire) {
            OPEN | WAITING => None,
            2 => Some(Ended::Done),
            _ => Some(Ended::Declined),
        }
    }

    /// For the owner: calls `park` unless the latch is set. `park` must return when the owner's
    /// parker is unparked, since the latch is set then; it may return before.
    pub(crate) fn sleep(&self, park: impl FnOnce()) {
        if self.exchange(OPEN, WAITING) {
            park();
            self.exchange(WAITING, OPEN);
        }
    }

    /// Announces that the owner is about to sleep, or no longer; false if the latch is set.
    fn exchange(&self, from: u32, to: u32) -> bool {
        self.latch
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Step 3, its end: sets the latch and wakes the owner, whose parker this is, if it sleeps. The
    /// caller must not touch the record afterwards. Its earlier writes are visible to an owner that
    /// sees the latch set.
    pub(crate) fn finish(&self, how: Ended, owner: &Parker) {
        if self.latch.swap(how as u32, Ordering::AcqRel) == WAITING {
            owner.unpark();
        }
    }
}

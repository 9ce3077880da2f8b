//! A latch: set once by the thread that took a job, waited on by the thread that owns the job.
//!
//! ```text
//!   OPEN ──wait──► WAITING ──set──► DONE | DECLINED
//!     │  ◄─cancel──                       ▲
//!     └──────────────set──────────────────┘
//! ```
//!
//! `set` returns whether the owner may be asleep; the thread that set the latch then unparks it
//! through the owner's member. Latches are in job records, which a pool frees only when no thread
//! uses it any more, so the setter's reference never dangles (as it could to a latch in a stack
//! frame).

use super::primitive::{AtomicU32, Ordering};

#[derive(Debug)]
pub(crate) struct Latch {
    state: AtomicU32,
}

/// The state that the owner of a job sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum LatchState {
    /// The job is unfinished, and the owner is awake.
    Open = 0,
    /// The job is unfinished, and the owner sleeps or is about to.
    Waiting = 1,
    /// The job has run; its result or panic can be read.
    Done = 2,
    /// The taker could not run it; the owner has to.
    Declined = 3,
}

impl LatchState {
    fn from_u32(value: u32) -> Self {
        match value {
            0 => LatchState::Open,
            1 => LatchState::Waiting,
            2 => LatchState::Done,
            _ => LatchState::Declined,
        }
    }

    pub(crate) fn is_set(self) -> bool {
        matches!(self, LatchState::Done | LatchState::Declined)
    }
}

impl Latch {
    pub(crate) fn new() -> Self {
        Latch {
            state: AtomicU32::new(LatchState::Open as u32),
        }
    }

    /// Resets a latch for its next job. Called only by the owner, before it publishes the job.
    pub(crate) fn reset(&self) {
        self.state.store(LatchState::Open as u32, Ordering::Relaxed);
    }

    pub(crate) fn state(&self) -> LatchState {
        LatchState::from_u32(self.state.load(Ordering::Acquire))
    }

    /// Announces that the owner is about to sleep. Returns false if the latch is already set.
    pub(crate) fn announce_wait(&self) -> bool {
        self.exchange(LatchState::Open, LatchState::Waiting)
    }

    /// Withdraws the announcement. Returns false if the latch has been set meanwhile.
    pub(crate) fn cancel_wait(&self) -> bool {
        self.exchange(LatchState::Waiting, LatchState::Open)
    }

    /// Sets the latch. Returns true if the owner announced a wait and so must be unparked. The
    /// setter's earlier writes are visible to an owner that sees the latch set.
    pub(crate) fn set(&self, state: LatchState) -> bool {
        debug_assert!(state.is_set());
        self.state.swap(state as u32, Ordering::AcqRel) == LatchState::Waiting as u32
    }

    fn exchange(&self, from: LatchState, to: LatchState) -> bool {
        self.state
            .compare_exchange(from as u32, to as u32, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

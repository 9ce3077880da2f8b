//! Operation records: where a caller waits for the answer to one operation.
//!
//! A record lies in the frame of a caller that blocks, or in its future. The batch that is forming
//! points to it (gate.rs). The caller's side is the *owner*; the thread that ends the waiting is
//! the *signaller*.
//!
//! ```text
//!   WAITING ──watch──► LOCKED ──► WATCHED     the owner has left a waker
//!      │                 ▲            │
//!      │            take the waiter ◄─┘
//!      ▼                 ▼
//!   LEAD or DONE  ◄── the signaller       LEAD ──► DONE: the owner's own batch has answered it
//! ```
//!
//! Invariants:
//! * **Stays.** A record stays where it is from the moment it is entered at the gate until its
//!   owner has seen `DONE`, or has taken it back (gate.rs, *taken back*).
//! * **Last access.** The signaller's last access to a record is the store of `DONE`, or of `LEAD`
//!   to a claim: before that it has taken the waiter out, afterwards it wakes that.
//! * **One at the waiter.** Only who has moved the state to `LOCKED` touches `waiter`. It is there
//!   for a few instructions.
//! * **One owner of the outcome.** The signaller writes it before `DONE`; after that it is the
//!   owner's.

use crate::primitive::{AtomicU32, AtomicU64, AtomicUsize, Ordering, UnsafeCell, pause, swallow};
use std::{mem, task::Waker};

const WAITING: u32 = 0;
const LOCKED: u32 = 1;
const WATCHED: u32 = 2;
const LEAD: u32 = 3;
const DONE: u32 = 4;
/// For the models: the record's memory is no more.
#[cfg(loom)]
const GONE: u32 = 5;

/// What the owner of a record is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// It is to lead: the structure is its own (gate.rs).
    Lead,
    /// The outcome is there.
    Done,
}

/// Whom to wake.
#[derive(Debug)]
pub(crate) struct Waiter(pub(crate) Waker);

impl Waiter {
    /// Wakes. Wakers are the users' code: a panic goes no further.
    pub(crate) fn wake(self) {
        swallow(|| self.0.wake());
    }
}

/// Wakes them, one after the other.
pub(crate) fn wake_all(waiters: impl IntoIterator<Item = Waiter>) {
    waiters.into_iter().for_each(Waiter::wake);
}

/// Says that a record lies in the frame of its owner. Unwinding out of that would leave pointers to
/// nothing: it ends the process.
#[derive(Debug)]
pub(crate) struct AbortOnUnwind;

impl AbortOnUnwind {
    /// No other thread knows the record any more.
    pub(crate) fn over(self) {
        mem::forget(self);
    }
}

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

#[derive(Debug)]
pub(crate) struct Record<T> {
    state: AtomicU32,
    waiter: UnsafeCell<Option<Waiter>>,
    outcome: UnsafeCell<Option<T>>,
    /// In which batch it is, and where there. Written under the gate's lock.
    pub(crate) batch: AtomicU64,
    pub(crate) index: AtomicUsize,
}

// SAFETY: `waiter` and `outcome` have one user at a time (*one at the waiter*, *one owner of the
// outcome*), so they only move between threads.
unsafe impl<T: Send> Sync for Record<T> {}

impl<T> Record<T> {
    pub(crate) fn new() -> Self {
        Record {
            state: AtomicU32::new(WAITING),
            waiter: UnsafeCell::new(None),
            outcome: UnsafeCell::new(None),
            batch: AtomicU64::new(0),
            index: AtomicUsize::new(0),
        }
    }

    /// Owner, before another thread knows the record: leaves a waker.
    pub(crate) fn watch_first(&mut self, waiter: Waiter) {
        self.waiter = UnsafeCell::new(Some(waiter));
        self.state = AtomicU32::new(WATCHED);
    }

    /// Owner: what it has been told, if anything.
    pub(crate) fn signal(&self) -> Option<Signal> {
        match self.state.load(Ordering::Acquire) {
            LEAD => Some(Signal::Lead),
            DONE => Some(Signal::Done),
            _ => None,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.signal() == Some(Signal::Done)
    }

    /// Owner: leaves a waker, in the place of an earlier one. False if there is a
    /// signal already.
    pub(crate) fn watch(&self, waiter: Waiter) -> bool {
        let mut turn = 0;
        loop {
            let seen = self.state.load(Ordering::Acquire);
            match seen {
                WAITING | WATCHED if self.move_on(seen, LOCKED) => break,
                LEAD | DONE => return false,
                _ => pause(&mut turn),
            }
        }
        // SAFETY: we have locked it (*one at the waiter*).
        let earlier = self.waiter.with_mut(|w| unsafe { (*w).replace(waiter) });
        self.state.store(WATCHED, Ordering::Release);
        swallow(|| drop(earlier));
        true
    }

    /// Owner: whether the outcome is there. Else leaves a waker.
    pub(crate) fn poll(&self, waiter: impl FnOnce() -> Waiter) -> bool {
        self.is_done() || !self.watch(waiter())
    }

    fn move_on(&self, from: u32, to: u32) -> bool {
        self.state
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Owner: takes the outcome.
    pub(crate) fn take(&self) -> Option<T> {
        if !self.is_done() {
            return None;
        }
        // SAFETY: done: the outcome is the owner's, and only the owner calls this (*one owner of
        // the outcome*).
        self.outcome.with_mut(|o| unsafe { (*o).take() })
    }

    /// Owner: returns when a signaller that has begun to answer is done with the record.
    pub(crate) fn wait_for_the_end(&self) {
        let mut turn = 0;
        while !self.is_done() {
            pause(&mut turn);
        }
    }

    /// Signaller: answers. The result is to be woken.
    ///
    /// # Safety
    /// The record is there (*stays*) and the caller its only signaller.
    pub(crate) unsafe fn finish(this: *const Self, outcome: T) -> Option<Waiter> {
        // SAFETY: the record is there (contract).
        let place = unsafe { &(*this).outcome };
        // SAFETY: not yet done: the outcome is the signaller's (*one owner of the outcome*).
        place.with_mut(|o| unsafe { *o = Some(outcome) });
        // SAFETY: the contract is ours.
        unsafe { Record::tell(this, DONE) }
    }

    /// Signaller: makes the owner lead. The result is to be woken.
    ///
    /// # Safety
    /// As `finish`.
    pub(crate) unsafe fn appoint(this: *const Self) -> Option<Waiter> {
        // SAFETY: the contract is ours.
        unsafe { Record::tell(this, LEAD) }
    }

    /// The record may vanish during the call, so there is no reference to all of it, nor to its
    /// state in a call of our own.
    ///
    /// # Safety
    /// As `finish`.
    unsafe fn tell(this: *const Self, signal: u32) -> Option<Waiter> {
        // SAFETY: the record is there until it is told (contract), after which no thread uses this.
        let state = unsafe { &(*this).state };
        let mut turn = 0;
        loop {
            let seen = state.load(Ordering::Relaxed);
            debug_assert!(seen < DONE, "a record that is done is no other thread's");
            let next = match seen {
                WAITING | LEAD => signal,
                WATCHED => LOCKED,
                _ => {
                    pause(&mut turn);
                    continue;
                }
            };
            match state.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(WATCHED) => break,
                Ok(_) => return None,
                Err(_) => pause(&mut turn),
            }
        }
        // SAFETY: the record is there, as it is not told yet.
        let place = unsafe { &(*this).waiter };
        // SAFETY: we have locked it (*one at the waiter*).
        let waiter = place.with_mut(|w| unsafe { (*w).take() });
        state.store(signal, Ordering::Release);
        waiter
    }

    /// For the models: who touches the record from now on does it without leave, whether ordered
    /// after this or not.
    #[cfg(loom)]
    pub(crate) fn retire(&mut self) {
        self.waiter.with_mut(|_| ());
        self.outcome.with_mut(|_| ());
        self.batch.with_mut(|_| ());
        self.index.with_mut(|_| ());
        self.state.with_mut(|state| *state = GONE);
    }
}

//! The terms of the threads on a worker's seat: whether one sits there, and the next may come.
//!
//! A pool's worker may be without a thread: since it has not been started, since it sleeps and the
//! threads of the pool were to end (`ThreadPool::shutdown`), or since it is *off*: the pool has
//! been made smaller (`ThreadPool::resize`). A thread that wants something of it wakes it: if there
//! is no thread, one starts. So a worker without a thread differs from one that sleeps in what it
//! costs to wake it, and in nothing else.
//!
//! ```text
//!            call                          leave                         free
//!   EMPTY ─────────► SITS, a thread starts ──────► ENDS, it looks no ───────► EMPTY
//!                      ▲                           more, but sits there
//!                      │             free            │ call
//!                      └──────────────────── CALLED, the next starts
//! ```
//!
//! * `call`, by a thread that wakes the worker; if one sits there it is unparked instead. `leave`
//!   and `free`, by the thread that sits there: `free` when its record ends, and so its seat is
//!   given up. All of them under one lock of the pool.
//! * **One thread on a seat**: a thread is started where the seat is empty, or where the one before
//!   ends and none has been started since; it waits until that one has given the seat up.
//! * **No wake-up is lost.** A thread leaves only if nothing is to be done there:
//!
//!   ```text
//!     the thread that leaves               a thread that wakes the worker
//!     S1  ends := true                     W1  give it a role, a call, a seat in the pool
//!     S2  fence                            W2  fence
//!     S3  a role that is awake, a call?    W3  does a thread sit there that does not end?
//!         Then it stays                        then unpark it, else call
//!   ```
//!
//!   If W3 misses S1, then W2 comes before S2, and S3 sees W1.
//! * **Counted.** A worker counts as idle or busy (idle.rs) unless it is off. A call counts it,
//!   since a thread comes that then does so, or that leaves again. To leave as one that is off
//!   uncounts it; if it is without a thread, the thread that makes the pool smaller does so.
//! * **Spares** have such seats, too. A spare is turned on by the thread that wants it, and its own
//!   leaves only while it is not on; both look under a lock of theirs (spares.rs). So the former
//!   knows whether to unpark a thread or to call one, and turns none on while a thread ends there.
//!   A spare always counts here, so its term changes no number: it counts itself while it is on.

use super::{
    idle::Idle,
    primitive::{AtomicU32, Ordering, fence},
};

/// A thread sits there, or is about to, and will look what there is to do.
const SITS: u32 = 1;
/// A thread sits there that looks no more.
const ENDS: u32 = 2;
/// Another one waits for the seat.
const CALLED: u32 = 4;
/// The worker counts as idle or busy.
const COUNTED: u32 = 8;

/// The state of one seat. Written under the pool's lock.
#[derive(Debug)]
#[cfg_attr(explore, repr(align(128)))] // simulate.rs, *apart*
pub(crate) struct Term(AtomicU32);

impl Term {
    /// Of a worker that has a thread, or is asleep without one, or is off.
    pub(crate) fn new(has_thread: bool, is_on: bool) -> Self {
        let of = |bit, is_set| if is_set { bit } else { 0 };
        Term(AtomicU32::new(of(SITS, has_thread) | of(COUNTED, is_on)))
    }

    /// W2 and W3. Without the lock.
    pub(crate) fn has_thread(&self) -> bool {
        fence(Ordering::SeqCst);
        self.is(SITS)
    }

    fn is(&self, bit: u32) -> bool {
        self.0.load(Ordering::Acquire) & bit != 0
    }

    fn set(&self, state: u32) {
        self.0.store(state, Ordering::Release);
    }

    /// Calls a thread: the worker counts as idle, if it has not counted. If no thread sits there
    /// but one that ends, and none has been called, calls `start`, which returns whether it has
    /// started one. Returns false if the caller unparks the thread that sits there.
    pub(crate) fn call<E>(
        &self,
        idle: &Idle,
        start: impl FnOnce() -> Result<bool, E>,
    ) -> Result<bool, E> {
        let before = self.0.load(Ordering::Relaxed);
        let called = before | COUNTED;
        self.set(called);
        if before != called {
            idle.end_job();
        }
        let there = before & !COUNTED;
        if there & !ENDS == 0 && start()? {
            self.set(called | if there == ENDS { CALLED } else { SITS });
        }
        Ok(there != SITS)
    }

    /// Returns whether the thread that has been started has to wait for the seat.
    pub(crate) fn is_taken(&self) -> bool {
        self.is(ENDS)
    }

    /// Returns whether a thread sits there, if none ends there.
    pub(crate) fn sits(&self) -> Option<bool> {
        let now = self.0.load(Ordering::Acquire);
        (now & ENDS == 0).then_some(now & SITS != 0)
    }

    /// Returns whether a thread sits there and does not end, or is to come.
    pub(crate) fn lasts(&self) -> bool {
        self.is(SITS | CALLED)
    }

    /// Returns whether the worker counts as idle or busy.
    pub(crate) fn counts(&self) -> bool {
        self.is(COUNTED)
    }

    /// Returns whether it does not, and no thread sits there.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.load(Ordering::Acquire) == 0
    }

    /// S1 to S3 of the thread that sits there, whose worker is asleep: returns true if it ends.
    pub(crate) fn leave_asleep(&self, may_end: impl FnOnce() -> bool) -> bool {
        self.leave(COUNTED, may_end)
    }

    /// Does the same, for a worker that is off. It does not count when it looks, so what is queued
    /// after that sees that it is none of the idle ones.
    pub(crate) fn leave_as_off(&self, idle: &Idle, may_end: impl FnOnce() -> bool) -> bool {
        idle.begin_job();
        let ends = self.leave(0, may_end);
        if !ends {
            idle.end_job();
        }
        ends
    }

    fn leave(&self, counted: u32, may_end: impl FnOnce() -> bool) -> bool {
        self.set(ENDS | counted);
        fence(Ordering::SeqCst);
        let ends = may_end();
        if !ends {
            self.set(SITS | COUNTED);
        }
        ends
    }

    /// Its thread has given the seat up. Returns true if another one waits for it. A fence follows,
    /// as that of a spare looks whether one is missing.
    pub(crate) fn free(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        if before & ENDS == 0 {
            return false;
        }
        let is_called = before & CALLED != 0;
        self.set(before & COUNTED | if is_called { SITS } else { 0 });
        fence(Ordering::SeqCst);
        is_called
    }

    /// Uncounts the worker if it counts and has no thread, nor is one to come. Returns whether it
    /// does.
    pub(crate) fn lose(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        let is_asleep = self.counts() && !self.lasts();
        if is_asleep {
            self.set(before & !COUNTED);
        }
        is_asleep
    }

    /// There is no such thread: the worker is asleep without one.
    pub(crate) fn refused(&self) {
        self.set(COUNTED);
    }
}

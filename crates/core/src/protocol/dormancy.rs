//! Dormancy: how a pool sleeps without a clock and without losing a wake-up.
//!
//! The *leader* of the idle workers looks for work. If there is none it goes dormant (idle.rs says
//! when):
//!
//! ```text
//!   leader                               a busy thread's tick
//!   L1  dormant := true                  T1  lower the attention (read-modify-write)
//!   L2  fence                            T2  publish jobs
//!   L3  raise all threads' attention     T3  fence
//!   L4  fence                            T4  if dormant: dormant := false, unpark the leader
//!   L5  look at all slots again
//!   L6  none: sleep until unparked
//! ```
//!
//! **No lost wake-up.** Suppose a job is published (T2) and the leader sleeps (L6) although it is
//! still in its slot. The fences T3 and L4 are ordered: if L4 comes first, T4 sees L1 and wakes the
//! leader; if T3 comes first, L5 sees T2 and the leader does not sleep.
//!
//! **No lost flag.** While the leader sleeps, every thread whose next join could offer something
//! has its attention raised. For a thread whose tick T1 comes before L3 in the order of its word,
//! L3 raises it again. If T1 comes after L3 it reads the raised value, so L1 happens before T4,
//! which sees it: the leader is woken.
//!
//! A thread that becomes a member later starts out raised.
//!
//! Queueing a task, or a call for one worker, is also a publication: T2 to T4, with the queues
//! among the slots.

//! The pool's reserve (task/reserve.rs) sleeps in the same way, with nothing to raise.
//!
//! Invariant *named first*: a thread publishes its seat before it goes dormant (L1), so the thread
//! that ends its sleep (T4) sees the seat.

use super::primitive::{AtomicBool, AtomicPtr, Ordering, fence};
use crate::fault::{Fault, planted};
use std::ptr;

/// A thread of a pool that sleeps until it is needed: its leader, or its reserve. `M` is a seat.
pub(crate) struct Sleeper<M> {
    dormant: AtomicBool,
    /// Its seat, once it has been dormant.
    who: AtomicPtr<M>,
}

impl<M> Sleeper<M> {
    pub(crate) fn new() -> Self {
        Sleeper {
            dormant: AtomicBool::new(false),
            who: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Before the pool is shared: sets the state as if the thread that will sit on `me` had gone
    /// dormant.
    ///
    /// # Safety
    /// As [`enter`](Self::enter).
    pub(crate) unsafe fn begin(&self, me: &M) {
        self.who
            .store(ptr::from_ref(me).cast_mut(), Ordering::Relaxed);
        self.dormant.store(true, Ordering::Relaxed);
    }

    /// L1 to L6 of the calling thread, which sits on `me`: sleeps by `park` unless something
    /// `comes`, until it is woken or `is_over`.
    ///
    /// # Safety
    /// As [`enter`](Self::enter).
    pub(crate) unsafe fn sleep(
        &self,
        me: &M,
        raise_all: impl Fn(),
        comes: impl Fn() -> bool,
        is_over: impl Fn() -> bool,
        park: impl Fn(),
    ) {
        // SAFETY: the caller's.
        if unsafe { self.enter(me, raise_all, || comes() || is_over()) } {
            while self.is_dormant() && !is_over() {
                park();
            }
        }
    }

    /// L1 to L5. Returns true if the thread may sleep until `is_dormant` is false.
    ///
    /// # Safety
    /// `me` is valid for as long as this sleeper.
    pub(crate) unsafe fn enter(
        &self,
        me: &M,
        raise_all: impl Fn(),
        anything_offered: impl Fn() -> bool,
    ) -> bool {
        self.who
            .store(ptr::from_ref(me).cast_mut(), Ordering::Release);
        self.dormant.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        raise_all();
        fence(Ordering::SeqCst);
        if !planted(Fault::SleepWithoutRescan) && anything_offered() {
            self.dormant.store(false, Ordering::Relaxed);
            return false;
        }
        true
    }

    pub(crate) fn is_dormant(&self) -> bool {
        self.dormant.load(Ordering::Acquire)
    }

    /// T3 and T4, after a publication: returns the thread, if it is dormant and the caller must
    /// unpark it.
    pub(crate) fn wake(&self) -> Option<&M> {
        fence(Ordering::SeqCst);
        if !self.dormant.load(Ordering::Relaxed) || !self.dormant.swap(false, Ordering::AcqRel) {
            return None;
        }
        let who = self.who.load(Ordering::Acquire);
        debug_assert!(!who.is_null(), "a waker does not see the leader");
        // SAFETY: null, or set by the thread that went dormant (*named first*), and it stays
        // (contract of `enter`).
        unsafe { who.as_ref() }
    }
}

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

//! **Who sleeps.** The leader is in the roles (idle.rs). It sleeps in no other role, and where a
//! role passes to another worker, that is unparked, or the dormancy ends. So the thread that ends
//! the dormancy (T4) unparks the worker that leads by then: the one that sleeps, or an heir that is
//! awake, or will be.
//!
//! The pool's reserve (pool/reserve.rs) and the watch for stalls sleep in the same way, with
//! nothing to raise.

use super::primitive::{AtomicBool, Ordering, fence};

/// Whether a thread of a pool is dormant: its leader, its reserve, its watch.
#[derive(Debug)]
pub(crate) struct Sleeper {
    dormant: AtomicBool,
}

impl Sleeper {
    pub(crate) fn new() -> Self {
        Sleeper {
            dormant: AtomicBool::new(false),
        }
    }

    /// Before the pool is shared: as if the thread had gone dormant.
    pub(crate) fn begin(&self) {
        self.dormant.store(true, Ordering::Relaxed);
    }

    /// L1 to L6 of the calling thread: sleeps by `park` unless something `comes`, until it is woken
    /// or `is_over`.
    pub(crate) fn sleep(
        &self,
        raise_all: impl Fn(),
        comes: impl Fn() -> bool,
        is_over: impl Fn() -> bool,
        park: impl Fn(),
    ) {
        if self.enter(raise_all, || comes() || is_over()) {
            while self.is_dormant() && !is_over() {
                park();
            }
        }
    }

    /// L1 to L5. Returns true if the thread may sleep until `is_dormant` is false.
    pub(crate) fn enter(&self, raise_all: impl Fn(), anything_offered: impl Fn() -> bool) -> bool {
        self.dormant.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        raise_all();
        fence(Ordering::SeqCst);
        if anything_offered() {
            self.dormant.store(false, Ordering::Relaxed);
            return false;
        }
        true
    }

    pub(crate) fn is_dormant(&self) -> bool {
        self.dormant.load(Ordering::Acquire)
    }

    /// T3 and T4, after a publication: returns true if the thread is dormant and the caller must
    /// unpark it.
    pub(crate) fn wake(&self) -> bool {
        fence(Ordering::SeqCst);
        self.dormant.load(Ordering::Relaxed) && self.dormant.swap(false, Ordering::AcqRel)
    }
}

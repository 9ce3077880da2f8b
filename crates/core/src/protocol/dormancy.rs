//! Dormancy: how a pool sleeps without a clock and without losing a wake-up.
//!
//! The *leader* of the idle workers looks around. When there is nothing to do it goes dormant (when
//! exactly: idle.rs):
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
//! Queueing a task, or a call for one worker, is a publication like any other: T2 to T4, with the
//! queues among the slots.

use super::primitive::{AtomicBool, Ordering, fence};
use crate::fault::{Fault, planted};

#[derive(Debug)]
pub(crate) struct Dormancy {
    dormant: AtomicBool,
}

impl Dormancy {
    pub(crate) fn new() -> Self {
        Dormancy {
            dormant: AtomicBool::new(false),
        }
    }

    /// L1 to L5. True if the leader may sleep until `is_dormant` is false.
    pub(crate) fn enter(&self, raise_all: impl Fn(), anything_offered: impl Fn() -> bool) -> bool {
        if planted(Fault::ArmBeforeDormant) {
            raise_all();
        }
        let order = if planted(Fault::DormantRelaxed) {
            Ordering::Relaxed
        } else {
            Ordering::Release
        };
        self.dormant.store(true, order);
        if !planted(Fault::DormantWithoutFences) {
            fence(Ordering::SeqCst);
        }
        if !planted(Fault::ArmBeforeDormant) {
            raise_all();
        }
        if !planted(Fault::DormantWithoutFences) {
            fence(Ordering::SeqCst);
        }
        if !planted(Fault::SleepWithoutRescan) && anything_offered() {
            self.dormant.store(false, Ordering::Relaxed);
            return false;
        }
        true
    }

    pub(crate) fn is_dormant(&self) -> bool {
        self.dormant.load(Ordering::Acquire)
    }

    /// T3 and T4, after a publication. True if the caller has to unpark the leader; it sees what
    /// the leader wrote before it went dormant.
    pub(crate) fn wake(&self) -> bool {
        if !planted(Fault::WakeWithoutFence) {
            fence(Ordering::SeqCst);
        }
        self.dormant.load(Ordering::Relaxed) && self.dormant.swap(false, Ordering::AcqRel)
    }
}

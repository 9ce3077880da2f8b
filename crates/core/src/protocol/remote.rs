//! Remote promotion: another thread promotes a frame of one that does not answer.
//!
//! A thread offers its forks when it meets a demand, at its next join or poll (attention.rs). It
//! may come to none for long: it computes, or its first half waits for the second, on a channel
//! say. Meanwhile its frames would be no one's to take. So a thread that has asked it in vain does
//! the owner's part itself, while the owner keeps off.
//!
//! **The hot path pays no store and no fence.** It is Dekker's algorithm with barriers on one
//! side only: the owner orders its accesses for the compiler alone, and the other thread has the
//! system issue a barrier on all processors that run threads of this process (`membarrier`,
//! Linux). An owner that is not running then has passed a barrier when it was set aside. Where
//! the system has no such call there is no remote promotion.
//!
//! ```text
//!   owner, at the end of a join          another thread
//!   H1  the parent is the tail           R1  the frames' owner is being stood in for
//!   H2  compiler's barrier               R2  raises the owner's attention
//!   H3  is attention raised, or the      R3  the system's barrier
//!       frame promoted? If so, H4        R4  is the owner on its cold path? Then R7
//!   H4  waits while it is stood in for   R5  reads the tail, and the system's barrier again
//!                                        R6  promotes a frame of the chain, and offers it
//!   owner, on its cold path              R7  the owner is not stood in for any more
//!   C1  is on its cold path
//!   C2  compiler's barrier
//!   C3  waits while it is stood in for
//!   C4  changes its chain, its records, its offers
//!   C5  is not on its cold path any more
//! ```
//!
//! * **Frames stay.** If R5 sees a frame in the chain, then H1 comes after R3, and so does H3,
//!   which sees R2: the frame's join does not end before R7. If H3 misses R2, R5 does not see the
//!   frame. The same holds of the ends of loops, which wait (H4) without a look at their attention.
//! * **Raised.** The owner lowers its attention on its cold path. If that comes after R2, it sees
//!   R1 by the same exchange, and waits (H4) before it goes on: either R4 has seen C1, or the owner
//!   was not on its cold path until R7.
//! * **Alone.** If R4 misses C1, then C3 sees R1, and waits. So nothing that the owner changes on
//!   its cold path changes between R4 and R7; and contexts stay, since to enter or leave one is a
//!   part of the cold path.
//! * **Frames are whole.** What the tail leads to was written before the tail, which R5's barrier
//!   makes visible.
//! * **Short.** Between R1 and R7 no user code runs but the global allocator's, and the other
//!   thread waits for nothing. User code that runs on the owner's cold path (splitting, carriers)
//!   may take long: then R4 gives up.
//! * **Seldom.** The barrier interrupts all threads of the process that run. So a thread that finds
//!   nothing to promote notes for which demand, before R3, and there is no other attempt for the
//!   same. Each fork since R2 offers itself. A thread that declines a job undoes the note: either
//!   the attempt has seen that, or its note came first.
//! * A child of fork(2) may find its thread stood in for by one that it does not have. So R1 names
//!   the process.

use super::attention;
use super::primitive::{
    AtomicBool, AtomicU32, AtomicUsize, Ordering, heavy_barrier, light_barrier, process, yield_now,
};

/// One thread's part in this.
#[cfg_attr(loom, derive(Default))]
pub(crate) struct Remote {
    /// Whether the owner is on its cold path.
    is_cold: AtomicBool,
    /// The process of the thread that stands in for the owner; 0 if none does.
    by: AtomicU32,
}

/// The owner is on its cold path until this is dropped.
pub(crate) struct Cold<'r> {
    remote: &'r Remote,
    before: bool,
}

impl Remote {
    /// (Loom's cannot be constant.)
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Remote {
            is_cold: AtomicBool::new(false),
            by: AtomicU32::new(0),
        }
    }

    /// H4.
    #[inline(always)]
    pub(crate) fn pass(&self) {
        if self.by.load(Ordering::Acquire) != 0 {
            self.wait();
        }
    }

    #[cold]
    #[inline(never)]
    fn wait(&self) {
        let here = process();
        while self.by.load(Ordering::Acquire) == here {
            yield_now();
        }
    }

    /// C1 to C3.
    #[inline]
    pub(crate) fn begin_cold(&self) -> Cold<'_> {
        let before = self.is_cold.load(Ordering::Relaxed);
        self.is_cold.store(true, Ordering::Relaxed);
        light_barrier();
        self.pass();
        Cold {
            remote: self,
            before,
        }
    }

    /// Lowers the owner's attention, for the owner.
    pub(crate) fn lower(&self, word: &AtomicUsize, floor: usize) {
        attention::lower(word, floor);
        self.pass();
    }

    /// R1 to R7: calls `f`, which does not unwind, in place of the owner, whose word this is,
    /// unless that is on its cold path or another thread stands in for it.
    pub(crate) fn stand_in<R>(&self, word: &AtomicUsize, f: impl FnOnce() -> R) -> Option<R> {
        let here = process();
        let free = self
            .by
            .compare_exchange(0, here, Ordering::Acquire, Ordering::Relaxed);
        free.ok()?;
        attention::raise_own(word);
        let is_alone = heavy_barrier() && !self.is_cold.load(Ordering::Acquire);
        let result = is_alone.then(f);
        self.by.store(0, Ordering::Release);
        result
    }
}

impl Drop for Cold<'_> {
    #[inline]
    fn drop(&mut self) {
        self.remote.is_cold.store(self.before, Ordering::Release);
    }
}

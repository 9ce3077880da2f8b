//! The processor of a member's thread, and waking it on another one (pool/cpu_placement.rs says
//! when, and why it leaves *no trace*).

use crate::{
    os::{self, CALLING, Processors},
    protocol::parker::Parker,
};
use std::sync::{
    OnceLock,
    atomic::{AtomicI32, AtomicU32, Ordering},
};

const NO_CPU: u32 = u32::MAX;

/// The processor on which a member's thread was last active, and those on which it may wake up.
pub(crate) struct Cpu {
    /// `NO_CPU` if it is not active. Only the seated thread writes it; for all others it is a hint.
    active: AtomicU32,
    /// The thread of the worker or the reserve that sits here, else 0.
    thread: AtomicI32,
    /// The processor that it was kept off, `NO_CPU` if none. Written under the parker's lock while
    /// the worker is parked; reset once it may use all again.
    kept_off: AtomicU32,
}

impl Cpu {
    pub(crate) fn new() -> Self {
        Cpu {
            active: AtomicU32::new(NO_CPU),
            thread: AtomicI32::new(0),
            kept_off: AtomicU32::new(NO_CPU),
        }
    }

    /// Records that the calling thread, which sits here, is active.
    pub(crate) fn note(&self) {
        let cpu = os::current_cpu().unwrap_or(NO_CPU);
        self.active.store(cpu, Ordering::Relaxed);
    }

    /// Records that it is not.
    pub(crate) fn forget(&self) {
        self.active.store(NO_CPU, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<u32> {
        let cpu = self.active.load(Ordering::Relaxed);
        (cpu != NO_CPU).then_some(cpu)
    }

    /// Records the calling thread as the one that sits here.
    pub(crate) fn settle(&self) {
        self.thread.store(os::this_thread(), Ordering::Relaxed);
    }

    /// Records that it leaves.
    pub(crate) fn leave(&self) {
        self.thread.store(CALLING, Ordering::Relaxed);
    }

    /// Wakes the worker that sits here with this parker, if it is parked, on another processor than
    /// that of the calling thread.
    pub(crate) fn wake_elsewhere(&self, parker: &Parker) {
        parker.unpark_after(|| self.keep_off());
        // It has a processor now, which it keeps.
        let thread = self.thread.load(Ordering::Relaxed);
        if thread != CALLING {
            self.give_back(thread);
        }
    }

    /// For a thread that goes on computing: keeps the parked worker off its processor.
    fn keep_off(&self) {
        let thread = self.thread.load(Ordering::Relaxed);
        let (Some(cpu), Some(all)) = (os::current_cpu(), *online()) else {
            return;
        };
        let free = all.without(cpu);
        if thread == CALLING || free.is_empty() || os::processors(thread) != Some(all) {
            return;
        }
        self.kept_off.store(cpu, Ordering::Relaxed);
        os::set_processors(thread, &free);
    }

    /// For the worker, which has been parked: allows it all processors again.
    pub(crate) fn spread(&self) {
        self.give_back(CALLING);
    }

    /// Allows the worker, which is `thread`, all processors again. A second call does nothing, or
    /// the same again.
    fn give_back(&self, thread: i32) {
        let cpu = self.kept_off.load(Ordering::Relaxed);
        if cpu != NO_CPU {
            self.end_of_keeping_off(thread, cpu);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_of_keeping_off(&self, thread: i32, cpu: u32) {
        let given = online().map(|all| all.without(cpu));
        if given.is_some() && os::processors(thread) == given {
            os::set_processors(thread, &Processors::ALL);
        }
        self.kept_off.store(NO_CPU, Ordering::Relaxed);
    }
}

/// Returns all processors of the system, as they were at the first call.
pub(crate) fn online() -> &'static Option<Processors> {
    static ONLINE: OnceLock<Option<Processors>> = OnceLock::new();
    // They are read before the lock is taken: a child of fork would wait for a thread that has it.
    ONLINE.get().unwrap_or_else(|| {
        let online = os::online_processors();
        ONLINE.get_or_init(|| online)
    })
}

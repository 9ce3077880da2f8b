//! The processor on which a thread was last active.
//!
//! Only the thread that sits there writes it; for all others it is a hint.

use crate::{
    os,
    protocol::primitive::{AtomicU32, Ordering},
};

/// No processor.
pub(crate) const NO_CPU: u32 = u32::MAX;

/// `NO_CPU` if the thread is not active.
pub(crate) struct Cpu(AtomicU32);

impl Cpu {
    pub(crate) fn new() -> Self {
        Cpu(AtomicU32::new(NO_CPU))
    }

    /// Records that the calling thread is active.
    pub(crate) fn note(&self) {
        self.0
            .store(os::current_cpu().unwrap_or(NO_CPU), Ordering::Relaxed);
    }

    /// Records that it is not.
    pub(crate) fn forget(&self) {
        self.0.store(NO_CPU, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<u32> {
        let cpu = self.0.load(Ordering::Relaxed);
        (cpu != NO_CPU).then_some(cpu)
    }
}

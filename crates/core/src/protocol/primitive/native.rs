//! std's and the system's, but for what WebAssembly has not.

pub(crate) use super::cell::{UnsafeCell, thread_token};
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use crate::wasm::{Instant, spin_loop};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::{hint::spin_loop, time::Instant};
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

use crate::os;
pub(crate) use crate::os::process;
use std::{
    io,
    sync::atomic::compiler_fence,
    thread::{Builder, JoinHandle, Result, available_parallelism, sleep},
    time::Duration,
};

/// A lock of the whole process. No panic happens under it.
pub(crate) type ProcessLock = Mutex<()>;

/// Returns the number of processors, if the system reports it. Reads some files.
pub(crate) fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Fails the calling thread's schedule, which would meet threads of others: there is none.
#[inline(always)]
pub(crate) const fn meet_no_others() {}

/// Returns `work` where the calling thread has no schedule, which could run it on a new thread: it
/// never has.
#[inline(always)]
pub(crate) fn leave_to_schedule<F>(work: F) -> Option<F> {
    Some(work)
}

/// One side of an asymmetric barrier: together with [`heavy_barrier`] on another thread this is a
/// sequentially consistent fence on both. It is for the compiler alone, and takes no instruction.
#[inline(always)]
pub(crate) fn light_barrier() {
    compiler_fence(Ordering::SeqCst);
}

/// Returns whether the system has a [`heavy_barrier`]. ThreadSanitizer knows of none.
pub(crate) fn has_heavy_barrier() -> bool {
    !cfg!(tsan) && os::has_heavy_barrier()
}

/// The other side. Returns false if the system has no such barrier.
pub(crate) fn heavy_barrier() -> bool {
    has_heavy_barrier() && os::heavy_barrier()
}

/// Waits for another thread for a moment, for the nth time in a row.
pub(crate) fn back_off(nth: u32) {
    if nth < 64 || cfg!(target_family = "wasm") {
        yield_now();
    } else {
        sleep(Duration::from_micros(50));
    }
}

/// Starts a thread of a pool. In a box, so that std's code is compiled once.
pub(crate) fn spawn(
    builder: Builder,
    f: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    builder.spawn(Box::new(f) as Box<dyn FnOnce() + Send>)
}

/// Waits for the end of the thread.
pub(crate) fn join(handle: JoinHandle<()>) -> Result<()> {
    handle.join()
}

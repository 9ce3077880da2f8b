//! The atomics, locks and cells that the protocols use: std's; loom's when the models run; the
//! schedule explorer's under `explore`. Everything that the models check takes them from here, and
//! all that the explorer runs takes its clock and threads from here, too.

#[cfg(explore)]
pub(crate) use crate::explore::primitive::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Condvar, Instant, Mutex, MutexGuard,
    Ordering, ProcessLock, fence, join, processors, spawn, spin_loop, yield_now,
};
#[cfg(not(any(
    loom,
    explore,
    all(
        target_family = "wasm",
        target_os = "unknown",
        not(target_feature = "atomics")
    )
)))]
pub(crate) use std::hint::spin_loop;
#[cfg(not(any(loom, explore, all(target_family = "wasm", target_os = "unknown"))))]
pub(crate) use std::time::Instant;
#[cfg(not(any(loom, explore)))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

#[cfg(all(
    target_family = "wasm",
    target_os = "unknown",
    not(target_feature = "atomics")
))]
pub(crate) use crate::alone::{Instant, wait_alone as spin_loop};
#[cfg(all(
    target_family = "wasm",
    target_os = "unknown",
    target_feature = "atomics"
))]
pub(crate) use crate::web::Instant;

#[cfg(not(any(loom, explore)))]
pub(crate) use thread::{join, processors, spawn};

#[cfg(loom)]
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
};

/// std's cell with the face of loom's, which notices when two use it at once.
#[cfg(not(loom))]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls `f` with a pointer that is to be used there only, to read.
    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    /// Calls `f` with a pointer that is to be used there only.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

#[cfg(not(any(loom, explore)))]
mod thread {
    use std::{
        io,
        thread::{Builder, JoinHandle, Result, available_parallelism},
    };

    /// How many processors there are, as far as the system tells. Reads some files.
    pub(crate) fn processors() -> usize {
        available_parallelism().map_or(1, usize::from)
    }

    /// Starts a thread of a pool.
    pub(crate) fn spawn(
        builder: Builder,
        f: impl FnOnce() + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        builder.spawn(f)
    }

    /// Waits for its end.
    pub(crate) fn join(handle: JoinHandle<()>) -> Result<()> {
        handle.join()
    }
}

#[cfg(loom)]
pub(crate) use process::ProcessLock;

#[cfg(loom)]
mod process {
    use super::{Mutex, MutexGuard, lock};

    loom::lazy_static! {
        /// A new one for each interleaving.
        static ref LOCK: Mutex<()> = Mutex::new(());
    }

    pub(crate) struct ProcessLock(());

    impl ProcessLock {
        pub(crate) const fn new(nothing: ()) -> Self {
            ProcessLock(nothing)
        }

        pub(crate) fn lock(&self) -> MutexGuard<'static, ()> {
            lock(&LOCK)
        }
    }
}

/// A lock of the whole process. No panic happens under it.
#[cfg(not(any(loom, explore)))]
pub(crate) type ProcessLock = Mutex<()>;

/// Locks; a poisoned lock is entered all the same.
/// No user code ever runs under these locks, and each critical section leaves its data whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

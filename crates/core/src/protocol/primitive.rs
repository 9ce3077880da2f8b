//! The atomics, locks and cells that the protocols use: std's; loom's when the models run; the
//! schedule explorer's under `explore`. All code that the models check takes them from here, and
//! all code that the explorer runs also takes its clock and threads from here.

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
pub(crate) use {
    super::loom_atomics::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence, wrong_here,
    },
    loom::{
        cell::UnsafeCell,
        sync::{Condvar, Mutex, MutexGuard},
    },
    std::sync::atomic::Ordering,
};

/// std's cell with the interface of loom's, which detects concurrent uses.
#[cfg(not(loom))]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls `f` with a pointer that must be used only there, to read.
    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    /// Calls `f` with a pointer that must be used only there.
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

    /// Returns the number of processors, if the system reports it. Reads some files.
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

    /// Waits for the end of the thread.
    pub(crate) fn join(handle: JoinHandle<()>) -> Result<()> {
        handle.join()
    }
}

#[cfg(loom)]
pub(crate) use process::ProcessLock;

#[cfg(loom)]
mod process {
    use super::{Mutex, MutexGuard, lock, wrong_here};

    loom::lazy_static! {
        /// A new one for each interleaving.
        static ref LOCK: Mutex<()> = Mutex::new(());
    }

    pub(crate) struct ProcessLock(());

    impl ProcessLock {
        pub(crate) const fn new(nothing: ()) -> Self {
            ProcessLock(nothing)
        }

        /// Unless a planted fault leaves it out.
        #[track_caller]
        pub(crate) fn lock(&self) -> Option<MutexGuard<'static, ()>> {
            wrong_here().is_none().then(|| lock(&LOCK))
        }
    }
}

/// A lock of the whole process. No panic happens under it.
#[cfg(not(any(loom, explore)))]
pub(crate) type ProcessLock = Mutex<()>;

/// Locks, ignoring poison. No user code runs under these locks, and each critical section leaves
/// its data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

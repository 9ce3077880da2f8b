//! The atomics, locks, cells and threads that the protocol uses: std's, or loom's when the models
//! run.

#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::{
        Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    thread::yield_now,
};

#[cfg(loom)]
pub(crate) use {
    loom::{
        cell::UnsafeCell,
        hint::spin_loop,
        sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
        thread::yield_now,
    },
    loom_atomics::{AtomicPtr, AtomicU64, AtomicUsize},
    std::sync::atomic::Ordering,
    thorough::AtomicU32,
};

#[cfg(loom)]
#[path = "../../core/src/protocol/faulty.rs"]
pub(crate) mod faulty;

#[cfg(loom)]
#[path = "../../core/src/protocol/loom_atomics.rs"]
pub(crate) mod loom_atomics;

/// std's cell with the interface of loom's, which detects concurrent uses.
#[cfg(not(loom))]
#[derive(Debug)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls `f` with a pointer that must be used only there.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

#[cfg(not(loom))]
pub(crate) use sumac_core::{coarse_nanos, swallow};

/// Time stands still in models.
#[cfg(loom)]
pub(crate) fn coarse_nanos() -> u64 {
    0
}

/// Nothing panics in models.
#[cfg(loom)]
pub(crate) fn swallow(f: impl FnOnce()) {
    f();
}

/// Locks, ignoring poison: no user code runs under our locks, and each critical section leaves its
/// data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits for another thread that needs only a few instructions more, unless it has been
/// interrupted.
pub(crate) fn pause(turn: &mut u32) {
    *turn += 1;
    if *turn % 64 == 0 || cfg!(loom) {
        yield_now();
    } else {
        spin_loop();
    }
}

/// Waits for a thread that may need longer: sleeps for a moment.
pub(crate) fn nap() {
    #[cfg(not(loom))]
    std::thread::sleep(std::time::Duration::from_micros(50));
    #[cfg(loom)]
    yield_now();
}

/// loom looks for other interleavings at the last access to an atomic only. So if a thread has
/// looked at it, and another looks and then changes it, loom does not try the change before the
/// first look. Here each access is preceded by one that loom takes for a change, of another atomic:
/// it tries all orders of these. They order nothing else, and what a look may see stays with loom.
#[cfg(loom)]
mod thorough {
    use super::{Ordering, loom_atomics};

    #[derive(Debug)]
    pub(crate) struct AtomicU32 {
        value: loom_atomics::AtomicU32,
        turn: loom_atomics::AtomicU32,
    }

    impl AtomicU32 {
        pub(crate) fn new(value: u32) -> Self {
            AtomicU32 {
                value: loom_atomics::AtomicU32::new(value),
                turn: loom_atomics::AtomicU32::new(0),
            }
        }

        fn value(&self) -> &loom_atomics::AtomicU32 {
            self.turn.fetch_or(0, Ordering::Relaxed);
            &self.value
        }

        #[track_caller]
        pub(crate) fn load(&self, order: Ordering) -> u32 {
            self.value().load(order)
        }

        #[track_caller]
        pub(crate) fn store(&self, value: u32, order: Ordering) {
            self.value().store(value, order);
        }

        #[track_caller]
        pub(crate) fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
            self.value().fetch_or(bits, order)
        }

        #[track_caller]
        pub(crate) fn fetch_and(&self, bits: u32, order: Ordering) -> u32 {
            self.value().fetch_and(bits, order)
        }

        #[track_caller]
        pub(crate) fn fetch_sub(&self, n: u32, order: Ordering) -> u32 {
            self.value().fetch_sub(n, order)
        }

        #[track_caller]
        pub(crate) fn compare_exchange(
            &self,
            from: u32,
            to: u32,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u32, u32> {
            self.value().compare_exchange(from, to, success, failure)
        }

        pub(crate) fn with_mut<R>(&mut self, f: impl FnOnce(&mut u32) -> R) -> R {
            self.value.with_mut(f)
        }
    }
}

//! The atomics, locks and threads that the protocol uses: std's, or loom's when the models run.

#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::{
        Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{Thread, yield_now},
};

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::{
        Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{Thread, yield_now},
};

#[cfg(not(loom))]
pub(crate) use sumac_core::coarse_nanos;

/// Time stands still in models.
#[cfg(loom)]
pub(crate) fn coarse_nanos() -> u64 {
    0
}

/// Locks; a poisoned lock is entered all the same: no user code runs under our locks, and each critical section leaves its data whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits for another thread that is a few instructions away from what we wait for, unless it has been interrupted.
pub(crate) fn pause(turn: &mut u32) {
    *turn += 1;
    if *turn % 64 == 0 || cfg!(loom) {
        yield_now();
    } else {
        spin_loop();
    }
}

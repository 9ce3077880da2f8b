//! The atomics, locks and cells that the protocols use: std's; loom's when the models run; the
//! schedule explorer's under `explore`. All code that the models check takes them from here, and
//! all code that the explorer runs also takes its clock and threads from here.

#[cfg(not(loom))]
mod cell;
#[cfg(loom)]
mod checked;
#[cfg(not(any(loom, explore)))]
mod native;

#[cfg(loom)]
pub(crate) use self::checked::*;
#[cfg(not(any(loom, explore)))]
pub(crate) use self::native::*;
#[cfg(explore)]
pub(crate) use {
    self::cell::{UnsafeCell, thread_token},
    crate::explore::primitive::*,
};

use std::{
    mem::ManuallyDrop,
    ops::{Deref, DerefMut},
};

/// One side of an asymmetric barrier: together with [`heavy_barrier`] on another thread this is a
/// sequentially consistent fence on both. It is for the compiler alone, and takes no instruction.
#[cfg_attr(loom, track_caller)]
#[inline(always)]
pub(crate) fn light_barrier() {
    #[cfg(loom)]
    fence(Ordering::SeqCst);
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}

/// Returns whether the system has a [`heavy_barrier`]. ThreadSanitizer knows of none.
pub(crate) fn has_heavy_barrier() -> bool {
    #[cfg(any(loom, explore))]
    let has = true;
    #[cfg(not(any(loom, explore)))]
    let has = !cfg!(tsan) && crate::os::has_heavy_barrier();
    has
}

/// The other side. Returns false if the system has no such barrier.
#[cfg_attr(loom, track_caller)]
pub(crate) fn heavy_barrier() -> bool {
    // In the explorer one thread at a time runs, and all see the same.
    #[cfg(any(loom, explore))]
    let passed = {
        fence(Ordering::SeqCst);
        true
    };
    #[cfg(not(any(loom, explore)))]
    let passed = has_heavy_barrier() && crate::os::heavy_barrier();
    passed
}

/// Returns the calling process, not 0.
pub(crate) fn process() -> u32 {
    #[cfg(loom)]
    let process = 1;
    #[cfg(not(loom))]
    let process = crate::os::process();
    process
}

/// A lock that is held.
pub(crate) struct Locked<'m, T>(ManuallyDrop<MutexGuard<'m, T>>);

/// Locks, ignoring poison. No user code runs under these locks, and each critical section leaves
/// its data consistent.
///
/// Neither this nor the unlocking is inlined: what std does about poison would be most of the code
/// around.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> Locked<'_, T> {
    Locked(ManuallyDrop::new(lock_to_wait(mutex)))
}

/// Does as [`lock`], for a thread that waits for a condition.
#[inline(never)]
pub(crate) fn lock_to_wait<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[inline(never)]
fn unlock<T>(guard: MutexGuard<'_, T>) {
    drop(guard);
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Locked<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Locked<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: nothing uses the guard after this, the only place that takes it.
        unlock(unsafe { ManuallyDrop::take(&mut self.0) });
    }
}

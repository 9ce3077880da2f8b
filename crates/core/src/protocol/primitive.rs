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

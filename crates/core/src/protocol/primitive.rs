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
pub(crate) use {self::cell::UnsafeCell, crate::explore::primitive::*};

/// Locks, ignoring poison. No user code runs under these locks, and each critical section leaves
/// its data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

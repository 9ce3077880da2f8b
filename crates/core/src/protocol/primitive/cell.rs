//! What std and the explorer have in common: the cell, and tokens of threads.

use std::{cell::Cell, ptr};

/// Returns a number other than 0 that no other living thread has.
#[inline(always)]
pub(crate) fn thread_token() -> usize {
    thread_local!(static HERE: Cell<u8> = const { Cell::new(0) });
    HERE.with(ptr::from_ref).addr()
}

/// std's cell with the interface of loom's, which detects concurrent uses.
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

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

//! Loom's.

use crate::protocol::loom_atomics::wrong_here;
pub(crate) use crate::protocol::loom_atomics::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence,
};
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::{Condvar, Mutex, MutexGuard},
};
pub(crate) use std::sync::atomic::Ordering;

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
        wrong_here().is_none().then(|| super::lock(&LOCK))
    }
}

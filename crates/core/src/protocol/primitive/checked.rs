//! Loom's, whose uses can go wrong as a planted step says.

pub(crate) use crate::protocol::loom_atomics::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence,
};
use crate::protocol::{faulty::Wrong, loom_atomics::wrong_here};
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::{Mutex, MutexGuard},
    thread::yield_now,
};
pub(crate) use std::sync::atomic::Ordering;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Deref,
};

pub(crate) fn back_off(_: u32) {
    yield_now();
}

#[track_caller]
pub(crate) fn light_barrier() {
    fence(Ordering::SeqCst);
}

#[track_caller]
pub(crate) fn heavy_barrier() -> bool {
    fence(Ordering::SeqCst);
    true
}

pub(crate) fn process() -> u32 {
    1
}

/// Returns a number other than 0 that no other thread has.
pub(crate) fn thread_token() -> usize {
    let mut hasher = DefaultHasher::new();
    loom::thread::current().id().hash(&mut hasher);
    hasher.finish() as usize | 1
}

loom::lazy_static! {
    /// A new one for each interleaving.
    static ref LOCK: Mutex<()> = Mutex::new(());
}

#[derive(Debug)]
pub(crate) struct Condvar(loom::sync::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Condvar(loom::sync::Condvar::new())
    }

    #[track_caller]
    pub(crate) fn notify_one(&self) {
        if wrong_here() != Some(Wrong::LeftOut) {
            self.0.notify_one();
        }
    }
}

impl Deref for Condvar {
    type Target = loom::sync::Condvar;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

pub(crate) struct ProcessLock(());

impl ProcessLock {
    pub(crate) const fn new(nothing: ()) -> Self {
        ProcessLock(nothing)
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> Option<super::Locked<'static, ()>> {
        wrong_here().is_none().then(|| super::lock(&LOCK))
    }
}

//! Atomics, locks, threads and a clock whose uses are steps of a schedule. On threads without a
//! schedule they are std's.

use super::{
    current::{with_current, wrong_here},
    simulate::Cost,
    state::{Key, Step},
};
use crate::protocol::faulty::Wrong;
use std::{
    io,
    ops::{Deref, DerefMut},
    ptr,
    sync::{LockResult, PoisonError, TryLockError, TryLockResult, atomic},
    thread,
    time::Duration,
};

pub(crate) use super::current::{leave_to_schedule, meet_no_others};
pub(crate) use crate::os::process;
pub(crate) use atomic::Ordering;

fn step(cost: Cost) {
    with_current(|schedule, me| schedule.step(me, Step::Access, cost));
}

/// Returns whether a planted fault makes two steps of this change.
#[track_caller]
fn is_apart() -> bool {
    wrong_here() == Some(Wrong::Apart)
}

/// No step, but it takes time in a simulation.
pub(crate) fn fence(order: Ordering) {
    with_current(|schedule, me| schedule.pay(me, Cost::Fence));
    atomic::fence(order);
}

/// An atomic of std whose accesses are steps.
macro_rules! atomic {
    ($name:ident$(<$t:ident>)?, $inner:ty, $value:ty,
            $($cost:ident $method:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub(crate) struct $name$(<$t>)?($inner);

        #[allow(dead_code)]
        impl$(<$t>)? $name$(<$t>)? {
            pub(crate) const fn new(value: $value) -> Self {
                $name(<$inner>::new(value))
            }

            pub(crate) fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                good: Ordering,
                bad: Ordering,
            ) -> Result<$value, $value> {
                if !is_apart() {
                    step(Cost::Change(ptr::from_ref(self).addr()));
                    return self.0.compare_exchange(old, new, good, bad);
                }
                let seen = self.load(Ordering::Acquire);
                if seen != old {
                    return Err(seen);
                }
                self.store(new, Ordering::Release);
                Ok(seen)
            }

            $(#[track_caller]
            pub(crate) fn $method(&self, $($arg: $type),*) -> $result {
                let seen = is_apart().then(|| self.load(Ordering::Acquire));
                step(Cost::$cost(ptr::from_ref(self).addr()));
                seen.into_iter().for_each(|seen| self.0.store(seen, Ordering::Release));
                self.0.$method($($arg),*)
            })*
        }
    };
}

macro_rules! plain {
    ($name:ident$(<$t:ident>)?, $inner:ty, $value:ty, $($more:tt)*) => {
        atomic! {
            $name$(<$t>)?, $inner, $value,
            Load load(order: Ordering) -> $value;
            Store store(value: $value, order: Ordering) -> ();
            Change swap(value: $value, order: Ordering) -> $value;
            $($more)*
        }
    };
}

macro_rules! integer {
    ($name:ident, $value:ty) => {
        plain! {
            $name, atomic::$name, $value,
            Change fetch_add(value: $value, order: Ordering) -> $value;
            Change fetch_sub(value: $value, order: Ordering) -> $value;
            Change fetch_max(value: $value, order: Ordering) -> $value;
            Change fetch_min(value: $value, order: Ordering) -> $value;
            Change fetch_or(value: $value, order: Ordering) -> $value;
        }
    };
}

plain! { AtomicBool, atomic::AtomicBool, bool, }
plain! { AtomicPtr<T>, atomic::AtomicPtr<T>, *mut T, }
integer! { AtomicU32, u32 }
integer! { AtomicU64, u64 }
integer! { AtomicUsize, usize }

/// A lock that blocks its schedule's threads, not the system's.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

#[derive(Debug)]
pub(crate) struct MutexGuard<'m, T> {
    mutex: &'m Mutex<T>,
    /// `None` in `drop` only.
    held: Option<std::sync::MutexGuard<'m, T>>,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Mutex(std::sync::Mutex::new(value))
    }

    fn key(&self) -> Key {
        Key::At(ptr::from_ref(self).addr())
    }

    fn guard<'m>(&'m self, held: std::sync::MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        MutexGuard {
            mutex: self,
            held: Some(held),
        }
    }

    pub(crate) fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }

    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        loop {
            match self.try_lock() {
                Ok(guard) => return Ok(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Err(poisoned),
                Err(TryLockError::WouldBlock) => {
                    let key = self.key();
                    let blocked = with_current(|schedule, me| schedule.block(me, key, None));
                    if blocked.is_none() {
                        thread::yield_now();
                    }
                }
            }
        }
    }

    pub(crate) fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        step(Cost::Lock(ptr::from_ref(self).addr()));
        match self.0.try_lock() {
            Ok(held) => Ok(self.guard(held)),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(poisoned)) => {
                let guard = self.guard(poisoned.into_inner());
                Err(PoisonError::new(guard).into())
            }
        }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.held.as_ref().expect("held until it is dropped")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_mut().expect("held until it is dropped")
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.held.take());
        with_current(|schedule, _| schedule.wake(self.mutex.key(), true));
    }
}

/// A lock of the whole process: here each schedule has its own.
#[derive(Debug)]
pub(crate) struct ProcessLock(());

impl ProcessLock {
    pub(crate) const fn new(nothing: ()) -> Self {
        ProcessLock(nothing)
    }

    pub(crate) fn lock(&self) -> Option<LockResult<MutexGuard<'static, ()>>> {
        with_current(|schedule, _| schedule.process.lock())
    }
}

/// A condition; only for threads of a schedule.
#[derive(Debug, Default)]
pub(crate) struct Condvar {
    /// It has an address of its own.
    _place: u8,
}

impl Condvar {
    pub(crate) const fn new() -> Self {
        Condvar { _place: 0 }
    }

    fn key(&self) -> Key {
        Key::At(ptr::from_ref(self).addr())
    }

    fn block<'m, T>(&self, guard: MutexGuard<'m, T>, after: Option<u64>) -> MutexGuard<'m, T> {
        let mutex = guard.mutex;
        drop(guard);
        // No step lies between the two.
        with_current(|schedule, me| schedule.block(me, self.key(), after));
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait<'m, T>(&self, guard: MutexGuard<'m, T>) -> LockResult<MutexGuard<'m, T>> {
        Ok(self.block(guard, None))
    }

    /// The second of the pair carries no information, since std's may be wrong as well.
    pub(crate) fn wait_timeout<'m, T>(
        &self,
        guard: MutexGuard<'m, T>,
        after: Duration,
    ) -> LockResult<(MutexGuard<'m, T>, ())> {
        Ok((self.block(guard, Some(nanos(after))), ()))
    }

    /// Unless a planted fault leaves it out.
    #[track_caller]
    pub(crate) fn notify_one(&self) {
        if wrong_here() != Some(Wrong::LeftOut) {
            self.notify(false);
        }
    }

    pub(crate) fn notify_all(&self) {
        self.notify(true);
    }

    fn notify(&self, all: bool) {
        step(Cost::Change(ptr::from_ref(self).addr()));
        with_current(|schedule, me| {
            schedule.wake(self.key(), all);
            schedule.pay(me, Cost::Unpark);
        });
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A point in the schedule's time. For a thread without a schedule, time stands still.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(u64);

impl Instant {
    pub(crate) fn now() -> Self {
        let now = with_current(|schedule, me| {
            schedule.pay(me, Cost::Clock);
            schedule.now()
        });
        Instant(now.unwrap_or(0))
    }

    pub(crate) fn elapsed(self) -> Duration {
        Duration::from_nanos(Instant::now().0.saturating_sub(self.0))
    }
}

/// Returns the number of processors that pools see.
pub(crate) fn processors() -> usize {
    with_current(|schedule, _| schedule.processors()).unwrap_or(1)
}

pub(crate) fn back_off(_: u32) {
    yield_now();
}

/// One thread at a time runs, and all see the same.
pub(crate) fn light_barrier() {}

pub(crate) fn has_heavy_barrier() -> bool {
    true
}

pub(crate) fn heavy_barrier() -> bool {
    fence(Ordering::SeqCst);
    true
}

pub(crate) fn yield_now() {
    with_current(|schedule, me| schedule.step(me, Step::Yield, Cost::Yield));
}

pub(crate) fn spin_loop() {
    with_current(|schedule, me| schedule.step(me, Step::Yield, Cost::Spin));
}

pub(crate) fn spawn<T: Send + 'static>(
    builder: thread::Builder,
    f: impl FnOnce() -> T + Send + 'static,
) -> io::Result<thread::JoinHandle<T>> {
    match with_current(|schedule, _| schedule) {
        Some(schedule) if schedule.refuses_a_thread() => {
            // That may take the system long.
            (0..schedule.random(100)).for_each(|_| yield_now());
            Err(io::Error::other("refused"))
        }
        Some(schedule) => Ok(schedule.start(builder, f)),
        None => builder.spawn(f),
    }
}

pub(crate) fn join<T>(handle: thread::JoinHandle<T>) -> thread::Result<T> {
    step(Cost::Fence);
    with_current(|schedule, me| schedule.wait_for_end(me, handle.thread().id()));
    handle.join()
}

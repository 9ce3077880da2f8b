//! Loom's atomics, whose uses can go wrong as a planted step says. The crate of batches has this
//! file, too.

use super::faulty::{Step, Wrong};
use loom::sync::atomic;
use std::{
    panic::Location,
    sync::{OnceLock, atomic::Ordering},
};

static PLANTED: OnceLock<Step> = OnceLock::new();

/// From now on this step goes wrong.
pub(crate) fn plant(step: Step) {
    PLANTED.set(step).expect("one fault at a time");
}

#[track_caller]
pub(crate) fn wrong_here() -> Option<Wrong> {
    PLANTED.get()?.wrong_at(Location::caller())
}

#[track_caller]
pub(crate) fn fence(order: Ordering) {
    if wrong_here() != Some(Wrong::LeftOut) {
        atomic::fence(order);
    }
}

/// The orders of the read and of the write of a step that is taken apart.
fn orders_apart(order: Ordering) -> (Ordering, Ordering) {
    match order {
        Ordering::Acquire => (Ordering::Acquire, Ordering::Relaxed),
        Ordering::Release => (Ordering::Relaxed, Ordering::Release),
        Ordering::AcqRel => (Ordering::Acquire, Ordering::Release),
        both => (both, both),
    }
}

macro_rules! atomic {
    ($name:ident$(<$t:ident>)?, $value:ty, $($method:ident $change:expr;)*) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name$(<$t>)?(atomic::$name$(<$t>)?);

        #[allow(dead_code)]
        impl$(<$t>)? $name$(<$t>)? {
            pub(crate) fn new(value: $value) -> Self {
                $name(atomic::$name::new(value))
            }

            #[track_caller]
            pub(crate) fn load(&self, order: Ordering) -> $value {
                match wrong_here() {
                    Some(Wrong::Relaxed) => self.0.load(Ordering::Relaxed),
                    _ => self.0.load(order),
                }
            }

            #[track_caller]
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                match wrong_here() {
                    Some(Wrong::LeftOut) => {}
                    Some(Wrong::Relaxed) => self.0.store(value, Ordering::Relaxed),
                    _ => self.0.store(value, order),
                }
            }

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                good: Ordering,
                bad: Ordering,
            ) -> Result<$value, $value> {
                let change = |seen| (seen == old).then_some(new);
                match self.goes_wrong(good, change) {
                    Some(Err(())) => {
                        self.0.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)
                    }
                    Some(Ok(seen)) if seen == old => Ok(seen),
                    Some(Ok(seen)) => Err(seen),
                    None => self.0.compare_exchange(old, new, good, bad),
                }
            }

            $(#[track_caller]
            pub(crate) fn $method(&self, value: $value, order: Ordering) -> $value {
                let change: fn($value, $value) -> $value = $change;
                match self.goes_wrong(order, |seen| Some(change(seen, value))) {
                    Some(Err(())) => self.0.$method(value, Ordering::Relaxed),
                    Some(Ok(seen)) => seen,
                    None => self.0.$method(value, order),
                }
            })*

            /// What a change that goes wrong has seen, or an error if it is to be made relaxed.
            #[track_caller]
            fn goes_wrong(
                &self,
                order: Ordering,
                change: impl FnOnce($value) -> Option<$value>,
            ) -> Option<Result<$value, ()>> {
                let seen = match wrong_here()? {
                    Wrong::Relaxed => return Some(Err(())),
                    Wrong::LeftOut => self.0.load(Ordering::Relaxed),
                    Wrong::Apart => {
                        let (read, write) = orders_apart(order);
                        let seen = self.0.load(read);
                        change(seen).into_iter().for_each(|new| self.0.store(new, write));
                        seen
                    }
                };
                Some(Ok(seen))
            }
        }
    };
}

macro_rules! integer {
    ($name:ident, $value:ty) => {
        #[allow(dead_code)]
        impl $name {
            pub(crate) fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                self.0.with_mut(f)
            }
        }

        atomic! {
            $name, $value,
            swap |_, new| new;
            fetch_add |seen, value| seen + value;
            fetch_sub |seen, value| seen - value;
            fetch_max |seen, value| seen.max(value);
            fetch_min |seen, value| seen.min(value);
            fetch_or |seen, value| seen | value;
            fetch_and |seen, value| seen & value;
        }
    };
}

atomic! { AtomicBool, bool, swap |_, new| new; }
atomic! { AtomicPtr<T>, *mut T, swap |_, new| new; }
integer! { AtomicU32, u32 }
integer! { AtomicU64, u64 }
integer! { AtomicUsize, usize }

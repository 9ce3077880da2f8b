//! The ordered maps: what each does for one owner, and what it does for many who share it.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::{Mutex, RwLock};

use crossbeam_skiplist::SkipMap;
use sumac::batch::{BatchStats, Combining};

use super::work::{Op, UNTOLD, Work};

/// The sequential maps, filled: each is lent to those who need it, one at a time.
#[derive(Debug, Default)]
pub(crate) struct Stock(HashMap<TypeId, Box<dyn Any>>);

impl Stock {
    /// Keeps a map.
    pub(crate) fn keep<M: Owned>(&mut self, map: M) {
        self.0.insert(TypeId::of::<M>(), Box::new(map));
    }

    /// The map of this type, which must come back as it was.
    pub(crate) fn lend<M: Owned>(&mut self) -> M {
        let map = self.0.remove(&TypeId::of::<M>());
        let map = map.and_then(|map| map.downcast().ok());
        *map.expect("no other thread has it")
    }
}

/// A map with one owner.
pub(crate) trait Owned: Send + Default + 'static {
    /// Its name.
    const NAME: &'static str;

    /// Carries out the operation of this number.
    fn act(&mut self, op: Op, number: usize, work: &Work);

    /// Inserts.
    fn put(&mut self, key: u64, value: u64);

    /// Removes.
    fn take(&mut self, key: u64);

    /// All entries, in order.
    fn entries(&self) -> impl Iterator<Item = (u64, u64)>;
}

/// The entries of a map that has them in order.
pub(super) fn in_order(
    entries: impl Iterator<Item = (u64, u64)>,
) -> impl Iterator<Item = (u64, u64)> {
    entries
}

/// `Owned` for a map with the interface of `BTreeMap`: its name, and how its entries are sorted.
macro_rules! owned {
    ($map:ty, $name:literal, $sorted:ident) => {
        impl Owned for $map {
            const NAME: &'static str = $name;

            fn act(&mut self, op: Op, number: usize, work: &Work) {
                let answer = match op.insert {
                    Some(value) => self.insert(op.key, value),
                    None => self.get(&op.key).copied(),
                };
                work.answer(number, answer);
            }

            fn put(&mut self, key: u64, value: u64) {
                self.insert(key, value);
            }

            fn take(&mut self, key: u64) {
                self.remove(&key);
            }

            fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
                $sorted(self.iter().map(|(&key, &value)| (key, value)))
            }
        }
    };
}

pub(crate) use owned;

owned!(BTreeMap<u64, u64>, "BTreeMap", in_order);

/// A map that many share.
pub(crate) trait Shared: Send + Sync + Sized + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What it is made of.
    type Owned: Owned;

    /// Makes it. Called inside the pool.
    fn of(map: Self::Owned) -> Self;

    /// Ends it.
    fn into_owned(self) -> Self::Owned;

    /// What its batches were like, if it has any.
    fn stats(&self) -> Option<BatchStats> {
        None
    }

    /// Carries out the operation of this number and waits for the answer.
    fn act(&self, op: Op, number: usize, work: &Work);

    /// The same; tasks await the answer.
    fn submit(&self, op: Op, number: usize, work: &Work) -> impl Future<Output = ()> + Send {
        async move { self.act(op, number, work) }
    }
}

/// `Shared` for a lock around a map: how it ends, is written to and read.
macro_rules! locked {
    ($lock:ty, $map:ty, $name:literal, $it:ident: $end:expr, $write:expr, $read:expr) => {
        impl Shared for $lock {
            const NAME: &'static str = $name;
            type Owned = $map;

            fn of(map: Self::Owned) -> Self {
                <$lock>::new(map)
            }

            fn into_owned(self) -> Self::Owned {
                let $it = self;
                $end
            }

            fn act(&self, op: Op, number: usize, work: &Work) {
                let $it = self;
                let answer = match op.insert {
                    Some(value) => $write.insert(op.key, value),
                    None => $read.get(&op.key).copied(),
                };
                work.answer(number, answer);
            }
        }
    };
}

pub(crate) use locked;

pub(super) const NO_PANIC: &str = "no caller panics";
type Std = BTreeMap<u64, u64>;
locked!(Mutex<Std>, Std, "Mutex<BTreeMap>", it:
    it.into_inner().expect(NO_PANIC), it.lock().expect(NO_PANIC), it.lock().expect(NO_PANIC));
locked!(RwLock<Std>, Std, "RwLock<BTreeMap>", it:
    it.into_inner().expect(NO_PANIC), it.write().expect(NO_PANIC), it.read().expect(NO_PANIC));
locked!(parking_lot::RwLock<Std>, Std, "parking_lot RwLock", it:
    it.into_inner(), it.write(), it.read());

impl Shared for Combining<BTreeMap<u64, u64>> {
    const NAME: &'static str = "Combining<BTreeMap>";
    type Owned = BTreeMap<u64, u64>;

    fn of(map: Self::Owned) -> Self {
        Combining::new(map)
    }

    fn into_owned(self) -> Self::Owned {
        self.into_inner().expect(NO_PANIC)
    }

    fn act(&self, op: Op, number: usize, work: &Work) {
        let answer = self.with(|map| match op.insert {
            Some(value) => map.insert(op.key, value),
            None => map.get(&op.key).copied(),
        });
        work.answer(number, answer);
    }
}

/// `Owned` and `Shared` for a map that all may change: how its entries are sorted, how it inserts,
/// searches, removes, and tells its entries.
macro_rules! concurrent {
    ($map:ty, $name:literal, $sorted:ident, $it:ident, $key:ident, $value:ident:
     $insert:expr, $get:expr, $remove:expr, $entries:expr) => {
        impl Owned for $map {
            const NAME: &'static str = $name;

            fn act(&mut self, op: Op, number: usize, work: &Work) {
                Shared::act(self, op, number, work);
            }

            fn put(&mut self, $key: u64, $value: u64) {
                let $it = self;
                let _before: Option<u64> = $insert;
            }

            fn take(&mut self, $key: u64) {
                let $it = self;
                $remove;
            }

            fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
                let $it = self;
                $sorted($entries)
            }
        }

        impl Shared for $map {
            const NAME: &'static str = $name;
            type Owned = Self;

            fn of(map: Self) -> Self {
                map
            }

            fn into_owned(self) -> Self {
                self
            }

            fn act(&self, op: Op, number: usize, work: &Work) {
                let ($it, $key) = (self, op.key);
                let answer = match op.insert {
                    Some($value) => $insert,
                    None => $get,
                };
                work.answer(number, answer);
            }
        }
    };
}

pub(crate) use concurrent;

// It hands out the new entry, not the value before.
concurrent!(SkipMap<u64, u64>, "crossbeam SkipMap", in_order, it, key, value:
    { it.insert(key, value); Some(UNTOLD) }, it.get(&key).map(|found| *found.value()),
    it.remove(&key), it.iter().map(|entry| (*entry.key(), *entry.value())));

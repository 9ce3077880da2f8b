//! The hash maps, all with one hash function.

use std::array;
use std::collections;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard};

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use sumac::batch;

use super::map::{NO_PANIC, Owned, Shared, locked, owned};
use super::work::{Op, Work};

pub(crate) type HashMap = batch::HashMap<u64, u64, FxBuildHasher>;
pub(crate) type Std = collections::HashMap<u64, u64, FxBuildHasher>;
pub(crate) type Dash = DashMap<u64, u64, FxBuildHasher>;
pub(crate) type Papaya = papaya::HashMap<u64, u64, FxBuildHasher>;

fn sorted(entries: impl Iterator<Item = (u64, u64)>) -> impl Iterator<Item = (u64, u64)> {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable();
    entries.into_iter()
}

owned!(HashMap, "hash map", sorted);
owned!(Std, "std HashMap", sorted);
locked!(Mutex<Std>, Std, "Mutex<HashMap>", it:
    it.into_inner().expect(NO_PANIC), it.lock().expect(NO_PANIC), it.lock().expect(NO_PANIC));

/// 64 maps, each in a lock.
pub(crate) struct Shards([Shard; 64]);

/// As far from the next as two cache lines, which some processors fetch together.
#[derive(Default)]
#[repr(align(128))]
struct Shard(Mutex<Std>);

impl Default for Shards {
    fn default() -> Self {
        Shards(array::from_fn(|_| Shard::default()))
    }
}

impl Shards {
    /// Locks the map of this key, by the upper bits of its hash.
    fn of(&self, key: u64) -> MutexGuard<'_, Std> {
        let shard = FxBuildHasher.hash_one(key) >> 58;
        self.0[shard as usize].0.lock().expect(NO_PANIC)
    }

    fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
        let lock = |shard: &Shard| shard.0.lock().expect(NO_PANIC).clone();
        self.0.iter().flat_map(lock)
    }
}

/// `Owned` and `Shared` for a map that all may change: how it inserts, searches, removes, and tells
/// its entries.
macro_rules! concurrent {
    ($map:ty, $name:literal, $it:ident, $key:ident, $value:ident:
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
                sorted($entries)
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

concurrent!(Shards, "64 Mutex<HashMap>", it, key, value:
    it.of(key).insert(key, value), it.of(key).get(&key).copied(), it.of(key).remove(&key),
    it.entries());
concurrent!(Dash, "dashmap", it, key, value:
    it.insert(key, value), it.get(&key).map(|found| *found), it.remove(&key),
    it.iter().map(|entry| (*entry.key(), *entry.value())));
concurrent!(Papaya, "papaya", it, key, value:
    it.pin().insert(key, value).copied(), it.pin().get(&key).copied(), it.pin().remove(&key),
    it.pin().iter().map(|(&key, &value)| (key, value)).collect::<Vec<_>>().into_iter());

//! The hash maps, all with one hash function.

use std::array;
use std::collections;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard};

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use sumac::batch;

use super::map::{NO_PANIC, Owned, Shared, concurrent, locked, owned};
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

concurrent!(Shards, "64 Mutex<HashMap>", sorted, it, key, value:
    it.of(key).insert(key, value), it.of(key).get(&key).copied(), it.of(key).remove(&key),
    it.entries());
concurrent!(Dash, "dashmap", sorted, it, key, value:
    it.insert(key, value), it.get(&key).map(|found| *found), it.remove(&key),
    it.iter().map(|entry| (*entry.key(), *entry.value())));
concurrent!(Papaya, "papaya", sorted, it, key, value:
    it.pin().insert(key, value).copied(), it.pin().get(&key).copied(), it.pin().remove(&key),
    it.pin().iter().map(|(&key, &value)| (key, value)).collect::<Vec<_>>().into_iter());

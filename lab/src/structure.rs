//! Shared structures: ordered maps, hash maps and sets of integers, batched or guarded by what a
//! Rust user has otherwise, and what is done to them (`work.rs`). `batch.rs` measures them. All
//! hash maps have one hash function.

pub(crate) mod work;

use std::any::{Any, TypeId};
use std::array;
use std::collections::{self, BTreeMap, BTreeSet};
use std::future::Future;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, RwLock};

use crossbeam_skiplist::SkipMap;
use dashmap::DashMap;
use parking_lot::RwLock as ParkingLot;
use rustc_hash::FxBuildHasher;
use sumac::batch::{
    self, Batched, BatchedStructure, Combining, HashMapAnswer, HashMapOp, IntSet, IntSetAnswer,
    IntSetOp, MapAnswer, MapOp, Plain, SkipList, Tree,
};

use work::{Op, Preset, UNTOLD, first_value};

pub(crate) type List = SkipList<u64, u64>;
pub(crate) type BTree = Tree<u64, u64>;
pub(crate) type Std = BTreeMap<u64, u64>;
pub(crate) type Skips = SkipMap<u64, u64>;
pub(crate) type HashMap = batch::HashMap<u64, u64, FxBuildHasher>;
pub(crate) type StdHash = collections::HashMap<u64, u64, FxBuildHasher>;
pub(crate) type Dash = DashMap<u64, u64, FxBuildHasher>;
pub(crate) type Papaya = papaya::HashMap<u64, u64, FxBuildHasher>;
pub(crate) type StdSet = BTreeSet<u64>;

/// 64 maps, each in a lock.
pub(crate) struct Shards([Shard; 64]);

/// As far from the next as two cache lines, which some processors fetch together.
#[derive(Default)]
#[repr(align(128))]
struct Shard(Mutex<StdHash>);

impl Default for Shards {
    fn default() -> Self {
        Shards(array::from_fn(|_| Shard::default()))
    }
}

impl Shards {
    /// Locks the map of this key, by the upper bits of its hash.
    fn of(&self, key: u64) -> MutexGuard<'_, StdHash> {
        let shard = FxBuildHasher.hash_one(key) >> 58;
        self.0[shard as usize].0.lock().expect(NO_PANIC)
    }
}

/// A map with one owner.
pub(crate) trait Owned: Send + Default + 'static {
    /// Inserts, and answers with the value before.
    fn put(&mut self, key: u64, value: u64) -> Option<u64>;

    /// Searches.
    fn find(&self, key: u64) -> Option<u64>;

    /// Removes.
    fn take(&mut self, key: u64);

    /// All entries, in order.
    fn entries(&self) -> Vec<(u64, u64)>;

    /// Carries out an operation.
    fn act(&mut self, op: Op) -> Option<u64> {
        match op.insert {
            Some(value) => self.put(op.key, value),
            None => self.find(op.key),
        }
    }
}

/// `Owned` for a map: how it inserts, searches, removes, and tells its entries.
macro_rules! owned {
    ($map:ty, $it:ident, $key:ident, $value:ident:
     $insert:expr, $get:expr, $remove:expr, $entries:expr) => {
        impl Owned for $map {
            fn put(&mut self, $key: u64, $value: u64) -> Option<u64> {
                let $it = self;
                $insert
            }

            fn find(&self, $key: u64) -> Option<u64> {
                let $it = self;
                $get
            }

            fn take(&mut self, $key: u64) {
                let $it = self;
                $remove;
            }

            fn entries(&self) -> Vec<(u64, u64)> {
                let $it = self;
                let mut entries: Vec<_> = $entries.collect();
                entries.sort_unstable();
                entries
            }
        }
    };
}

/// `Owned` for a map with the interface of `BTreeMap`.
macro_rules! like_std {
    ($map:ty) => {
        owned!($map, it, key, value: it.insert(key, value), it.get(&key).copied(), it.remove(&key),
            it.iter().map(|(&key, &value)| (key, value)));
    };
}

like_std!(List);
like_std!(BTree);
like_std!(Std);
like_std!(HashMap);
like_std!(StdHash);

/// A set's answer as a map would give it: a set is told no values, and answers whether a key was
/// there.
fn as_of_a_map(key: u64, was_there: bool) -> Option<u64> {
    was_there.then(|| first_value(key))
}

owned!(IntSet, it, key, _value: as_of_a_map(key, !it.insert(key)),
    as_of_a_map(key, it.contains(key)), it.remove(key), it.iter().map(|key| (key, UNTOLD)));
owned!(StdSet, it, key, _value: as_of_a_map(key, !it.insert(key)),
    as_of_a_map(key, it.contains(&key)), it.remove(&key), it.iter().map(|&key| (key, UNTOLD)));

/// A map that many share.
pub(crate) trait Shared: Send + Sync + Sized + 'static {
    /// What it is made of.
    type Owned: Owned;

    /// Makes it. Called inside the pool.
    fn of(map: Self::Owned) -> Self;

    /// Ends it.
    fn into_owned(self) -> Self::Owned;

    /// Carries out an operation and waits for the answer.
    fn act(&self, op: Op) -> Option<u64>;

    /// The same; tasks await the answer.
    fn submit(&self, op: Op) -> impl Future<Output = Option<u64>> + Send {
        async move { self.act(op) }
    }
}

const NO_PANIC: &str = "no caller panics";

/// `Shared` for a map in a lock: how it is taken out, and how an operation is carried out.
macro_rules! locked {
    ($lock:ident, $it:ident, $op:ident: $inner:expr, $act:expr) => {
        impl<M: Owned + Sync> Shared for $lock<M> {
            type Owned = M;

            fn of(map: M) -> Self {
                $lock::new(map)
            }

            fn into_owned(self) -> M {
                let $it = self.into_inner();
                $inner
            }

            fn act(&self, $op: Op) -> Option<u64> {
                let $it = self;
                $act
            }
        }
    };
}

locked!(Mutex, it, op: it.expect(NO_PANIC), it.lock().expect(NO_PANIC).act(op));
locked!(Combining, it, op: it.expect(NO_PANIC), it.with(|map| map.act(op)));
locked!(RwLock, it, op: it.expect(NO_PANIC), match op.insert {
    Some(value) => it.write().expect(NO_PANIC).put(op.key, value),
    None => it.read().expect(NO_PANIC).find(op.key),
});
locked!(ParkingLot, it, op: it, match op.insert {
    Some(value) => it.write().put(op.key, value),
    None => it.read().find(op.key),
});

/// `Owned` and `Shared` for a map that all may change.
macro_rules! concurrent {
    ($map:ty, $it:ident, $key:ident, $value:ident:
     $insert:expr, $get:expr, $remove:expr, $entries:expr) => {
        owned!($map, $it, $key, $value: $insert, $get, $remove, $entries);

        impl Shared for $map {
            type Owned = Self;

            fn of(map: Self) -> Self {
                map
            }

            fn into_owned(self) -> Self {
                self
            }

            fn act(&self, op: Op) -> Option<u64> {
                let ($it, $key) = (self, op.key);
                match op.insert {
                    Some($value) => $insert,
                    None => $get,
                }
            }
        }
    };
}

// It hands out the new entry, not the value before.
concurrent!(Skips, it, key, value:
    { it.insert(key, value); Some(UNTOLD) }, it.get(&key).map(|found| *found.value()),
    it.remove(&key), it.iter().map(|entry| (*entry.key(), *entry.value())));
concurrent!(Shards, it, key, value:
    it.of(key).insert(key, value), it.of(key).get(&key).copied(), it.of(key).remove(&key),
    it.0.iter().flat_map(|shard| shard.0.lock().expect(NO_PANIC).clone()));
concurrent!(Dash, it, key, value:
    it.insert(key, value), it.get(&key).map(|found| *found), it.remove(&key),
    it.iter().map(|entry| (*entry.key(), *entry.value())));
concurrent!(Papaya, it, key, value:
    it.pin().insert(key, value).copied(), it.pin().get(&key).copied(), it.pin().remove(&key),
    it.pin().iter().map(|(&key, &value)| (key, value)).collect::<Vec<_>>().into_iter());

/// A structure of sumac's.
pub(crate) trait InBatches: Owned + BatchedStructure {
    /// An operation of the structure's own type.
    fn op(op: Op) -> Self::Op;

    /// The value that its answer tells.
    fn told(op: Op, answer: Self::Answer) -> Option<u64>;
}

/// `InBatches` for a map: the types of its operations and answers.
macro_rules! map_in_batches {
    ($map:ty, $op:ident, $answer:ident) => {
        impl InBatches for $map {
            fn op(op: Op) -> Self::Op {
                match op.insert {
                    Some(value) => $op::Insert(op.key, value),
                    None => $op::Get(op.key),
                }
            }

            fn told(_op: Op, answer: Self::Answer) -> Option<u64> {
                match answer {
                    $answer::Value(value) => value,
                    other => panic!("{other:?} is no value"),
                }
            }
        }
    };
}

map_in_batches!(List, MapOp, MapAnswer);
map_in_batches!(BTree, MapOp, MapAnswer);
map_in_batches!(HashMap, HashMapOp, HashMapAnswer);

impl InBatches for IntSet {
    fn op(op: Op) -> IntSetOp {
        match op.insert {
            Some(_) => IntSetOp::Insert(op.key),
            None => IntSetOp::Contains(op.key),
        }
    }

    fn told(op: Op, answer: IntSetAnswer) -> Option<u64> {
        match answer {
            IntSetAnswer::Yes(yes) => as_of_a_map(op.key, yes != op.insert.is_some()),
            other => panic!("{other:?} is neither yes nor no"),
        }
    }
}

impl<M: InBatches + 'static> Shared for Batched<M> {
    type Owned = M;

    fn of(map: M) -> Self {
        Batched::new(map)
    }

    fn into_owned(self) -> M {
        self.into_inner().expect("no batch panics")
    }

    fn act(&self, op: Op) -> Option<u64> {
        M::told(op, self.apply(Plain(M::op(op))))
    }

    async fn submit(&self, op: Op) -> Option<u64> {
        M::told(op, Batched::submit(self, Plain(M::op(op))).await)
    }
}

/// The maps of one owner, filled when they are first asked for: each is lent to those who need it,
/// one at a time.
#[derive(Debug, Default)]
pub(crate) struct Stock(collections::HashMap<TypeId, Box<dyn Any>>);

impl Stock {
    /// Keeps a map.
    pub(crate) fn keep<M: Owned>(&mut self, map: M) {
        self.0.insert(TypeId::of::<M>(), Box::new(map));
    }

    /// The map of this type, which must come back as it was.
    pub(crate) fn lend<M: Owned>(&mut self, preset: &Preset) -> M {
        let map = self.0.remove(&TypeId::of::<M>());
        let map = map.and_then(|map| map.downcast().ok());
        map.map_or_else(|| filled(preset), |map| *map)
    }
}

fn filled<M: Owned>(preset: &Preset) -> M {
    let mut map = M::default();
    for &key in &preset.keys {
        map.put(key, first_value(key));
    }
    map
}

//! A shard: a hash table of the entries whose hashes choose it. Its callers have the hash already.

use super::op::{HashMapAnswer, HashMapOp};
use hashbrown::{
    HashTable,
    hash_table::{Entry, Iter},
};
use std::{
    hash::{BuildHasher, Hash},
    mem,
};

#[derive(Clone)]
pub(super) struct Shard<K, V> {
    table: HashTable<(K, V)>,
}

impl<K, V> Shard<K, V> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Shard {
            table: HashTable::with_capacity(capacity),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn iter(&self) -> Iter<'_, (K, V)> {
        self.table.iter()
    }
}

impl<K: Hash + Eq, V> Shard<K, V> {
    #[inline]
    pub(super) fn get(&self, hash: u64, key: &K) -> Option<&V> {
        let entry = self.table.find(hash, |entry| entry.0 == *key);
        entry.map(|entry| &entry.1)
    }

    #[inline]
    pub(super) fn insert(
        &mut self,
        hasher: &impl BuildHasher,
        hash: u64,
        key: K,
        value: V,
    ) -> Option<V> {
        let hash_of = |entry: &(K, V)| hasher.hash_one(&entry.0);
        match self.table.entry(hash, |entry| entry.0 == key, hash_of) {
            Entry::Occupied(mut entry) => {
                // Before there is a result that its panic could lose.
                drop(key);
                Some(mem::replace(&mut entry.get_mut().1, value))
            }
            Entry::Vacant(place) => {
                place.insert((key, value));
                None
            }
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, hash: u64, key: &K) -> Option<V> {
        let found = self.table.find_entry(hash, |entry| entry.0 == *key);
        let ((key, value), _) = found.ok()?.remove();
        drop(key);
        Some(value)
    }

    /// Carries out an operation on one key. The key is dropped before there is an answer that its
    /// panic could lose.
    #[inline]
    pub(super) fn act(
        &mut self,
        hasher: &impl BuildHasher,
        hash: u64,
        op: HashMapOp<K, V>,
    ) -> HashMapAnswer<V>
    where
        V: Clone,
    {
        match op {
            HashMapOp::Insert(key, value) => {
                HashMapAnswer::Value(self.insert(hasher, hash, key, value))
            }
            HashMapOp::Remove(key) => {
                let value = self.remove(hash, &key);
                drop(key);
                HashMapAnswer::Value(value)
            }
            HashMapOp::Get(key) => {
                let value = self.get(hash, &key).cloned();
                drop(key);
                HashMapAnswer::Value(value)
            }
            HashMapOp::Contains(key) => HashMapAnswer::Found(self.get(hash, &key).is_some()),
            HashMapOp::Len => unreachable!("it concerns all keys"),
        }
    }
}

//! `HashMap`: 64 hash tables, the *shards*, which serve a batch beside each other.
//!
//! # What it is
//!
//! A hash is computed once for each operation. Some of its bits choose the shard, others the place
//! there. A shard is a table of the crate `hashbrown`, as std's map is one. Shards grow one by one,
//! so growing moves a small part of the map at a time.
//!
//! # A batch
//!
//! Few requests are carried out one after the other. Many are *dealt out*: the batch is cut into
//! pieces, and a piece is sorted by shard, by counting, in the order of arrival (batch.rs). Then
//! each shard serves what it has of each piece, one piece after the other, beside other shards. So
//! operations on one key keep their order, since they go to one shard. [`Len`](crate::Len) sees the
//! map as it was before the batch.
//!
//! The memory of the tables is not asked for in advance, as in ordered maps: a request has few
//! places to look at, which the processor knows at once, so it waits for those of several requests
//! together.
//!
//! # Panics of user code
//!
//! `Hash`, `Eq`, `Clone` and `Drop` of keys and values may panic, and so may the hasher. Then each
//! operation of the batch has been carried out or has not, and the map has what those made of it.
//! But a shard that was making room may have lost entries if a hash panicked. A map whose hashes or
//! equality contradict themselves may not find what is there, and no more.

mod batch;
mod iter;
mod op;
mod shard;

pub use self::{
    iter::Iter,
    op::{HashMapAnswer, HashMapOp},
};

use self::shard::Shard;
use std::{
    fmt,
    hash::{BuildHasher, Hash, RandomState},
};

/// So many shards: a power of two.
const SHARDS: usize = 64;

/// A hash map for batches: 64 hash tables, of which a batch serves many at once.
///
/// Shared by many tasks as `Batched<HashMap<K, V>>`, with the operations [`Insert`], [`Remove`],
/// [`Get`], [`Contains`] and [`Len`]; its own methods are for times when no other thread uses it.
/// In a batch, operations on one key keep their order of arrival, and `Len` sees the map as it was
/// before. Operations that only look run concurrently where no batch runs.
///
/// It is for operations that come in batches. Threads and tasks that share a map and need single
/// operations are faster with many locks, as the crate `dashmap` has them.
///
/// [`Insert`]: crate::Insert
/// [`Remove`]: crate::Remove
/// [`Get`]: crate::Get
/// [`Contains`]: crate::Contains
/// [`Len`]: crate::Len
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, Contains, Get, HashMap, Insert, Len, Remove};
///
/// let words = ["a", "rose", "is", "a", "rose"];
/// let last = Batched::new(HashMap::new());
/// let inserts = words.iter().enumerate().map(|(i, word)| Insert(word.to_string(), i));
/// assert_eq!(last.apply_all(inserts.collect()), [None, None, None, Some(0), Some(1)]);
/// assert_eq!(last.apply(Get("rose".to_string())), Some(4));
/// assert_eq!(last.apply(Remove("is".to_string())), Some(2));
/// assert!(!last.apply(Contains("is".to_string())));
/// assert_eq!(last.apply(Len), 2);
/// ```
///
/// # Cost
/// As std's: constant, if the hasher is good. A batch of m operations: O(m) work; its span is that
/// of the operations of one shard.
#[derive(Clone)]
pub struct HashMap<K, V, S = RandomState> {
    shards: Vec<Shard<K, V>>,
    hasher: S,
}

/// The number of the shard that a hash chooses. Hashers may leave any bits of it alike, and a shard
/// uses the lowest and the highest: so it depends on all.
#[inline]
fn place(hash: u64) -> usize {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SHARDS.ilog2())) as usize
}

impl<K, V> HashMap<K, V> {
    /// Creates an empty map, with a hasher as std's `HashMap` has it. It takes two kilobytes.
    pub fn new() -> Self {
        HashMap::default()
    }

    /// Creates an empty map with space for about so many entries: a shard that gets many more of
    /// them than others may still grow.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = sumac::batch::HashMap::with_capacity(1_000);
    /// map.extend((0..1_000).map(|n| (n, n * n)));
    /// assert_eq!(map.len(), 1_000);
    /// ```
    pub fn with_capacity(capacity: usize) -> Self {
        HashMap::of(capacity, RandomState::new())
    }
}

impl<K, V, S> HashMap<K, V, S> {
    /// Creates an empty map with a hasher.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    /// use sumac::batch::HashMap;
    ///
    /// let mut map = HashMap::with_hasher(BuildHasherDefault::<DefaultHasher>::new());
    /// assert_eq!(map.insert("seven", 7), None);
    /// ```
    pub fn with_hasher(hasher: S) -> Self {
        HashMap::of(0, hasher)
    }

    fn of(capacity: usize, hasher: S) -> Self {
        let shard = || Shard::with_capacity(capacity.div_ceil(SHARDS));
        HashMap {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            hasher,
        }
    }

    /// Returns the number of entries.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::HashMap<_, _> = [(1, 'a'), (2, 'b'), (1, 'c')].into_iter().collect();
    /// assert_eq!(map.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Returns whether there is no entry.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::HashMap<_, _> = [(1, 'a')].into_iter().collect();
    /// assert!(!map.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Hash + Eq, V, S: BuildHasher> HashMap<K, V, S> {
    /// Returns the value of a key.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::HashMap<_, _> = [(1, 'a')].into_iter().collect();
    /// assert_eq!((map.get(&1), map.get(&2)), (Some(&'a'), None));
    /// ```
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        let hash = self.hasher.hash_one(key);
        self.shards[place(hash)].get(hash, key)
    }

    /// Stores a value for a key; returns the previous one. (A key that is there already stays, as
    /// with std's `HashMap`.)
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = sumac::batch::HashMap::new();
    /// assert_eq!(map.insert(1, 'a'), None);
    /// assert_eq!(map.insert(1, 'b'), Some('a'));
    /// ```
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = self.hasher.hash_one(&key);
        self.shards[place(hash)].insert(&self.hasher, hash, key, value)
    }

    /// Removes a key; returns its value.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map: sumac::batch::HashMap<_, _> = [(1, 'a')].into_iter().collect();
    /// assert_eq!(map.remove(&1), Some('a'));
    /// assert_eq!(map.remove(&1), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let hash = self.hasher.hash_one(key);
        self.shards[place(hash)].remove(hash, key)
    }
}

impl<K, V, S: Default> Default for HashMap<K, V, S> {
    fn default() -> Self {
        HashMap::with_hasher(S::default())
    }
}

impl<K: Hash + Eq, V, S: BuildHasher + Default> FromIterator<(K, V)> for HashMap<K, V, S> {
    /// The last of the entries with equal keys counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut map = HashMap::of(entries.size_hint().0, S::default());
        map.extend(entries);
        map
    }
}

impl<K: Hash + Eq, V, S: BuildHasher> Extend<(K, V)> for HashMap<K, V, S> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S> fmt::Debug for HashMap<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

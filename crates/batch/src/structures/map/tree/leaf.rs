//! Leaves: sorted entries, the keys apart from the values, so that a search touches only keys.

use std::ops::Bound;
use sumac_core::prefetch;

/// Sorted entries: the value of `keys[i]` is `values[i]`.
#[derive(Debug)]
pub(super) struct Leaf<K, V> {
    pub(super) keys: Vec<K>,
    pub(super) values: Vec<V>,
}

impl<K, V> Default for Leaf<K, V> {
    fn default() -> Self {
        Leaf {
            keys: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<K: Clone, V: Clone> Clone for Leaf<K, V> {
    /// The clone has as much place.
    fn clone(&self) -> Self {
        let mut clone = Leaf {
            keys: Vec::with_capacity(self.keys.capacity()),
            values: Vec::with_capacity(self.values.capacity()),
        };
        clone.keys.extend_from_slice(&self.keys);
        clone.values.extend_from_slice(&self.values);
        clone
    }
}

impl<K, V> Leaf<K, V> {
    /// The most entries: 64, less if they are so large that moving them would cost more than
    /// searching.
    pub(super) const MAX: usize = {
        let (key, value) = (size_of::<K>(), size_of::<V>());
        let size = if key > value { key } else { value };
        match size {
            0..=32 => 64,
            33..=256 => 2048 / size,
            _ => 8,
        }
    };

    /// The least, where a leaf is not alone.
    pub(super) const MIN: usize = Self::MAX / 4;

    /// How many there are after bulk loading: there is place for some more.
    pub(super) const FILL: usize = Self::MAX - Self::MAX / 4;

    /// With place for as many entries as it may have: they are put in without allocation.
    fn roomy() -> Self {
        Leaf {
            keys: Vec::with_capacity(Self::MAX),
            values: Vec::with_capacity(Self::MAX),
        }
    }

    pub(super) fn from_entries(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut leaf = Leaf::roomy();
        for (key, value) in entries {
            leaf.keys.push(key);
            leaf.values.push(value);
        }
        leaf
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Asks for its memory. A search waits for key after key, and only then for a value.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch(&self.keys);
        prefetch(&self.values);
    }

    pub(super) fn entry(&self, place: usize) -> Option<(&K, &V)> {
        Some((self.keys.get(place)?, self.values.get(place)?))
    }

    #[inline]
    pub(super) fn insert(&mut self, place: usize, key: K, value: V) {
        self.keys.insert(place, key);
        self.values.insert(place, value);
    }

    #[inline]
    pub(super) fn remove(&mut self, place: usize) -> (K, V) {
        (self.keys.remove(place), self.values.remove(place))
    }

    /// Keeps the entries before `place`, returns the others.
    pub(super) fn split_off(&mut self, place: usize) -> Self {
        let mut right = Leaf::roomy();
        right.keys.extend(self.keys.drain(place..));
        right.values.extend(self.values.drain(place..));
        right
    }
}

impl<K: Ord, V> Leaf<K, V> {
    /// Where the key is, or where it would be. In a map that is `far` the leaf is asked for first.
    #[inline]
    pub(super) fn find(&self, key: &K, far: bool) -> Result<usize, usize> {
        if far {
            self.prefetch();
        }
        self.keys.binary_search(key)
    }

    /// The same if it is not before `from`.
    #[inline]
    pub(super) fn find_from(&self, from: usize, key: &K) -> Result<usize, usize> {
        match self.keys[from..].binary_search(key) {
            Ok(place) => Ok(from + place),
            Err(place) => Err(from + place),
        }
    }

    /// The place of the first entry within the bound.
    pub(super) fn first_place(&self, bound: Bound<&K>) -> usize {
        match bound {
            Bound::Included(key) => self.keys.partition_point(|k| k.cmp(key).is_lt()),
            Bound::Excluded(key) => self.keys.partition_point(|k| k.cmp(key).is_le()),
            Bound::Unbounded => 0,
        }
    }

    /// The place after the last entry within the bound.
    pub(super) fn end_place(&self, bound: Bound<&K>) -> usize {
        match bound {
            Bound::Included(key) => self.keys.partition_point(|k| k.cmp(key).is_le()),
            Bound::Excluded(key) => self.keys.partition_point(|k| k.cmp(key).is_lt()),
            Bound::Unbounded => self.len(),
        }
    }
}

impl<K: Ord + Clone, V> Leaf<K, V> {
    /// Cuts a full leaf in two; `key` is about to be put in. Returns the right one and what
    /// separates them. If the key goes to the end, few entries go to the right: ascending keys fill
    /// leaves well.
    pub(super) fn split(&mut self, key: &K) -> (K, Self) {
        let goes_last = self.keys.last().is_some_and(|last| last.cmp(key).is_lt());
        let place = if goes_last {
            self.len() - Self::MIN
        } else {
            self.len() / 2
        };
        let separator = self.keys[place].clone();
        (separator, self.split_off(place))
    }

    /// Puts the leaf's right neighbour to it, or evens the two out if that is too much: then
    /// returns what separates them.
    pub(super) fn join(&mut self, right: &mut Self) -> Option<K> {
        let total = self.len() + right.len();
        if total <= Self::MAX {
            self.keys.append(&mut right.keys);
            self.values.append(&mut right.values);
            return None;
        }
        let half = total / 2;
        // What can panic comes first.
        let separator = match half.checked_sub(self.len()) {
            Some(missing) => right.keys[missing].clone(),
            None => self.keys[half].clone(),
        };
        level(&mut self.keys, &mut right.keys, half);
        level(&mut self.values, &mut right.values, half);
        Some(separator)
    }
}

/// Moves elements between neighbours so that the left one has `half`.
fn level<T>(left: &mut Vec<T>, right: &mut Vec<T>, half: usize) {
    if left.len() < half {
        let missing = half - left.len();
        left.extend(right.drain(..missing));
    } else {
        right.splice(..0, left.drain(half..));
    }
}

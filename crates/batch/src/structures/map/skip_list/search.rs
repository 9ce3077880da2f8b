//! Looking at a list: single entries, and where ranges begin and end.

use super::{
    SkipList,
    block::{Block, Path},
};
use crate::structures::map::prefetch::Descend;
use std::{mem, ops::Bound};
use sumac_core::prefetch;
use sumac_par::prelude::*;

impl<K, V> Block<K, V> {
    /// How many entries there are here and below.
    pub(super) fn count(&self) -> usize {
        self.keys.len() + self.down.iter().map(Block::count).sum::<usize>()
    }

    /// Entry `at` of this block.
    #[inline]
    pub(super) fn entry(&self, at: usize) -> Option<(&K, &V)> {
        Some((self.keys.get(at)?, self.values.get(at)?))
    }
}

/// Where the key is, or else in which gap.
///
/// The steps of a binary search wait for each other's key to come from memory. So of many keys,
/// eighths are looked at first, all at once.
#[inline]
pub(super) fn search<K: Ord>(keys: &[K], key: &K) -> Result<usize, usize> {
    if mem::needs_drop::<K>() || keys.len() < 64 {
        return keys.binary_search(key);
    }
    let step = keys.len() / 8;
    let passed = |eighth: usize| usize::from(keys[eighth * step].cmp(key).is_le());
    let passed = (1..8).map(passed).sum::<usize>();
    let begin = passed * step;
    let end = if passed == 7 {
        keys.len()
    } else {
        begin + step
    };
    match keys[begin..end].binary_search(key) {
        Ok(at) => Ok(begin + at),
        Err(gap) => Err(begin + gap),
    }
}

impl<K: Ord, V> Descend<K> for Block<K, V> {
    #[inline]
    fn prefetch(&self) {
        if self.is_leaf() {
            self.prefetch_if_leaf(true);
        } else {
            prefetch(&self.keys);
        }
    }

    #[inline]
    fn below(&self, key: &K) -> Option<&Self> {
        if self.is_leaf() {
            return None;
        }
        self.down.get(self.search(key).err()?)
    }
}

/// A place in a block: the index of a key, or of a gap.
type Place<'a, K, V> = (&'a mut Block<K, V>, usize);

impl<K: Ord, V> Block<K, V> {
    /// Where the key is, or else in which gap.
    #[inline]
    pub(super) fn search(&self, key: &K) -> Result<usize, usize> {
        search(&self.keys, key)
    }

    /// Where the key is, or else the gap of level 0 that it belongs to, and the path there.
    #[inline]
    pub(super) fn find(
        &mut self,
        mut level: usize,
        key: &K,
        path: &mut Path,
        far: bool,
    ) -> Result<Place<'_, K, V>, Place<'_, K, V>> {
        let mut block = self;
        loop {
            block.prefetch_if_leaf(far);
            match block.search(key) {
                Ok(at) => return Ok((block, at)),
                Err(gap) => {
                    path[level] = gap;
                    if level == 0 {
                        return Err((block, gap));
                    }
                    block = &mut block.down[gap];
                    level -= 1;
                }
            }
        }
    }

    /// The first gap of this block in which, or at whose right end, there is a key within the
    /// bound.
    pub(super) fn gap_from(&self, bound: Bound<&K>) -> usize {
        match bound {
            Bound::Unbounded => 0,
            Bound::Included(bound) => self.keys.partition_point(|key| key.cmp(bound).is_lt()),
            Bound::Excluded(bound) => self.keys.partition_point(|key| key.cmp(bound).is_le()),
        }
    }

    /// The last gap of this block in which, or at whose left end, there is a key within the bound.
    fn gap_to(&self, bound: Bound<&K>) -> usize {
        match bound {
            Bound::Unbounded => self.keys.len(),
            Bound::Included(bound) => self.keys.partition_point(|key| key.cmp(bound).is_le()),
            Bound::Excluded(bound) => self.keys.partition_point(|key| key.cmp(bound).is_lt()),
        }
    }

    /// The entries with keys within the bounds, in order; in parallel.
    pub(super) fn entries(&self, from: Bound<&K>, to: Bound<&K>) -> Vec<(K, V)>
    where
        K: Clone + Send + Sync,
        V: Clone + Send + Sync,
    {
        let (begin, end) = (self.gap_from(from), self.gap_to(to));
        let entry = |at: usize| (self.keys[at].clone(), self.values[at].clone());
        if self.is_leaf() {
            return (begin..end).map(entry).collect();
        }
        if begin == end {
            return self.down[begin].entries(from, to);
        }
        let gaps = (begin..end + 1).into_par_iter().map(|gap| {
            let from = if gap == begin { from } else { Bound::Unbounded };
            let to = if gap == end { to } else { Bound::Unbounded };
            let mut entries = self.down[gap].entries(from, to);
            if gap < end {
                entries.push(entry(gap));
            }
            entries
        });
        let entries = gaps.reduce_with(|mut left, mut right| {
            left.append(&mut right);
            left
        });
        entries.unwrap_or_default()
    }

    /// The entry with the smallest key within the bound.
    pub(super) fn first_from(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        let mut block = self;
        let mut best = None;
        loop {
            let gap = block.gap_from(bound);
            best = block.entry(gap).or(best);
            match block.down.get(gap) {
                Some(below) => block = below,
                None => return best,
            }
        }
    }

    /// The entry with the greatest key within the bound.
    pub(super) fn last_to(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        let mut block = self;
        let mut best = None;
        loop {
            let gap = block.gap_to(bound);
            best = gap.checked_sub(1).and_then(|at| block.entry(at)).or(best);
            match block.down.get(gap) {
                Some(below) => block = below,
                None => return best,
            }
        }
    }
}

impl<K: Ord, V> SkipList<K, V> {
    /// Returns the value of a key.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter([(1, 'a'), (2, 'b')]);
    /// assert_eq!(list.get(&2), Some(&'b'));
    /// assert_eq!(list.get(&3), None);
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic.
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        let far = self.is_far();
        let mut block = &self.root;
        loop {
            block.prefetch_if_leaf(far);
            match block.search(key) {
                Ok(at) => return block.values.get(at),
                Err(gap) => block = block.down.get(gap)?,
            }
        }
    }

    /// Returns whether a key is there.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter([(1, 'a'), (2, 'b')]);
    /// assert!(list.contains_key(&2));
    /// assert!(!list.contains_key(&3));
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic.
    #[inline]
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Returns the entry with the smallest key.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter([(1, 'a'), (2, 'b')]);
    /// assert_eq!(list.first_key_value(), Some((&1, &'a')));
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.root.first_from(Bound::Unbounded)
    }

    /// Returns the entry with the greatest key.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter([(1, 'a'), (2, 'b')]);
    /// assert_eq!(list.last_key_value(), Some((&2, &'b')));
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.root.last_to(Bound::Unbounded)
    }
}

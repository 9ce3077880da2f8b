//! A blocked skip list, kept as a tree of ownership.
//!
//! placeholder essay

mod block;
mod build;
mod heights;
mod iter;
mod search;
mod settle;
#[cfg(test)]
mod tests;

pub use self::iter::{IntoIter, Iter, Range};
use self::{
    block::{Block, Path},
    heights::Heights,
};
use super::{
    batch::{self, OrderedMap, Store},
    group::MapRequest,
    op::{MapAnswer, MapOp},
};
use crate::{BatchedStructure, Request};
use std::{fmt, mem, ops::Bound};
use sumac_core::Scope;

/// An ordered map: a skip list of blocks.
///
/// Shared by many tasks as `Batched<SkipList<K, V>>`; alone, it is used like [`BTreeMap`](std::collections::BTreeMap).
///
/// ```
/// use sumac_batch::SkipList;
///
/// let mut list = SkipList::new();
/// assert_eq!(list.insert("pear", 1), None);
/// assert_eq!(list.insert("fig", 2), None);
/// assert_eq!(list.insert("pear", 3), Some(1));
/// assert_eq!(list.iter().collect::<Vec<_>>(), [(&"fig", &2), (&"pear", &3)]);
/// ```
#[derive(Clone)]
pub struct SkipList<K, V> {
    /// The only block of the top level.
    root: Block<K, V>,
    /// The level of the root: the greatest height of a key.
    top: usize,
    len: usize,
    heights: Heights,
}

impl<K, V> SkipList<K, V> {
    /// An empty map.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::<u32, String>::new();
    /// assert!(list.is_empty());
    /// ```
    pub fn new() -> Self {
        Self::with_heights(Heights::random())
    }

    fn with_heights(heights: Heights) -> Self {
        SkipList {
            root: Block::EMPTY,
            top: 0,
            len: 0,
            heights,
        }
    }

    /// The number of keys.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter([(1, 'a'), (2, 'b')]);
    /// assert_eq!(list.len(), 2);
    /// ```
    ///
    /// # Cost
    /// Constant.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no key.
    ///
    /// ```
    /// let mut list = sumac_batch::SkipList::from_iter([(1, 'a')]);
    /// assert!(!list.is_empty());
    /// list.remove(&1);
    /// assert!(list.is_empty());
    /// ```
    ///
    /// # Cost
    /// Constant.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds empty levels at the top.
    fn raise(&mut self, top: usize) {
        while self.top < top {
            self.root = Block::over(mem::replace(&mut self.root, Block::EMPTY));
            self.top += 1;
        }
    }

    /// Drops empty levels at the top.
    fn lower(&mut self) {
        while self.root.down.len() == 1 {
            self.root = self.root.down.pop().expect("there is one");
            self.top -= 1;
        }
    }
}

impl<K: Ord, V> SkipList<K, V> {
    /// Stores a value for a key. Returns the value that the key had; the key itself stays the one that is there.
    ///
    /// ```
    /// let mut list = sumac_batch::SkipList::new();
    /// assert_eq!(list.insert(7, "a"), None);
    /// assert_eq!(list.insert(7, "b"), Some("a"));
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let mut path = Path::default();
        match self.root.find(self.top, &key, &mut path) {
            Ok((block, at)) => Some(mem::replace(&mut block.values[at], value)),
            Err((leaf, gap)) => {
                let height = self.heights.draw();
                if height == 0 {
                    leaf.insert(gap, key, value);
                } else {
                    self.raise(height);
                    self.root.insert_high(self.top, height, &path, key, value);
                }
                self.len += 1;
                None
            }
        }
    }

    /// Removes a key. Returns its value.
    ///
    /// ```
    /// let mut list = sumac_batch::SkipList::from_iter([(1, 'a'), (2, 'b')]);
    /// assert_eq!(list.remove(&1), Some('a'));
    /// assert_eq!(list.remove(&1), None);
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let mut block = &mut self.root;
        let (_key, value) = loop {
            match block.search(key) {
                Ok(at) => break block.remove(at),
                Err(gap) => block = block.down.get_mut(gap)?,
            }
        };
        self.len -= 1;
        self.lower();
        Some(value)
    }
}

impl<K, V> Default for SkipList<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SkipList<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SkipList<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for SkipList<K, V> {}

impl<K, V> BatchedStructure for SkipList<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    type Op = MapOp<K, V>;
    type Answer = MapAnswer<K, V>;

    fn run(&mut self, scope: &mut Scope<'_>, requests: &mut [Request<Self::Op, Self::Answer>]) {
        batch::run(self, scope, requests);
    }
}

impl<K, V> OrderedMap for SkipList<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    type Key = K;
    type Value = V;
}

impl<K, V> Store<K, V> for SkipList<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    fn len(&self) -> usize {
        self.len
    }

    fn first_from(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        self.root.first_from(bound)
    }

    fn last_to(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        self.root.last_to(bound)
    }

    fn entries(&self, from: Bound<&K>, to: Bound<&K>) -> Vec<(K, V)> {
        let entries = self.between(from, to);
        entries.map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    fn settle(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]) {
        match requests {
            [request] => self.settle_one(request),
            _ => self.settle_all(scope, requests),
        }
    }
}

//! A blocked skip list, kept as a tree of ownership.
//!
//! Every key draws a height once: `h` or more with a probability of `1/B^h`, whatever the keys are
//! and the user who chooses them. In a skip list (Pugh, "Skip Lists: A Probabilistic Alternative to
//! Balanced Trees", 1990) that says on how many levels it is linked. Here, a key is kept once, in
//! the level of its height, and the keys of a level that have no higher key between them lie
//! together in a *block*: sorted, in an array. (Golovin, "The B-Skip-List", 2010, is where skip
//! lists get blocks; Luo and others, "Bridging Cache-Friendliness and Concurrency", 2025, is a
//! recent one in memory.)
//!
//! ```text
//!   level 2                    [ 40 ]                   a block: keys, values, and one block
//!                     ┌────────┘    └────────┐            more below than it has keys
//!   level 1       [ 12   31 ]            [ 77 ]
//!               ┌──┘   │   └──┐        ┌──┘  └──┐
//!   level 0   [3 7]  [18]  [33 36]   [55 61]  [80 91]
//! ```
//!
//! A block owns the blocks that fill its gaps, so it is all a tree of `Vec`s, and safe. What keeps
//! a tree in balance is not needed: where the blocks begin and end follows from the heights alone,
//! not from what happened before. A key that comes splits the blocks of lower levels around it, one
//! that goes joins them again.
//!
//! # Invariants
//!
//! * A block has as many values as keys, and above level 0 one block below more than keys: also
//!   while code of the user runs. (`block.rs`)
//! * All keys below a gap lie between the keys around it; each key is in the level of its height.
//! * The top level has one block, the root, and a key in it unless it is level 0.
//!
//! If code of the user unwinds (comparing, cloning, dropping), the first invariant still holds, so
//! nothing panics later; a batch may have lost keys.
//!
//! # A batch
//!
//! The requests are sorted by key. They are shared out among the gaps of the root, and so on down,
//! forking wherever there are requests on both sides of a key (`settle.rs`). Requests for a key of
//! the block are settled in place. In level 0, a new key draws its height. Nearly always it is 0;
//! else the block is cut in two there, and the key goes up, with the right part, until it meets the
//! level of its height, and cuts all blocks on its way. What comes up into a block, and the keys
//! that leave it, are worked into it in one pass.
//!
//! # Cost
//!
//! `n` keys, expected values over the heights, with `B` = 64. One operation: `O(log n)` comparisons
//! in `log n / log B` blocks, and `O(B)` moves of entries if it changes something. A batch of `m`:
//! work `O(m (log m + log n + B))`, without anything that grows with `n` otherwise, and less if
//! neighbours share a block. Span: `O(log m)` for each fork in each level, and the pass over each
//! block of a path, together `O((log m + B) log n)`. Two things add to it: requests for one key are
//! settled one after the other, and of `g` new keys in a gap of level 1, `g/B` are put in place in
//! one pass.
//!
//! # Measured
//!
//! With 64-bit keys and values, a million of them unless said otherwise, on two noisy cores:
//! * `B` = 32 is slower than 64 in batches and no faster alone: more blocks of level 0 miss the
//!   cache. 32 for level 0 and 64 above wins nothing.
//! * Keys apart from values: mostly a tenth to a quarter faster than an array of pairs; bulk loads
//!   and batches into an empty list are about as fast.
//! * Level 0 changes in place, one `Vec::insert` after the other. Building each block anew in one
//!   pass had two thirds of the speed on one thread, also where a batch is dense, and half on two:
//!   it is the allocator.
//! * Looking at eighths of a large block first, all at once (`search.rs`): a tenth to a third
//!   faster than `binary_search` alone in most cases with ten million keys, within the noise with
//!   one. Going on like that, by quarters, was no faster.
//! * Memory is asked for before it is used (`prefetch.rs`): a batch of a thousand takes half of the
//!   time, one of a hundred thousand and a search alone two thirds. Single operations on a list
//!   that fits into the fastest cache took ten nanoseconds more, so there they do not ask.

mod block;
mod build;
mod group;
mod heights;
mod iter;
mod leaf;
mod search;
mod settle;
#[cfg(test)]
mod tests;

use self::{
    block::{Block, Path},
    heights::Heights,
};
use super::{
    batch::{self, Store},
    group::MapRequest,
    prefetch::is_far,
};
use std::{fmt, mem, ops::Bound};
use sumac_core::Scope;

/// An ordered map: a skip list of blocks.
///
/// Shared by many tasks as `Batched<SkipList<K, V>>`; alone, it is used like
/// [`BTreeMap`](std::collections::BTreeMap).
///
/// It takes 20 to 24 bytes for each entry of a 64-bit key and value, after single insertions and
/// after batches, in any order.
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
    /// Creates an empty map.
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

    /// Returns the number of keys.
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

    /// Returns whether there is no key.
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

    fn is_far(&self) -> bool {
        is_far::<K, V>(self.len)
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
    /// Stores a value for a key. Returns the value that the key had; the key itself stays the one
    /// that is there.
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
        let (far, mut path) = (self.is_far(), Path::default());
        match self.root.find(self.top, &key, &mut path, far) {
            Ok((block, at)) => {
                // Before there is a result that its panic could lose.
                drop(key);
                Some(mem::replace(&mut block.values[at], value))
            }
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
        let far = self.is_far();
        let mut block = &mut self.root;
        let (key, value) = loop {
            block.prefetch_if_leaf(far);
            match block.search(key) {
                Ok(at) => break block.remove(at),
                Err(gap) => block = block.down.get_mut(gap)?,
            }
        };
        self.len -= 1;
        self.lower();
        // As in `insert`.
        drop(key);
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

batch::ordered_map!(SkipList);

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
        self.root.entries(from, to)
    }

    fn iter<'a>(&'a self, from: Bound<&K>, to: Bound<&K>) -> impl Iterator<Item = (&'a K, &'a V)>
    where
        K: 'a,
        V: 'a,
    {
        self.range((from, to))
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.get(key)
    }

    fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.insert(key, value)
    }

    fn remove(&mut self, key: &K) -> Option<V> {
        self.remove(key)
    }

    fn settle(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]) {
        self.settle_all(scope, requests);
    }
}

//! Bulk loading, in parallel, and the ways to it.

use super::{Tree, leaf::Leaf, node::Node, row::Row};
use std::mem;
use sumac_par::prelude::*;

impl<K, V> Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Send + Sync,
{
    /// Creates a map of these entries, whose keys must ascend.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::Tree;
    ///
    /// let squares = Tree::from_sorted((0..1_000).map(|i| (i, i * i)).collect());
    /// assert_eq!(squares.len(), 1_000);
    /// assert_eq!(squares.get(&30), Some(&900));
    /// ```
    ///
    /// # Cost
    /// Linear, in parallel.
    ///
    /// # Panics
    /// If a key is not greater than the one before it.
    #[track_caller]
    pub fn from_sorted(entries: Vec<(K, V)>) -> Self {
        let pairs = entries.par_windows(2);
        assert!(
            pairs.all(|pair| pair[0].0.cmp(&pair[1].0).is_lt()),
            "the keys of a bulk load must ascend"
        );
        Tree::build(entries)
    }

    /// The tree of sorted entries: leaves of equal size, then level by level what is above.
    pub(super) fn build(entries: Vec<(K, V)>) -> Self {
        let len = entries.len();
        let leaves = len.div_ceil(Leaf::<K, V>::FILL).max(1);
        let size = len.div_ceil(leaves).max(1);
        let leaves = entries.into_par_iter().chunks(size).map(|chunk| {
            let leaf = Leaf::from_entries(chunk);
            (leaf.keys[0].clone(), Node::Leaf(leaf))
        });
        let mut row = Row::default();
        leaves.unzip_into_vecs(&mut row.separators, &mut row.nodes);
        // Each leaf has come with its first key: the first leaf's separates nothing. The last leaf
        // may be small.
        if len > 0 {
            row.separators.remove(0);
        }
        if let Some(key) = row.separators.pop() {
            let last = row.nodes.pop().expect("as many leaves as keys");
            row.push(Some(key), last);
        }
        Tree {
            root: row.raise(),
            len,
        }
    }
}

impl<K, V> FromIterator<(K, V)> for Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Send + Sync,
{
    /// Of entries with equal keys the last one counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.par_sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, kept| {
            let same = later.0.cmp(&kept.0).is_eq();
            if same {
                mem::swap(&mut later.1, &mut kept.1);
            }
            same
        });
        Tree::build(entries)
    }
}

impl<K: Ord + Clone, V> Extend<(K, V)> for Tree<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

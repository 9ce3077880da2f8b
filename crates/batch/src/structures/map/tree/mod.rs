//! `Tree`: a B-tree that carries out batches by splitting and joining.
//!
//! # What it is
//!
//! Entries are in leaves, up to 64 each, all at one depth; keys apart from values (leaf.rs). An
//! inner node is a *row*: up to 64 nodes and, between each two, a separator, a clone of a key
//! (row.rs). Separators need not be keys of the map any more: removing a key leaves them be. Nodes
//! lie in the vectors of their parents: a level costs a search among separators and one step to a
//! node's header, no further pointer. That entries are nowhere but in leaves makes all else simple:
//! rows are cut and joined without touching an entry, and what a batch does to a leaf needs no
//! entry from elsewhere.
//!
//! A single insertion goes down once and splits full nodes on its way; a removal evens out scant
//! ones. So there is no way back up, and nothing is allocated unless something splits.
//!
//! # A batch
//!
//! The requests are sorted by key. A row *splits* them among its nodes: it halves requests and
//! nodes at a separator near the middle of the nodes concerned, and forks (`spread`). A leaf
//! carries out few requests one after the other, in place; is it full, it is cut in two and goes on
//! with both. For many it is cut where the requests' keys are cut in halves, and the two are
//! *joined* afterwards. A node stays where it is, perhaps too small, or says what row comes in its
//! place. Back in the parent: if nothing of this happened, all is done. Otherwise the row is
//! renewed: the new rows go where their nodes were, small nodes are joined with neighbours, and if
//! that has become too much for one node the row is folded into several, which is what the parent's
//! parent gets. The root grows and shrinks by levels.
//!
//! # Invariants
//!
//! * **Order.** Keys ascend; a separator is above all keys on its left and not above those on its
//!   right.
//! * **Height.** The nodes of a row have one height: leaves are at one depth.
//! * **Size.** No node has more than its `MAX`; none has less than its `MIN`, a quarter of that,
//!   unless it is the only one of its row. A batch keeps this wherever rows have been renewed, thus
//!   everywhere in the end: a small node is alone in its row only if the row is small itself, and
//!   then its parent joins it, where the two nodes at the seam are joined again (`append`).
//! * **Length.** `len` is the number of entries.
//!
//! A panic of user code leaves the order and the height in single operations, and the size but for
//! the node at hand. Within a batch it may leave anything: what is left of the entries is then put
//! in a new tree (`rescue`).
//!
//! # Cost
//!
//! A batch of m requests on n entries: work O(m log n), span O(log m log n) plus, where very many
//! requests fall into one leaf, the moving of the m / 64 leaves that this makes. Requests with the
//! same key are carried out one after the other. Nothing is linear in n.
//!
//! # Sources
//!
//! Bayer, McCreight, "Organization and maintenance of large ordered indexes", 1972; Blelloch,
//! Ferizovic, Sun, "Just join for parallel ordered sets", SPAA 2016; the split-join strategy of Le,
//! Gopinathan, Lee, Gilbert, Sergey, "Concurrent data structures made easy", OOPSLA 2024.

mod build;
mod iter;
mod leaf;
mod node;
mod row;
mod serve;
mod settle;
#[cfg(test)]
mod tests;

pub use self::iter::{IntoIter, Iter, Range};

use self::{node::Node, row::Row};
use super::{batch, prefetch::is_far};
use std::{
    fmt, mem,
    ops::{Bound, RangeBounds},
};

/// An ordered map: a B-tree whose batches split the work among its subtrees and join what these
/// become.
///
/// Its own methods are for times when no other thread uses it. Its operations
/// ([`Insert`](crate::Insert), [`Get`](crate::Get), …) go through [`Batched`](crate::Batched).
///
/// It takes 23 to 26 bytes for each entry of a 64-bit key and value, after single insertions and
/// after batches, in any order.
///
/// # Examples
///
/// ```
/// use sumac::batch::Tree;
///
/// let mut heights = Tree::new();
/// heights.insert("Eiger", 3_967);
/// heights.insert("Mönch", 4_110);
/// heights.insert("Jungfrau", 4_158);
/// assert_eq!(heights.get(&"Mönch"), Some(&4_110));
/// assert_eq!(heights.first_key_value(), Some((&"Eiger", &3_967)));
/// assert_eq!(heights.remove(&"Eiger"), Some(3_967));
/// assert_eq!(heights.len(), 2);
/// ```
#[derive(Clone)]
pub struct Tree<K, V> {
    root: Node<K, V>,
    len: usize,
}

impl<K, V> Default for Tree<K, V> {
    fn default() -> Self {
        Tree::new()
    }
}

impl<K, V> Tree<K, V> {
    /// Creates an empty map. It allocates nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(sumac::batch::Tree::<u32, u32>::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Tree {
            root: Node::default(),
            len: 0,
        }
    }

    /// Returns the number of entries.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(1, 'a'), (2, 'b'), (1, 'c')].into_iter().collect();
    /// assert_eq!(map.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no entry.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(1, 'a')].into_iter().collect();
    /// assert!(!map.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn is_far(&self) -> bool {
        is_far::<K, V>(self.len)
    }

    /// Takes off levels of the root that have one node or none.
    fn lower(&mut self) {
        while let Node::Inner(row) = &mut self.root {
            if row.nodes.len() > 1 {
                break;
            }
            self.root = row.nodes.pop().unwrap_or_default();
        }
    }
}

impl<K: Ord, V> Tree<K, V> {
    /// Returns the value of a key.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(1, 'a')].into_iter().collect();
    /// assert_eq!((map.get(&1), map.get(&2)), (Some(&'a'), None));
    /// ```
    ///
    /// # Cost
    /// Logarithmic.
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.root.get(key, self.is_far()).map(|(_, value)| value)
    }

    /// Returns whether a key is there.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(1, 'a')].into_iter().collect();
    /// assert!(map.contains_key(&1) && !map.contains_key(&2));
    /// ```
    ///
    /// # Cost
    /// Logarithmic.
    #[inline]
    pub fn contains_key(&self, key: &K) -> bool {
        self.root.get(key, self.is_far()).is_some()
    }

    /// Returns the entry with the smallest key.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(2, 'b'), (1, 'a')].into_iter().collect();
    /// assert_eq!(map.first_key_value(), Some((&1, &'a')));
    /// ```
    ///
    /// # Cost
    /// Logarithmic.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.root.first_from(Bound::Unbounded)
    }

    /// Returns the entry with the greatest key.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(2, 'b'), (1, 'a')].into_iter().collect();
    /// assert_eq!(map.last_key_value(), Some((&2, &'b')));
    /// ```
    ///
    /// # Cost
    /// Logarithmic.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.root.last_to(Bound::Unbounded)
    }

    /// Returns the entries, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = [(2, 'b'), (1, 'a')].into_iter().collect();
    /// assert!(map.iter().eq([(&1, &'a'), (&2, &'b')]));
    /// ```
    ///
    /// # Cost
    /// Logarithmic, then constant for each entry.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            cursor: self.cursor(Bound::Unbounded, Bound::Unbounded),
            left: self.len,
        }
    }

    /// Returns the entries with keys in a range, in order. An empty range has none, also where it
    /// begins after its end.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::Tree<_, _> = (0..10).map(|i| (i, ())).collect();
    /// assert!(map.range(3..=5).map(|(key, ())| *key).eq(3..=5));
    /// assert_eq!(map.range(10..).count(), 0);
    /// ```
    ///
    /// # Cost
    /// Logarithmic, then constant for each entry.
    pub fn range(&self, range: impl RangeBounds<K>) -> Range<'_, K, V> {
        Range {
            cursor: self.cursor(range.start_bound(), range.end_bound()),
        }
    }
}

impl<K: Ord + Clone, V> Tree<K, V> {
    /// Stores a value for a key; returns the previous one. (A key that is there already stays, as
    /// with `BTreeMap`.)
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = sumac::batch::Tree::new();
    /// assert_eq!(map.insert(1, 'a'), None);
    /// assert_eq!(map.insert(1, 'b'), Some('a'));
    /// ```
    ///
    /// # Cost
    /// Logarithmic; allocates if a node splits.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.root.is_full() {
            let root = mem::take(&mut self.root);
            self.root = Node::Inner(Row::of(root));
        }
        let far = self.is_far();
        let mut node = &mut self.root;
        loop {
            match node {
                Node::Inner(row) => {
                    let mut i = row.child(&key);
                    if row.nodes[i].is_full() {
                        row.split(i, &key);
                        i += usize::from(row.separators[i].cmp(&key).is_le());
                    }
                    node = &mut row.nodes[i];
                }
                Node::Leaf(leaf) => match leaf.find(&key, far) {
                    Ok(place) => {
                        // Before there is a result that its panic could lose.
                        drop(key);
                        return Some(mem::replace(&mut leaf.values[place], value));
                    }
                    Err(place) => {
                        leaf.insert(place, key, value);
                        self.len += 1;
                        return None;
                    }
                },
            }
        }
    }

    /// Removes a key; returns its value.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map: sumac::batch::Tree<_, _> = [(1, 'a')].into_iter().collect();
    /// assert_eq!(map.remove(&1), Some('a'));
    /// assert_eq!(map.remove(&1), None);
    /// ```
    ///
    /// # Cost
    /// Logarithmic.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let far = self.is_far();
        let mut node = &mut self.root;
        let entry = loop {
            match node {
                Node::Inner(row) => {
                    let mut i = row.child(key);
                    if row.nodes[i].is_scant() && row.nodes.len() > 1 {
                        row.even(i.min(row.nodes.len() - 2));
                        i = row.child(key);
                    }
                    node = &mut row.nodes[i];
                }
                Node::Leaf(leaf) => break leaf.find(key, far).ok().map(|place| leaf.remove(place)),
            }
        };
        self.lower();
        self.len -= usize::from(entry.is_some());
        let (key, value) = entry?;
        drop(key);
        Some(value)
    }
}

impl<K: Ord + fmt::Debug, V: fmt::Debug> fmt::Debug for Tree<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

batch::ordered_map!(Tree);

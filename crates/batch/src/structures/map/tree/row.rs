//! Rows: neighbouring nodes of one height with what separates them. A row is what an inner node
//! consists of, and also what a node becomes in a batch: any number of nodes in its place.
//!
//! In a row that is complete every node that is not alone has its least size (`MIN`). `push` and
//! `append` see to that where two nodes meet; then nothing else can be wrong.

use super::node::Node;
use std::{mem, ops::Bound};
use sumac_core::join;

/// Nodes of one height. All keys of `nodes[i]` are below `separators[i]`; those of `nodes[i + 1]`
/// are not.
#[derive(Clone, Debug)]
pub(super) struct Row<K, V> {
    pub(super) separators: Vec<K>,
    pub(super) nodes: Vec<Node<K, V>>,
}

impl<K, V> Default for Row<K, V> {
    fn default() -> Self {
        Row {
            separators: Vec::new(),
            nodes: Vec::new(),
        }
    }
}

impl<K, V> Row<K, V> {
    /// The most nodes in an inner node. (Unit tests want high trees.)
    pub(super) const MAX: usize = if cfg!(test) { 8 } else { 64 };

    /// The least, where the inner node is not alone.
    pub(super) const MIN: usize = Self::MAX / 4;

    /// How many an inner node gets when there are many.
    const FILL: usize = Self::MAX - Self::MAX / 4;

    pub(super) fn with_capacity(nodes: usize) -> Self {
        Row {
            separators: Vec::with_capacity(nodes),
            nodes: Vec::with_capacity(nodes),
        }
    }

    /// A row of one node, or of none if nothing is in it.
    pub(super) fn of(node: Node<K, V>) -> Self {
        let mut row = Row::default();
        if !node.is_void() {
            row.nodes.push(node);
        }
        row
    }

    /// Keeps the first `len` nodes, at least one; returns the others, at least one, and what
    /// separates them.
    fn split_off(&mut self, len: usize) -> (K, Self) {
        let right = Row {
            separators: self.separators.split_off(len),
            nodes: self.nodes.split_off(len),
        };
        let separator = self.separators.pop();
        (separator.expect("a separator between two nodes"), right)
    }
}

impl<K: Ord, V> Row<K, V> {
    /// Which node has the key, if any.
    #[inline]
    pub(super) fn child(&self, key: &K) -> usize {
        self.separators.partition_point(|s| s.cmp(key).is_le())
    }

    /// Which node has the keys next to the bound; `open` if there is none.
    pub(super) fn child_of(&self, bound: Bound<&K>, open: usize) -> usize {
        match bound {
            Bound::Included(key) | Bound::Excluded(key) => self.child(key),
            Bound::Unbounded => open,
        }
    }
}

impl<K: Ord + Clone, V> Row<K, V> {
    /// Cuts a full node in two; `key` is about to be put in.
    pub(super) fn split(&mut self, i: usize, key: &K) {
        let (separator, right) = match &mut self.nodes[i] {
            Node::Leaf(leaf) => {
                let (separator, right) = leaf.split(key);
                (separator, Node::Leaf(right))
            }
            Node::Inner(row) => {
                let (separator, right) = row.split_off(row.nodes.len() / 2);
                (separator, Node::Inner(right))
            }
        };
        self.separators.insert(i, separator);
        self.nodes.insert(i + 1, right);
    }

    /// Makes one node of `i` and the next one, or two of about the same size.
    pub(super) fn even(&mut self, i: usize) {
        let (left, right) = self.nodes.split_at_mut(i + 1);
        match (&mut left[i], &mut right[0]) {
            (Node::Leaf(left), Node::Leaf(right)) => match left.join(right) {
                Some(separator) => self.separators[i] = separator,
                None => {
                    self.nodes.remove(i + 1);
                    self.separators.remove(i);
                }
            },
            (Node::Inner(left), Node::Inner(right)) => {
                match left.join(self.separators.remove(i), right) {
                    Some(separator) => self.separators.insert(i, separator),
                    None => drop(self.nodes.remove(i + 1)),
                }
            }
            _ => unreachable!("neighbours have one height"),
        }
    }

    /// The same for the rows of two inner nodes.
    fn join(&mut self, separator: K, right: &mut Self) -> Option<K> {
        self.append(Some(separator), mem::take(right));
        let total = self.nodes.len();
        if total <= Self::MAX {
            return None;
        }
        let (separator, rest) = self.split_off(total / 2);
        *right = rest;
        Some(separator)
    }

    /// Adds a node. The separator may be missing if it is the first.
    pub(super) fn push(&mut self, separator: Option<K>, node: Node<K, V>) {
        if node.is_void() {
            return;
        }
        let Some(last) = self.nodes.last() else {
            self.nodes.push(node);
            return;
        };
        let uneven = last.is_small() || node.is_small();
        let separator = separator.expect("a separator between two nodes");
        self.separators.push(separator);
        self.nodes.push(node);
        if uneven {
            self.even(self.nodes.len() - 2);
        }
    }

    /// Adds a complete row.
    pub(super) fn append(&mut self, separator: Option<K>, mut right: Self) {
        let seam = match self.nodes.len().checked_sub(1) {
            _ if right.nodes.is_empty() => return,
            Some(seam) => seam,
            None => {
                *self = right;
                return;
            }
        };
        let separator = separator.expect("a separator between two nodes");
        let uneven = self.nodes[seam].is_small() || right.nodes[0].is_small();
        self.separators.push(separator);
        self.separators.append(&mut right.separators);
        self.nodes.append(&mut right.nodes);
        if uneven {
            // A small node was alone: so it is mended, or alone again.
            self.even(seam);
        }
    }
}

impl<K: Ord + Clone + Send + Sync, V: Send + Sync> Row<K, V> {
    /// Makes inner nodes of a complete row with too many nodes for one: the row one level higher.
    pub(super) fn fold(self) -> Self {
        let groups = self.nodes.len().div_ceil(Self::FILL);
        self.fold_into(groups)
    }

    fn fold_into(mut self, groups: usize) -> Self {
        if groups <= 1 {
            // Cutting leaves the left part the memory of the whole.
            self.nodes.shrink_to(Self::MAX);
            self.separators.shrink_to(Self::MAX);
            return Row::of(Node::Inner(self));
        }
        let half = groups / 2;
        let (separator, right) = self.split_off(self.nodes.len() * half / groups);
        let (mut left, right) = join(|| self.fold_into(half), || right.fold_into(groups - half));
        left.append(Some(separator), right);
        left
    }

    /// Makes one tree of a complete row.
    pub(super) fn raise(mut self) -> Node<K, V> {
        while self.nodes.len() > 1 {
            self = self.fold();
        }
        self.nodes.pop().unwrap_or_default()
    }
}

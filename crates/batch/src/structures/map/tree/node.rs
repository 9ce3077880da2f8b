//! Nodes: a leaf with entries or an inner node with a row of nodes.

use super::{leaf::Leaf, row::Row};
use crate::structures::map::prefetch::Descend;
use std::ops::Bound;
use sumac_core::prefetch;

/// A subtree. All leaves below it are at one depth.
#[derive(Clone, Debug)]
pub(super) enum Node<K, V> {
    Leaf(Leaf<K, V>),
    Inner(Row<K, V>),
}

impl<K, V> Default for Node<K, V> {
    /// An empty map; also what is left for a moment where a node was taken out.
    fn default() -> Self {
        Node::Leaf(Leaf::default())
    }
}

impl<K, V> Node<K, V> {
    /// Nothing is in it: its row drops it.
    pub(super) fn is_void(&self) -> bool {
        match self {
            Node::Leaf(leaf) => leaf.len() == 0,
            Node::Inner(row) => row.nodes.is_empty(),
        }
    }

    /// It is too small to be one of several in a row.
    pub(super) fn is_small(&self) -> bool {
        match self {
            Node::Leaf(leaf) => leaf.len() < Leaf::<K, V>::MIN,
            Node::Inner(row) => row.nodes.len() < Row::<K, V>::MIN,
        }
    }

    /// With one less it would be small.
    #[inline]
    pub(super) fn is_scant(&self) -> bool {
        match self {
            Node::Leaf(leaf) => leaf.len() <= Leaf::<K, V>::MIN,
            Node::Inner(row) => row.nodes.len() <= Row::<K, V>::MIN,
        }
    }

    /// There is no place for one more.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        match self {
            Node::Leaf(leaf) => leaf.len() >= Leaf::<K, V>::MAX,
            Node::Inner(row) => row.nodes.len() >= Row::<K, V>::MAX,
        }
    }
}

impl<K: Ord, V> Node<K, V> {
    #[inline]
    pub(super) fn get(&self, key: &K, far: bool) -> Option<(&K, &V)> {
        let mut node = self;
        loop {
            match node {
                Node::Inner(row) => node = &row.nodes[row.child(key)],
                Node::Leaf(leaf) => {
                    let place = leaf.find(key, far).ok()?;
                    return Some((&leaf.keys[place], &leaf.values[place]));
                }
            }
        }
    }

    /// The entry with the smallest key within the bound. If it is not in the first child that may
    /// have it, it is in the next.
    pub(super) fn first_from(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        match self {
            Node::Leaf(leaf) => leaf.entry(leaf.first_place(bound)),
            Node::Inner(row) => {
                let mut nodes = row.nodes[row.child_of(bound, 0)..].iter();
                nodes.find_map(|node| node.first_from(bound))
            }
        }
    }

    /// The entry with the greatest key within the bound.
    pub(super) fn last_to(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        match self {
            Node::Leaf(leaf) => leaf.entry(leaf.end_place(bound).checked_sub(1)?),
            Node::Inner(row) => {
                let last = row.nodes.len().checked_sub(1)?;
                let mut nodes = row.nodes[..=row.child_of(bound, last)].iter().rev();
                nodes.find_map(|node| node.last_to(bound))
            }
        }
    }
}

impl<K: Ord, V> Descend<K> for Node<K, V> {
    #[inline]
    fn prefetch(&self) {
        match self {
            Node::Leaf(leaf) => leaf.prefetch(),
            Node::Inner(row) => prefetch(&row.separators),
        }
    }

    #[inline]
    fn below(&self, key: &K) -> Option<&Self> {
        match self {
            Node::Leaf(_) => None,
            Node::Inner(row) => row.nodes.get(row.child(key)),
        }
    }
}

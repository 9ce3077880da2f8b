//! Iterators: leaf by leaf, with the way from the root on a stack.

use super::{Tree, leaf::Leaf, node::Node};
use std::{fmt, iter::FusedIterator, ops::Bound, slice, vec};

/// Where an iteration is.
pub(super) struct Cursor<'a, K, V> {
    /// What comes after the present leaf, level by level.
    rest: Vec<slice::Iter<'a, Node<K, V>>>,
    keys: slice::Iter<'a, K>,
    values: slice::Iter<'a, V>,
    /// The key to end with, if it is not the map's last.
    last: Option<&'a K>,
}

impl<K, V> Clone for Cursor<'_, K, V> {
    fn clone(&self) -> Self {
        Cursor {
            rest: self.rest.clone(),
            keys: self.keys.clone(),
            values: self.values.clone(),
            last: self.last,
        }
    }
}

impl<'a, K: Ord, V> Cursor<'a, K, V> {
    fn nowhere() -> Self {
        Cursor {
            rest: Vec::new(),
            keys: [].iter(),
            values: [].iter(),
            last: None,
        }
    }

    /// What is left of the present leaf.
    pub(super) fn block(&self) -> (&'a [K], &'a [V]) {
        (self.keys.as_slice(), self.values.as_slice())
    }

    /// Goes to the first entry of the subtree within the bound.
    fn descend(&mut self, mut node: &'a Node<K, V>, from: Bound<&K>) {
        loop {
            match node {
                Node::Leaf(leaf) => return self.enter(leaf, leaf.first_place(from)),
                Node::Inner(row) => {
                    let mut nodes = row.nodes[row.child_of(from, 0)..].iter();
                    let Some(first) = nodes.next() else { return };
                    self.rest.push(nodes);
                    node = first;
                }
            }
        }
    }

    fn enter(&mut self, leaf: &'a Leaf<K, V>, place: usize) {
        let mut end = leaf.len();
        if let (Some(last), Some(key)) = (self.last, leaf.keys.last()) {
            if key.cmp(last).is_ge() {
                end = leaf.end_place(Bound::Included(last)).max(place);
                self.rest.clear();
            }
        }
        self.keys = leaf.keys[place..end].iter();
        self.values = leaf.values[place..end].iter();
    }

    /// Goes to the next leaf; false if there is none.
    pub(super) fn next_leaf(&mut self) -> bool {
        while let Some(nodes) = self.rest.last_mut() {
            match nodes.next() {
                Some(node) => {
                    self.descend(node, Bound::Unbounded);
                    return true;
                }
                None => drop(self.rest.pop()),
            }
        }
        false
    }

    fn fold<B>(mut self, mut acc: B, mut f: impl FnMut(B, (&'a K, &'a V)) -> B) -> B {
        loop {
            acc = self.keys.zip(self.values).fold(acc, &mut f);
            (self.keys, self.values) = ([].iter(), [].iter());
            if !self.next_leaf() {
                return acc;
            }
        }
    }

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        loop {
            if let Some(key) = self.keys.next() {
                return Some((key, self.values.next()?));
            }
            if !self.next_leaf() {
                return None;
            }
        }
    }
}

impl<K: Ord, V> Tree<K, V> {
    /// Stands at the first entry within the bounds, if there is one.
    pub(super) fn cursor(&self, from: Bound<&K>, to: Bound<&K>) -> Cursor<'_, K, V> {
        let mut cursor = Cursor::nowhere();
        if let Bound::Included(_) | Bound::Excluded(_) = to {
            match self.root.last_to(to) {
                Some((last, _)) => cursor.last = Some(last),
                None => return cursor,
            }
        }
        cursor.descend(&self.root, from);
        cursor
    }
}

/// The entries of a [`Tree`], in order: [`Tree::iter`].
pub struct Iter<'a, K, V> {
    pub(super) cursor: Cursor<'a, K, V>,
    pub(super) left: usize,
}

impl<'a, K: Ord, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        let entry = self.cursor.next()?;
        self.left = self.left.saturating_sub(1);
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B {
        self.cursor.fold(init, f)
    }
}

impl<K: Ord, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<K: Ord, V> FusedIterator for Iter<'_, K, V> {}

/// Some entries of a [`Tree`], in order: [`Tree::range`].
pub struct Range<'a, K, V> {
    pub(super) cursor: Cursor<'a, K, V>,
}

impl<'a, K: Ord, V> Iterator for Range<'a, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        self.cursor.next()
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B {
        self.cursor.fold(init, f)
    }
}

impl<K: Ord, V> FusedIterator for Range<'_, K, V> {}

/// The entries of a [`Tree`] by value, in order.
pub struct IntoIter<K, V> {
    rest: Vec<vec::IntoIter<Node<K, V>>>,
    keys: vec::IntoIter<K>,
    values: vec::IntoIter<V>,
    left: usize,
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    #[inline]
    fn next(&mut self) -> Option<(K, V)> {
        loop {
            if let Some(key) = self.keys.next() {
                self.left = self.left.saturating_sub(1);
                return Some((key, self.values.next()?));
            }
            match self.rest.last_mut()?.next() {
                Some(Node::Leaf(leaf)) => {
                    self.keys = leaf.keys.into_iter();
                    self.values = leaf.values.into_iter();
                }
                Some(Node::Inner(row)) => self.rest.push(row.nodes.into_iter()),
                None => drop(self.rest.pop()),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for IntoIter<K, V> {}
impl<K, V> FusedIterator for IntoIter<K, V> {}

impl<K, V> IntoIterator for Tree<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter {
            rest: vec![vec![self.root].into_iter()],
            keys: Vec::new().into_iter(),
            values: Vec::new().into_iter(),
            left: self.len,
        }
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a Tree<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter {
            cursor: self.cursor.clone(),
            left: self.left,
        }
    }
}

impl<K, V> Clone for Range<'_, K, V> {
    fn clone(&self) -> Self {
        Range {
            cursor: self.cursor.clone(),
        }
    }
}

impl<K: Ord + fmt::Debug, V: fmt::Debug> fmt::Debug for Iter<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<K: Ord + fmt::Debug, V: fmt::Debug> fmt::Debug for Range<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<K, V> fmt::Debug for IntoIter<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").finish_non_exhaustive()
    }
}

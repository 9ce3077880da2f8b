//! Iterators: node by node, with the way from the root on a stack.

use super::{IntSet, node::Node};
use std::{fmt, iter::FusedIterator, slice};

/// Numbers of an [`IntSet`], in order: from [`IntSet::iter`] and [`IntSet::range`].
#[derive(Clone)]
pub struct Iter<'a> {
    /// What comes after the present node, level by level.
    rest: Vec<slice::Iter<'a, Node>>,
    /// Of the present word the numbers from `base` on whose bits are set.
    base: u64,
    bits: u64,
    /// Of the present list.
    list: slice::Iter<'a, u64>,
    /// The greatest number to come.
    to: u64,
}

impl<'a> Iter<'a> {
    /// The numbers within these bounds, both included.
    pub(super) fn new(root: &'a Node, from: u64, to: u64) -> Self {
        let mut iter = Iter {
            rest: Vec::new(),
            base: 0,
            bits: 0,
            list: [].iter(),
            to,
        };
        iter.enter(root, from);
        iter
    }

    /// Goes to the first number of a node that is not below `from`.
    fn enter(&mut self, mut node: &'a Node, from: u64) {
        loop {
            match node {
                Node::Word { base, bits } => {
                    let below = from.saturating_sub(*base).min(64) as u32;
                    self.base = *base;
                    self.bits = bits & u64::MAX.checked_shl(below).unwrap_or(0);
                    return;
                }
                Node::List(keys) => {
                    self.list = keys[keys.partition_point(|&key| key < from)..].iter();
                    return;
                }
                Node::Row(row) if from > row.end() => return,
                Node::Row(row) => {
                    let (Ok(place) | Err(place)) = row.place(from.max(row.base));
                    let mut nodes = row.nodes[place..].iter();
                    let Some(first) = nodes.next() else { return };
                    self.rest.push(nodes);
                    node = first;
                }
            }
        }
    }

    #[inline]
    fn next_anywhere(&mut self) -> Option<u64> {
        loop {
            if self.bits != 0 {
                let key = self.base | u64::from(self.bits.trailing_zeros());
                self.bits &= self.bits - 1;
                return Some(key);
            }
            if let Some(key) = self.list.next() {
                return Some(*key);
            }
            match self.rest.last_mut()?.next() {
                Some(node) => self.enter(node, 0),
                None => drop(self.rest.pop()),
            }
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let key = self.next_anywhere()?;
        if key > self.to {
            // There is no other.
            (self.bits, self.list) = (0, [].iter());
            self.rest.clear();
            return None;
        }
        Some(key)
    }
}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> IntoIterator for &'a IntSet {
    type Item = u64;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

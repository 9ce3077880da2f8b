//! Iterators over a list, in order: a stack of blocks, the one of level 0 on top as plain slices.

use super::{SkipList, block::Block};
use std::{
    fmt,
    iter::{FusedIterator, Zip},
    ops::{Bound, RangeBounds},
    ptr, slice, vec,
};

/// What is left of a list.
struct Rest<'a, K, V> {
    /// What is left of the block of level 0.
    leaf: Leaf<'a, K, V>,
    /// The blocks above, each with the index of the next key.
    stack: Vec<(&'a Block<K, V>, usize)>,
}

type Leaf<'a, K, V> = Zip<slice::Iter<'a, K>, slice::Iter<'a, V>>;

impl<'a, K, V> Rest<'a, K, V> {
    /// Begins at the gaps that `gap` chooses.
    fn new(block: &'a Block<K, V>, gap: impl Fn(&Block<K, V>) -> usize) -> Self {
        let mut stack = Vec::new();
        let leaf = descend(&mut stack, block, gap);
        Rest { leaf, stack }
    }

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        match self.leaf.next() {
            Some(entry) => Some(entry),
            None => self.next_above(),
        }
    }

    fn next_above(&mut self) -> Option<(&'a K, &'a V)> {
        loop {
            let (block, next) = self.stack.last_mut()?;
            let (block, at) = (*block, *next);
            if let Some(entry) = block.entry(at) {
                *next += 1;
                self.leaf = descend(&mut self.stack, &block.down[at + 1], |_| 0);
                return Some(entry);
            }
            self.stack.pop();
        }
    }
}

/// Goes down to level 0 by the gaps that `gap` chooses.
fn descend<'a, K, V>(
    stack: &mut Vec<(&'a Block<K, V>, usize)>,
    mut block: &'a Block<K, V>,
    gap: impl Fn(&Block<K, V>) -> usize,
) -> Leaf<'a, K, V> {
    loop {
        let at = gap(block);
        let Some(below) = block.down.get(at) else {
            return block.keys[at..].iter().zip(&block.values[at..]);
        };
        stack.push((block, at));
        block = below;
    }
}

impl<K, V> Clone for Rest<'_, K, V> {
    fn clone(&self) -> Self {
        Rest {
            leaf: self.leaf.clone(),
            stack: self.stack.clone(),
        }
    }
}

/// The entries of a [`SkipList`], in order; from [`SkipList::iter`].
pub struct Iter<'a, K, V> {
    rest: Rest<'a, K, V>,
    len: usize,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.rest.next()?;
        self.len -= 1;
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

impl<K, V> FusedIterator for Iter<'_, K, V> {}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter {
            rest: self.rest.clone(),
            len: self.len,
        }
    }
}

/// The entries of a [`SkipList`] with keys in a range, in order; from [`SkipList::range`].
pub struct Range<'a, K, V> {
    rest: Rest<'a, K, V>,
    /// The last key. None: there are no more.
    last: Option<&'a K>,
}

impl<'a, K, V> Iterator for Range<'a, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let last = self.last?;
        let entry = self.rest.next()?;
        if ptr::eq(last, entry.0) {
            self.last = None;
        }
        Some(entry)
    }
}

impl<K, V> FusedIterator for Range<'_, K, V> {}

impl<K, V> Clone for Range<'_, K, V> {
    fn clone(&self) -> Self {
        Range {
            rest: self.rest.clone(),
            last: self.last,
        }
    }
}

/// The entries of a [`SkipList`] by value, in order; from its `into_iter`.
pub struct IntoIter<K, V> {
    leaf: Zip<vec::IntoIter<K>, vec::IntoIter<V>>,
    stack: Vec<Above<K, V>>,
    len: usize,
}

/// What is left of a block above level 0.
type Above<K, V> = (
    Zip<vec::IntoIter<K>, vec::IntoIter<V>>,
    vec::IntoIter<Block<K, V>>,
);

impl<K, V> IntoIter<K, V> {
    fn descend(&mut self, mut block: Block<K, V>) {
        loop {
            let entries = block.keys.into_iter().zip(block.values);
            let mut down = block.down.into_iter();
            match down.next() {
                Some(below) => {
                    self.stack.push((entries, down));
                    block = below;
                }
                None => {
                    self.leaf = entries;
                    return;
                }
            }
        }
    }
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    #[inline]
    fn next(&mut self) -> Option<(K, V)> {
        loop {
            if let Some(entry) = self.leaf.next() {
                self.len -= 1;
                return Some(entry);
            }
            let (entries, down) = self.stack.last_mut()?;
            let (entry, below) = (entries.next(), down.next());
            match below {
                Some(below) => self.descend(below),
                None => drop(self.stack.pop()),
            }
            if entry.is_some() {
                self.len -= 1;
                return entry;
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<K, V> ExactSizeIterator for IntoIter<K, V> {}

impl<K, V> FusedIterator for IntoIter<K, V> {}

impl<K, V> IntoIterator for SkipList<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        let mut iter = IntoIter {
            leaf: Vec::new().into_iter().zip(Vec::new()),
            stack: Vec::new(),
            len: self.len,
        };
        iter.descend(self.root);
        iter
    }
}

impl<'a, K, V> IntoIterator for &'a SkipList<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<K, V> SkipList<K, V> {
    /// Returns all entries, in order.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter([(2, 'b'), (1, 'a')]);
    /// assert!(list.iter().eq([(&1, &'a'), (&2, &'b')]));
    /// ```
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            rest: Rest::new(&self.root, |_| 0),
            len: self.len,
        }
    }
}

impl<K: Ord, V> SkipList<K, V> {
    /// Returns the entries with keys in a range, in order. A range that ends before it begins has
    /// none.
    ///
    /// ```
    /// let list = sumac_batch::SkipList::from_iter((0..10).map(|n| (n, n * n)));
    /// assert!(list.range(3..5).eq([(&3, &9), (&4, &16)]));
    /// assert_eq!(list.range(7..).count(), 3);
    /// ```
    ///
    /// # Cost
    /// Expected logarithmic, and constant for each entry: keys are compared at the beginning only.
    pub fn range(&self, range: impl RangeBounds<K>) -> Range<'_, K, V> {
        self.between(range.start_bound(), range.end_bound())
    }

    pub(super) fn between(&self, from: Bound<&K>, to: Bound<&K>) -> Range<'_, K, V> {
        let first = self.root.first_from(from).map(|(key, _)| key);
        let last = self.root.last_to(to).map(|(key, _)| key);
        // `None` is less than any first key.
        let last = last.filter(|last| first.is_some_and(|first| first.cmp(last).is_le()));
        let rest = Rest::new(&self.root, |block| block.gap_from(from));
        Range { rest, last }
    }
}

macro_rules! debug_as_name {
    ($($name:ty),*) => {$(
        impl<K, V> fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

debug_as_name!(Iter<'_, K, V>, Range<'_, K, V>, IntoIter<K, V>);

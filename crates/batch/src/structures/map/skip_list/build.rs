//! Making lists out of entries that come in order.

use super::{SkipList, block::Block, heights::Heights};
use std::mem;
use sumac_par::prelude::*;

/// A list that grows at its end: for each level the last block, without its last block below.
pub(super) struct Builder<K, V> {
    open: Vec<Block<K, V>>,
    len: usize,
}

impl<K, V> Builder<K, V> {
    pub(super) fn new() -> Self {
        Builder {
            open: vec![Block::EMPTY],
            len: 0,
        }
    }

    /// Adds an entry. Its key is greater than all before.
    pub(super) fn push(&mut self, key: K, value: V, height: usize) {
        if height > 0 {
            self.close(height);
        }
        let block = &mut self.open[height];
        block.keys.push(key);
        block.values.push(value);
        self.len += 1;
    }

    /// Ends the blocks below `height`.
    fn close(&mut self, height: usize) {
        while self.open.len() <= height {
            self.open.push(Block::EMPTY);
        }
        let mut below = self.open[0].take_with_room();
        for open in &mut self.open[1..height] {
            open.down.push(below);
            below = mem::replace(open, Block::EMPTY);
        }
        self.open[height].down.push(below);
    }

    pub(super) fn finish(mut self) -> (Block<K, V>, usize) {
        let top = self.open.len() - 1;
        if top > 0 {
            self.close(top);
        }
        let root = self.open.pop().expect("there is a level 0");
        (root, top)
    }
}

impl<K, V> Block<K, V> {
    /// Takes the entries of level 0 out, with some room for more, and leaves the memory to the next
    /// ones.
    fn take_with_room(&mut self) -> Self {
        let capacity = self.keys.len() + self.keys.len() / 4 + 2;
        let mut block = Block::EMPTY;
        block.keys.reserve_exact(capacity);
        block.values.reserve_exact(capacity);
        block.keys.append(&mut self.keys);
        block.values.append(&mut self.values);
        block
    }
}

impl<K, V> SkipList<K, V> {
    fn from_builder(builder: Builder<K, V>, heights: Heights) -> Self {
        let len = builder.len;
        let (root, top) = builder.finish();
        SkipList {
            root,
            top,
            len,
            heights,
        }
    }

    /// Appends a list whose keys are all greater.
    fn append(mut self, mut right: Self) -> Self {
        let top = self.top.max(right.top);
        self.raise(top);
        right.raise(top);
        self.root.append(right.root);
        self.len += right.len;
        self
    }
}

impl<K: Ord, V> SkipList<K, V> {
    /// Makes a list of entries whose keys ascend strictly, in parallel.
    ///
    /// ```
    /// use sumac_batch::SkipList;
    ///
    /// let squares = SkipList::from_sorted((0..100).map(|n| (n, n * n)).collect());
    /// assert_eq!(squares.get(&12), Some(&144));
    /// ```
    ///
    /// # Cost
    /// Linear work, without comparisons but one for each neighbouring pair.
    ///
    /// # Panics
    /// If a key is not greater than the one before.
    pub fn from_sorted(entries: Vec<(K, V)>) -> Self
    where
        K: Send + Sync,
        V: Send + Sync,
    {
        Self::from_sorted_with(entries, Heights::random())
    }

    pub(super) fn from_sorted_with(entries: Vec<(K, V)>, mut heights: Heights) -> Self
    where
        K: Send + Sync,
        V: Send + Sync,
    {
        let ascends = |pair: &[(K, V)]| pair[0].0.cmp(&pair[1].0).is_lt();
        assert!(
            entries.par_windows(2).all(ascends),
            "the keys are not in strictly ascending order"
        );
        let drawn = heights.fork();
        let list = entries
            .into_par_iter()
            .enumerate()
            .fold(Builder::new, |mut builder, (i, (key, value))| {
                builder.push(key, value, drawn.at(i));
                builder
            })
            .map(|builder| Self::from_builder(builder, heights.clone()))
            .reduce_with(Self::append);
        list.unwrap_or_default()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SkipList<K, V> {
    /// Of entries with equal keys, the last one counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut heights = Heights::random();
        let mut builder = Builder::new();
        let mut entries = entries.into_iter().peekable();
        while let Some((key, mut value)) = entries.next() {
            while let Some((_, later)) = entries.next_if(|next| next.0.cmp(&key).is_eq()) {
                value = later;
            }
            builder.push(key, value, heights.draw());
        }
        Self::from_builder(builder, heights)
    }
}

impl<K: Ord, V> Extend<(K, V)> for SkipList<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

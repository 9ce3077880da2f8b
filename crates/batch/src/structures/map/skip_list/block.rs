//! A block: some entries of one level, and what lies between them, one level below. Blocks are
//! split at keys and appended to each other; nothing here compares keys or runs any other code of
//! the user, so that nothing here unwinds half-way.

use super::heights::MAX_HEIGHT;
use crate::structures::map::group::MapRequest;
use crate::structures::map::op::MapAnswer;
use std::mem;
use sumac_core::prefetch;

/// Consecutive entries of one level.
///
/// Invariants, kept at any time: there are as many values as keys. `down` is empty in level 0;
/// above, it has one block more than there are keys, all of the level below: `down[i]` is what lies
/// before key `i`, and `down[i + 1]` what lies behind it.
#[derive(Clone, Debug)]
pub(super) struct Block<K, V> {
    pub(super) keys: Vec<K>,
    pub(super) values: Vec<V>,
    pub(super) down: Vec<Block<K, V>>,
}

/// A key on its way up to the level it belongs to.
pub(super) struct Up<K, V> {
    pub(super) key: K,
    pub(super) value: V,
    pub(super) height: usize,
    /// In which gap of the block that receives it: before the key with this index.
    pub(super) gap: usize,
    /// What lies behind it in the level below; nothing yet if it comes from no level below.
    pub(super) block: Block<K, V>,
}

/// An entry that leaves its block, by its index, and the request that gets its value.
pub(super) type Leaving<'r, K, V> = (usize, &'r mut MapRequest<K, V>);

/// The gap that a key belongs to, in each level.
pub(super) type Path = [usize; MAX_HEIGHT + 1];

impl<K, V> Block<K, V> {
    pub(super) const EMPTY: Self = Block {
        keys: Vec::new(),
        values: Vec::new(),
        down: Vec::new(),
    };

    /// An empty block with a single block below.
    pub(super) fn over(block: Self) -> Self {
        Block {
            down: vec![block],
            ..Block::EMPTY
        }
    }

    /// An empty block with room for so many entries, in level 0 or above.
    fn with_capacity(capacity: usize, leaf: bool) -> Self {
        Block {
            keys: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
            down: Vec::with_capacity(if leaf { 0 } else { capacity + 1 }),
        }
    }

    /// On level 0 of a map that is `far`, asks for all of its memory: a search waits for key after
    /// key, and only then for a value.
    #[inline]
    pub(super) fn prefetch_if_leaf(&self, far: bool) {
        if far && self.is_leaf() {
            prefetch(&self.keys);
            prefetch(&self.values);
        }
    }

    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.down.is_empty()
    }

    /// How much memory a block of level 0 with so many entries has beyond these. So blocks are full
    /// but for a fifth.
    fn room(len: usize) -> usize {
        len / 4 + 4
    }

    /// Puts an entry into level 0.
    #[inline]
    pub(super) fn insert(&mut self, at: usize, key: K, value: V) {
        if self.keys.len() == self.keys.capacity() {
            self.grow();
        }
        self.keys.insert(at, key);
        self.values.insert(at, value);
    }

    /// Vectors would double by themselves.
    #[cold]
    fn grow(&mut self) {
        let room = Self::room(self.keys.len());
        self.keys.reserve_exact(room);
        self.values.reserve_exact(room);
    }

    /// Gives memory back if less than half of it is in use.
    fn shrink(&mut self) {
        let len = self.keys.len();
        if self.keys.capacity() > 2 * len + 4 {
            self.keys.shrink_to(len + Self::room(len));
            self.values.shrink_to(len + Self::room(len));
        }
    }

    /// Puts an entry into a level above 0, and splits the blocks below. This block is of level
    /// `level`.
    #[cold]
    pub(super) fn insert_high(
        &mut self,
        level: usize,
        height: usize,
        path: &Path,
        key: K,
        value: V,
    ) {
        let mut block = self;
        for level in (height + 1..=level).rev() {
            block = &mut block.down[path[level]];
        }
        let gap = path[height];
        let right = block.down[gap].split(&path[..height]);
        block.keys.insert(gap, key);
        block.values.insert(gap, value);
        block.down.insert(gap + 1, right);
    }

    /// Takes an entry out. What lay behind it now lies behind its predecessor.
    pub(super) fn remove(&mut self, at: usize) -> (K, V) {
        if !self.is_leaf() {
            let right = self.down.remove(at + 1);
            self.down[at].append(right);
        }
        (self.keys.remove(at), self.values.remove(at))
    }

    /// Splits the block in two, level by level. `path` has the gap in each level, level 0 first.
    /// Returns the right part.
    pub(super) fn split(&mut self, path: &[usize]) -> Self {
        let (&gap, path) = path.split_last().expect("a block has a level");
        let len = self.keys.len() - gap;
        // Level 0 is about to grow.
        let room = if path.is_empty() { Self::room(len) } else { 0 };
        let mut right = Block::with_capacity(len + room, path.is_empty());
        right.keys.extend(self.keys.drain(gap..));
        right.values.extend(self.values.drain(gap..));
        if path.is_empty() {
            self.shrink();
        } else {
            right.down.push(self.down[gap].split(path));
            right.down.extend(self.down.drain(gap + 1..));
        }
        right
    }

    /// Appends a block of the same level whose keys are all greater.
    pub(super) fn append(&mut self, mut right: Self) {
        let mut down = mem::take(&mut right.down).into_iter();
        if let (Some(last), Some(first)) = (self.down.last_mut(), down.next()) {
            last.append(first);
            self.down.extend(down);
        }
        self.keys.append(&mut right.keys);
        self.values.append(&mut right.values);
    }

    /// Puts keys in that come from below, and takes entries out, all in one pass. `ups` and
    /// `leaving` are in order. Returns the keys that are higher than `level`, where the block is
    /// now cut.
    pub(super) fn merge(
        &mut self,
        level: usize,
        ups: Vec<Up<K, V>>,
        leaving: Vec<Leaving<'_, K, V>>,
    ) -> Vec<Up<K, V>> {
        let capacity = self.keys.len() + ups.len() - leaving.len();
        let old = mem::replace(self, Block::with_capacity(capacity, false));
        let mut parts = Parts {
            block: self,
            level,
            ups: Vec::new(),
        };
        let (mut new, mut leaving) = (ups.into_iter().peekable(), leaving.into_iter().peekable());
        let mut dead = Vec::new();
        let mut down = old.down.into_iter();
        parts.last().down.extend(down.next());
        for (i, (key, value)) in old.keys.into_iter().zip(old.values).enumerate() {
            while let Some(up) = new.next_if(|up| up.gap == i) {
                parts.push(up);
            }
            let below = down.next();
            let last = parts.last();
            if let Some((_, request)) = leaving.next_if(|leaving| leaving.0 == i) {
                dead.push((key, request.take_op()));
                request.answer(MapAnswer::Value(Some(value)));
                if let (Some(last), Some(below)) = (last.down.last_mut(), below) {
                    last.append(below);
                }
            } else {
                last.keys.push(key);
                last.values.push(value);
                last.down.extend(below);
            }
        }
        new.for_each(|up| parts.push(up));
        let ups = parts.ups;
        // The user's code, with everything in its place.
        drop(dead);
        ups
    }
}

/// What a block becomes: its first part, and keys of higher levels with the parts behind them.
struct Parts<'a, K, V> {
    block: &'a mut Block<K, V>,
    level: usize,
    ups: Vec<Up<K, V>>,
}

impl<K, V> Parts<'_, K, V> {
    /// The part that is being filled.
    #[inline]
    fn last(&mut self) -> &mut Block<K, V> {
        match self.ups.last_mut() {
            Some(up) => &mut up.block,
            None => self.block,
        }
    }

    fn push(&mut self, up: Up<K, V>) {
        if up.height == self.level {
            let last = self.last();
            last.keys.push(up.key);
            last.values.push(up.value);
            last.down.push(up.block);
        } else {
            let block = Block::over(up.block);
            self.ups.push(Up { block, ..up });
        }
    }
}

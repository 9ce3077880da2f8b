//! Nodes: words, lists, and rows of nodes; and what single operations do to them.

use std::mem;
use sumac_par::prelude::*;

/// So many numbers at most are in a list.
pub(super) const LIST: usize = if cfg!(test) { 6 } else { 64 };

/// A word with no more numbers becomes a list if a number comes that does not belong to it: that
/// takes less memory than a row.
pub(super) const SPARSE: u32 = if cfg!(test) { 2 } else { 8 };

/// A part of the set.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Of the 64 numbers from `base` on those whose bits are set: some, unless the node is alone.
    Word { base: u64, bits: u64 },
    /// Ascending numbers: not all of one word, and `LIST` at most.
    List(Vec<u64>),
    /// At least two nodes.
    Row(Box<Row>),
}

/// Numbers that differ in a digit of base 64, and in none above: for each digit that occurs a node
/// with the numbers that have it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The digit is that with the value 64^`level`, which is not the last one.
    pub(super) level: u32,
    /// The smallest number that belongs here: the digits above, then zeros.
    pub(super) base: u64,
    /// The digits that occur.
    pub(super) digits: u64,
    /// None is empty.
    pub(super) nodes: Vec<Node>,
}

/// The highest digit in which the two differ; 0 if they do not.
pub(super) fn level_of(a: u64, b: u64) -> u32 {
    ((a ^ b) | 1).ilog2() / 6
}

#[inline]
pub(super) fn digit(key: u64, level: u32) -> u32 {
    (key >> (6 * level)) as u32 & 63
}

/// The smallest number with the same digits above `level`.
#[inline]
pub(super) fn base_of(key: u64, level: u32) -> u64 {
    key & u64::MAX.checked_shl(6 * (level + 1)).unwrap_or(0)
}

/// The greatest number with the same digits above `level`.
#[inline]
fn end_of(key: u64, level: u32) -> u64 {
    key | !base_of(u64::MAX, level)
}

impl Row {
    /// A row of ascending numbers, in parallel.
    fn of(level: u32, keys: &[u64]) -> Self {
        let base = base_of(keys.first().copied().unwrap_or(0), level);
        let (mut digits, mut groups) = (0, Vec::new());
        let mut rest = keys;
        while let Some(&first) = rest.first() {
            let this = digit(first, level);
            let group;
            (group, rest) = rest.split_at(rest.partition_point(|&key| digit(key, level) == this));
            digits |= 1 << this;
            groups.push(group);
        }
        let nodes = groups.into_par_iter().map(Node::of).collect();
        Row {
            level,
            base,
            digits,
            nodes,
        }
    }

    /// Whether a number belongs here.
    #[inline]
    pub(super) fn spans(&self, key: u64) -> bool {
        base_of(key, self.level) == self.base
    }

    /// The greatest number that belongs here.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        end_of(self.base, self.level)
    }

    /// Where the node of a number is, or would be.
    #[inline]
    pub(super) fn place(&self, key: u64) -> Result<usize, usize> {
        let bit = 1 << digit(key, self.level);
        let place = (self.digits & (bit - 1)).count_ones() as usize;
        if self.digits & bit != 0 {
            Ok(place)
        } else {
            Err(place)
        }
    }

    /// The node of a number. If there is none yet, it is empty.
    #[inline]
    pub(super) fn node_of(&mut self, key: u64) -> &mut Node {
        let place = self.place(key).unwrap_or_else(|place| {
            self.digits |= 1 << digit(key, self.level);
            self.nodes.insert(place, Node::EMPTY);
            place
        });
        &mut self.nodes[place]
    }
}

impl Node {
    pub(super) const EMPTY: Node = Node::Word { base: 0, bits: 0 };

    /// Of ascending numbers, in parallel.
    pub(super) fn of(keys: &[u64]) -> Self {
        let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
            return Node::EMPTY;
        };
        match level_of(first, last) {
            0 => Node::Word {
                base: base_of(first, 0),
                bits: keys.iter().fold(0, |bits, &key| bits | 1 << digit(key, 0)),
            },
            _ if keys.len() <= LIST => Node::List(keys.to_vec()),
            level => Node::Row(Box::new(Row::of(level, keys))),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Node::Word { bits: 0, .. })
    }

    #[inline]
    pub(super) fn contains(&self, key: u64) -> bool {
        let mut node = self;
        loop {
            match node {
                Node::Word { base, bits } => {
                    return base_of(key, 0) == *base && bits >> digit(key, 0) & 1 != 0;
                }
                Node::List(keys) => return keys.binary_search(&key).is_ok(),
                Node::Row(row) => match row.place(key) {
                    Ok(place) if row.spans(key) => node = &row.nodes[place],
                    _ => return false,
                },
            }
        }
    }

    /// The smallest number that is not below `key`.
    pub(super) fn at_least(&self, key: u64) -> Option<u64> {
        match self {
            Node::Word { base, bits } => {
                let below = key.saturating_sub(*base);
                let bits = bits & u64::MAX.checked_shl(u32::try_from(below).ok()?)?;
                (bits != 0).then(|| base | u64::from(bits.trailing_zeros()))
            }
            Node::List(keys) => keys.get(keys.partition_point(|&k| k < key)).copied(),
            Node::Row(row) if key > row.end() => None,
            Node::Row(row) => {
                let (Ok(place) | Err(place)) = row.place(key.max(row.base));
                // If it is not in the first one it is in the next.
                row.nodes[place..]
                    .iter()
                    .find_map(|node| node.at_least(key))
            }
        }
    }

    /// The greatest number that is not above `key`.
    pub(super) fn at_most(&self, key: u64) -> Option<u64> {
        match self {
            Node::Word { base, bits } => {
                let above = end_of(*base, 0).saturating_sub(key);
                let bits = bits & u64::MAX.checked_shr(u32::try_from(above).ok()?)?;
                bits.checked_ilog2().map(|last| base | u64::from(last))
            }
            Node::List(keys) => keys[..keys.partition_point(|&k| k <= key)].last().copied(),
            Node::Row(row) if key < row.base => None,
            Node::Row(row) => {
                let end = match row.place(key.min(row.end())) {
                    Ok(place) => place + 1,
                    Err(place) => place,
                };
                let mut nodes = row.nodes[..end].iter().rev();
                nodes.find_map(|node| node.at_most(key))
            }
        }
    }

    /// Puts a number in. Returns whether it was not there.
    #[inline]
    pub(super) fn insert(&mut self, key: u64) -> bool {
        match self {
            Node::Word { base, bits } if base_of(key, 0) == *base => {
                let before = *bits;
                *bits |= 1 << digit(key, 0);
                *bits != before
            }
            Node::List(keys) if keys.len() < LIST => {
                let place = keys.binary_search(&key);
                if let Err(place) = place {
                    keys.insert(place, key);
                }
                place.is_err()
            }
            Node::Row(row) if row.spans(key) => row.node_of(key).insert(key),
            _ => self.grow(key),
        }
    }

    /// Puts a number in for which there is no place in the node as it is.
    #[cold]
    fn grow(&mut self, key: u64) -> bool {
        match self {
            Node::List(keys) => {
                let Err(place) = keys.binary_search(&key) else {
                    return false;
                };
                keys.insert(place, key);
                *self = Node::of(keys);
            }
            Node::Word { bits: 0, .. } => *self = Node::of(&[key]),
            Node::Word { base, bits } if bits.count_ones() <= SPARSE => {
                let (base, bits) = (*base, *bits);
                let word = (0..64).filter(|bit| bits >> bit & 1 != 0);
                let mut keys: Vec<u64> = word.map(|bit| base | bit).collect();
                keys.insert(if key < base { 0 } else { keys.len() }, key);
                *self = Node::List(keys);
            }
            Node::Word { base, .. } => {
                let level = level_of(*base, key);
                *self.raise(level, key).node_of(key) = Node::of(&[key]);
            }
            Node::Row(row) => {
                let level = level_of(row.base, key);
                *self.raise(level, key).node_of(key) = Node::of(&[key]);
            }
        }
        true
    }

    /// Makes it a row of this level, of what is there already. `key` belongs to it, too.
    pub(super) fn raise(&mut self, level: u32, key: u64) -> &mut Row {
        let base = base_of(key, level);
        let row = |digits, nodes| Row {
            level,
            base,
            digits,
            nodes,
        };
        let row = match mem::take(self) {
            Node::List(keys) => Row::of(level, &keys),
            Node::Word { bits: 0, .. } => row(0, Vec::new()),
            Node::Word { base, bits } => {
                let word = Node::Word { base, bits };
                row(1 << digit(base, level), vec![word])
            }
            Node::Row(old) => row(1 << digit(old.base, level), vec![Node::Row(old)]),
        };
        *self = Node::Row(Box::new(row));
        match self {
            Node::Row(row) => row,
            _ => unreachable!("it has just become one"),
        }
    }

    /// Takes a number out. Returns whether it was there.
    pub(super) fn remove(&mut self, key: u64) -> bool {
        match self {
            Node::Word { base, bits } => {
                let before = *bits;
                if base_of(key, 0) == *base {
                    *bits &= !(1 << digit(key, 0));
                }
                *bits != before
            }
            Node::List(keys) => {
                let Ok(place) = keys.binary_search(&key) else {
                    return false;
                };
                keys.remove(place);
                if level_of(keys[0], keys[keys.len() - 1]) == 0 {
                    *self = Node::of(keys);
                } else {
                    shrink(keys);
                }
                true
            }
            Node::Row(row) => {
                let Ok(place) = row.place(key) else {
                    return false;
                };
                let removed = row.spans(key) && row.nodes[place].remove(key);
                if row.nodes[place].is_empty() {
                    row.digits &= !(1 << digit(key, row.level));
                    row.nodes.remove(place);
                    self.tidy();
                }
                removed
            }
        }
    }

    /// Is it a row of one node or none, this takes its place.
    pub(super) fn tidy(&mut self) {
        if let Node::Row(row) = self {
            match row.nodes.len() {
                0 | 1 => *self = row.nodes.pop().unwrap_or_default(),
                _ => shrink(&mut row.nodes),
            }
        }
    }
}

impl Default for Node {
    fn default() -> Self {
        Node::EMPTY
    }
}

/// Gives memory back if less than a quarter of it is in use.
fn shrink<T>(of: &mut Vec<T>) {
    if of.len() < of.capacity() / 4 {
        of.shrink_to(2 * of.len());
    }
}

//! `Partition`: a division into equal parts.

use std::ops::Range;

/// A division of `0..len` into consecutive parts whose lengths differ by at most one block.
///
/// Earlier parts are the longer ones; the last block may be incomplete.
///
/// # Examples
/// ```
/// use sumac_mpi::Partition;
///
/// let parts = Partition::new(10, 3);
/// assert_eq!((parts.range(0), parts.range(1), parts.range(2)), (0..4, 4..7, 7..10));
///
/// let blocks = Partition::blocks(10, 3, 4); // 0..4, 4..8, 8..10
/// assert_eq!((blocks.range(0), blocks.range(2)), (0..4, 8..10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    len: u64,
    parts: u64,
    block: u64,
}

impl Partition {
    /// Divides `len` elements into `parts` parts whose lengths differ by at most one.
    ///
    /// ```
    /// use sumac_mpi::Partition;
    ///
    /// let parts = Partition::new(10, 3);
    /// assert_eq!([parts.range(0), parts.range(1), parts.range(2)], [0..4, 4..7, 7..10]);
    /// ```
    ///
    /// # Panics
    /// If `parts` is 0.
    pub fn new(len: u64, parts: usize) -> Self {
        Self::blocks(len, parts, 1)
    }

    /// Divides `len` elements into `parts` parts at multiples of `block`.
    ///
    /// ```
    /// use sumac_mpi::Partition;
    ///
    /// let parts = Partition::blocks(10, 2, 4); // 0..4 and 4..8, then 8..10
    /// assert_eq!([parts.range(0), parts.range(1)], [0..8, 8..10]);
    /// ```
    ///
    /// # Panics
    /// If `parts` or `block` is 0.
    pub fn blocks(len: u64, parts: usize, block: u64) -> Self {
        assert!(
            parts > 0 && block > 0,
            "the number of parts and the length of blocks must be at least 1"
        );
        Self {
            len,
            parts: parts as u64,
            block,
        }
    }

    /// Returns the number of elements of all parts.
    ///
    /// ```
    /// assert_eq!(sumac_mpi::Partition::new(10, 3).len(), 10);
    /// ```
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of parts.
    ///
    /// ```
    /// assert_eq!(sumac_mpi::Partition::new(10, 3).parts(), 3);
    /// ```
    pub fn parts(&self) -> usize {
        self.parts as usize
    }

    /// Returns the range of elements of a part.
    ///
    /// ```
    /// use sumac_mpi::Partition;
    ///
    /// let parts = Partition::new(7, 3);
    /// let lengths = (0..parts.parts()).map(|part| parts.range(part).count());
    /// assert_eq!(lengths.collect::<Vec<_>>(), [3, 2, 2]);
    /// ```
    ///
    /// # Panics
    /// If there is no such part.
    pub fn range(&self, part: usize) -> Range<u64> {
        assert!(
            (part as u64) < self.parts,
            "no part {part}: there are {} parts",
            self.parts
        );
        self.start(part as u64)..self.start(part as u64 + 1)
    }

    /// Returns the start of a part: after that many shares, and one block more for each of the
    /// first parts.
    fn start(&self, part: u64) -> u64 {
        let blocks = self.len.div_ceil(self.block);
        let (share, more) = (blocks / self.parts, blocks % self.parts);
        let before = share * part + more.min(part);
        before.saturating_mul(self.block).min(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::Partition;
    use proptest::prelude::*;

    /// Consecutive, complete, and equal but for one block.
    fn check(len: u64, parts: usize, block: u64) {
        let partition = Partition::blocks(len, parts, block);
        let (mut next, mut least, mut most) = (0, u64::MAX, 0);
        for part in 0..parts {
            let range = partition.range(part);
            assert_eq!(range.start, next, "{partition:?}");
            next = range.end;
            assert!(next == len || next % block == 0, "{partition:?}");
            let blocks = (range.end - range.start).div_ceil(block);
            (least, most) = (least.min(blocks), most.max(blocks));
        }
        assert_eq!(next, len, "{partition:?}");
        assert!(most - least <= 1, "{partition:?}: {least} to {most} blocks");
    }

    #[test]
    fn small() {
        for len in 0..=70 {
            for parts in 1..=20 {
                for block in [1, 2, 3, 7, 64] {
                    check(len, parts, block);
                }
            }
        }
    }

    #[test]
    fn the_largest() {
        for parts in [1, 2, 3, 7, 4096] {
            for block in [1, 64, 1 << 20, u64::MAX] {
                check(u64::MAX, parts, block);
            }
        }
    }

    proptest! {
        #[test]
        fn any(len: u64, parts in 1_usize..5000, block in 1_u64..1 << 40) {
            check(len, parts, block);
        }
    }
}

//! The halving tree: rank 0 has all bytes, gives half of them to rank 1, half of what it keeps to
//! rank 2, then to rank 4, and so on; a rank that was given some does the same with higher ranks.
//! The halves are cut so that all ranks end with equal shares, be they a power of two or not: what
//! is halved is the ranks below a rank, and bytes follow ranks.

use std::ops::Range;

/// A rank's place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Who sends it bytes, and gets its sum. None for rank 0.
    pub parent: Option<usize>,
    /// The bytes that it gets.
    pub all: Range<u64>,
    /// The first of them, which it keeps.
    pub own: Range<u64>,
    /// Who gets the others.
    pub children: Vec<(usize, Range<u64>)>,
}

impl Node {
    /// The place of `rank` among `ranks`, for so many bytes.
    ///
    /// # Examples
    /// ```
    /// let node = sumac_adders::Node::new(1, 4, 100);
    /// assert_eq!((node.parent, node.all, node.own), (Some(0), 50..100, 50..75));
    /// assert_eq!(node.children, [(3, 75..100)]);
    /// ```
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn new(rank: usize, ranks: usize, bytes: u64) -> Node {
        assert!(rank < ranks, "no rank {rank} among {ranks}");
        let (share, more) = (bytes / ranks as u64, bytes % ranks as u64);
        let start = |place: usize| share * place as u64 + more.min(place as u64);
        // The subtree of `root` is every `step`-th rank from it on, at so many places in the order
        // of bytes.
        let (mut root, mut step, mut places) = (0, 1, 0..ranks);
        let (mut parent, mut children, mut all) = (None, Vec::new(), 0..bytes);
        while root + step < ranks {
            let kept = (ranks - root).div_ceil(2 * step);
            let middle = places.start + kept;
            let given = start(middle)..start(places.end);
            if (rank - root) % (2 * step) == 0 {
                children.push((root + step, given));
                places.end = middle;
            } else {
                (parent, all) = (Some(root), given);
                children.clear();
                root += step;
                places.start = middle;
            }
            step *= 2;
        }
        Node {
            parent,
            all,
            own: start(places.start)..start(places.end),
            children,
        }
    }
}

/// The cells of a grid of so many bytes that lie in a range, the last one first, cut to it. Sender
/// and receiver divide what they send by it, so that no message is longer, and neither needs to
/// ask.
///
/// # Examples
/// ```
/// let cells: Vec<_> = sumac_adders::cells(&(5..25), 10).collect();
/// assert_eq!(cells, [20..25, 10..20, 5..10]);
/// ```
///
/// # Panics
/// If cells are empty.
pub fn cells(range: &Range<u64>, bytes: u64) -> impl Iterator<Item = Range<u64>> + use<> {
    let Range { start, end } = *range;
    let numbers = start / bytes..end.div_ceil(bytes);
    let cut =
        move |n: u64| (n * bytes).max(start)..(n.saturating_add(1).saturating_mul(bytes)).min(end);
    numbers.rev().map(cut).filter(|cell| cell.start < cell.end)
}

#[cfg(test)]
mod tests {
    use super::{Node, cells};
    use proptest::prelude::*;

    /// Shares are equal but for one byte and make up everything; what a parent gives is what a
    /// child gets.
    fn check(ranks: usize, bytes: u64) {
        let nodes: Vec<Node> = (0..ranks)
            .map(|rank| Node::new(rank, ranks, bytes))
            .collect();
        let mut own: Vec<_> = nodes.iter().map(|node| node.own.clone()).collect();
        own.sort_by_key(|own| (own.start, own.end));
        let mut next = 0;
        for own in own {
            assert_eq!(own.start, next);
            let len = own.end - own.start;
            assert!(len == bytes / ranks as u64 || len == bytes.div_ceil(ranks as u64));
            next = own.end;
        }
        assert_eq!(next, bytes);
        for (rank, node) in nodes.iter().enumerate() {
            assert_eq!(node.parent.is_none(), rank == 0);
            assert_eq!(node.own.start, node.all.start);
            let mut end = node.all.end;
            for (child, given) in &node.children {
                assert_eq!(
                    (nodes[*child].parent, &nodes[*child].all),
                    (Some(rank), given)
                );
                assert_eq!(given.end, end);
                end = given.start;
            }
            assert_eq!(node.own.end, end);
        }
    }

    #[test]
    fn few() {
        for ranks in 1..=20 {
            for bytes in 0..=70 {
                check(ranks, bytes);
            }
        }
    }

    proptest! {
        #[test]
        fn any(ranks in 1_usize..600, bytes: u64) {
            check(ranks, bytes);
        }

        #[test]
        fn cells_are_short_and_complete(start in 0_u64..10_000, len in 0_u64..3000, bytes in 1_u64..5000) {
            let mut end = start + len;
            for cell in cells(&(start..end), bytes) {
                prop_assert_eq!(cell.end, end);
                prop_assert!(cell.start < cell.end && cell.end - cell.start <= bytes);
                end = cell.start;
            }
            prop_assert_eq!(end, start);
        }
    }
}

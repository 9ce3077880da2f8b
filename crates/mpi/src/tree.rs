//! The tree along which ranks combine and spread values.
//!
//! A rank's subtree is a run of consecutive ranks that starts with itself, and its children's runs
//! follow each other. So values that are combined from the first child to the last stay in the
//! order of their ranks, and operators need not be commutative.
//!
//! For small values of few ranks all others are the root's children. One message more costs the
//! root less than one step more costs all ranks, and if there are more ranks than processors each
//! rank needs a processor only once, instead of whenever its neighbours are done.

use std::mem::needs_drop;

/// A rank's neighbours in the tree of `size` ranks with rank 0 as its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) parent: Option<usize>,
    /// Ascending; the last has the largest subtree.
    pub(crate) children: Vec<usize>,
}

/// The greatest number of ranks of which one has all others as its children.
const FEW: usize = 16;

impl Tree {
    /// Returns the tree for values of a type, which is the same at all ranks.
    pub(crate) fn of<T>(rank: usize, size: usize) -> Self {
        match Self::is_flat::<T>(size) {
            true => Self::flat(rank, size),
            false => Self::new(rank, size),
        }
    }

    /// Returns whether all others are the root's children in the tree for values of a type.
    pub(crate) fn is_flat<T>(size: usize) -> bool {
        size <= FEW && size_of::<T>() <= 64 && !needs_drop::<T>()
    }

    fn flat(rank: usize, size: usize) -> Self {
        let (parent, children) = match rank {
            0 => (None, (1..size).collect()),
            _ => (Some(0), Vec::new()),
        };
        Self { parent, children }
    }

    pub(crate) fn new(rank: usize, size: usize) -> Self {
        let (mut children, mut distance) = (Vec::new(), 1);
        while distance < size {
            if rank & distance != 0 {
                let parent = Some(rank - distance);
                return Self { parent, children };
            }
            if rank + distance < size {
                children.push(rank + distance);
            }
            distance *= 2;
        }
        Self {
            parent: None,
            children,
        }
    }

    /// Returns the same tree with another root, as if ranks were counted from it.
    pub(crate) fn rooted<T>(root: usize, rank: usize, size: usize) -> Self {
        let actual = |relative: usize| (relative + root) % size;
        let tree = Self::of::<T>((rank + size - root) % size, size);
        Self {
            parent: tree.parent.map(actual),
            children: tree.children.into_iter().map(actual).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use std::ops::Range;

    /// Returns the run of ranks under `rank`, whose runs must follow each other.
    fn run(rank: usize, size: usize) -> Range<usize> {
        let mut end = rank + 1;
        for child in Tree::new(rank, size).children {
            assert_eq!(Tree::new(child, size).parent, Some(rank));
            let run = run(child, size);
            assert_eq!(run.start, end);
            end = run.end;
        }
        rank..end
    }

    #[test]
    fn subtrees_are_consecutive() {
        for size in 1..=200 {
            assert_eq!(run(0, size), 0..size);
            assert_eq!(Tree::new(0, size).parent, None);
        }
    }

    #[test]
    fn small_values_of_few_ranks_take_one_step() {
        assert_eq!(Tree::of::<[u64; 8]>(0, 16).children.len(), 15);
        assert_eq!(Tree::of::<[u64; 8]>(15, 16).parent, Some(0));
        assert_eq!(Tree::of::<[u64; 9]>(0, 16), Tree::new(0, 16));
        assert_eq!(Tree::of::<Box<u64>>(0, 16), Tree::new(0, 16));
        assert_eq!(Tree::of::<u64>(0, 17), Tree::new(0, 17));
    }

    #[test]
    fn any_root() {
        for size in 1..=20 {
            for root in 0..size {
                let orphans: Vec<usize> = (0..size)
                    .filter(|rank| Tree::rooted::<u8>(root, *rank, size).parent.is_none())
                    .collect();
                assert_eq!(orphans, [root]);
                let children =
                    (0..size).flat_map(|rank| Tree::rooted::<String>(root, rank, size).children);
                assert_eq!(children.count(), size - 1);
            }
        }
    }
}

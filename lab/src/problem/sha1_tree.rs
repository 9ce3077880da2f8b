//! A balanced tree with a unit of work at every node: SHA-1 of the node's value, then of the
//! digest, and so on, as often as asked for. It shows how much work a fork must bring along to be
//! worth its cost.

use sha1::{Digest, Sha1};

use super::Problem;
use super::tree::{Node, Tree, share};
use crate::contender::{Baseline, Contender};

/// The tree, and how often each node hashes.
pub(crate) struct Sha1Tree {
    tree: Tree,
    work: u64,
    expected: u64,
}

impl Sha1Tree {
    /// A tree of so many nodes, each with so much work.
    pub(crate) fn new(nodes: u64, work: u64) -> Sha1Tree {
        // The values are the numbers from 1: the answer needs no tree.
        let expected = (1..=nodes).fold(0, |sum: u64, val| sum.wrapping_add(unit(val, work)));
        Sha1Tree {
            tree: Tree::new(nodes),
            work,
            expected,
        }
    }
}

/// A node's part of the sum: the first eight bytes of the last digest, or without work its value.
#[inline]
fn unit(val: u64, work: u64) -> u64 {
    if work == 0 {
        return val;
    }
    let mut digest = Sha1::digest(val.to_le_bytes());
    for _ in 1..work {
        digest = Sha1::digest(digest);
    }
    digest
        .iter()
        .take(8)
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// The problem's text.
#[inline(never)]
fn sum<C: Contender>(node: &Node, work: u64, cx: &mut C::Cx<'_>) -> u64 {
    let (left, right) = C::join(
        cx,
        |cx| {
            let left = node.left.as_deref();
            left.map_or(0, |n| sum::<C>(n, work, cx))
        },
        |cx| {
            let right = node.right.as_deref();
            right.map_or(0, |n| sum::<C>(n, work, cx))
        },
    );
    unit(node.val, work).wrapping_add(left).wrapping_add(right)
}

impl Problem for Sha1Tree {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        sum::<C>(&self.tree.root, self.work, cx)
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        share(
            (part, parts),
            &self.tree.root,
            |node| unit(node.val, self.work),
            |node| sum::<Baseline>(node, self.work, &mut ()),
        )
    }

    fn pieces(&self) -> u64 {
        self.tree.pieces()
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

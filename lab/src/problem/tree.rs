//! The sum of a binary tree with a join at every node, the empty ones too: the seeds' problem.
//! Nodes are allocated in pre-order, so left first is memory order. The tree is balanced: it halves
//! what is left at every node, the larger half to the right.

use super::Problem;
use crate::contender::{Baseline, Contender};
use crate::machine;
use crate::table::grouped;

/// What the allocator takes for a node: 24 bytes and its own 8.
const BYTES_PER_NODE: u64 = 32;

/// Trees larger than this do not fit into any memory.
pub(crate) const MOST_NODES: u64 = (1 << 40) - 1;

/// The number of nodes of a perfect tree that fits into memory.
pub(crate) fn nodes(text: &str) -> Result<u64, String> {
    let nodes: u64 = text
        .replace('_', "")
        .parse()
        .map_err(|_| "not a number of nodes".to_string())?;
    if nodes == 0 || nodes > MOST_NODES || !(nodes + 1).is_power_of_two() {
        return Err("a perfect tree has 2^k-1 nodes, such as 1023 or 16777215".into());
    }
    fits(nodes)?;
    Ok(nodes)
}

/// Whether so many nodes fit into the memory that is free.
pub(crate) fn fits(nodes: u64) -> Result<(), String> {
    let needed = nodes.saturating_mul(BYTES_PER_NODE);
    match machine::available_bytes() {
        Some(free) if needed > free / 10 * 9 => Err(format!(
            "{nodes} nodes take {} MiB of memory, and {} MiB are free",
            needed >> 20,
            free >> 20
        )),
        _ => Ok(()),
    }
}

/// What experiments with a tree are called.
pub(crate) fn title(nodes: u64) -> String {
    format!("tree of {} nodes", grouped(nodes))
}

/// A node.
///
/// The children are declared right before left since fields drop in this order: nodes are freed in
/// exactly the reverse of the order they were allocated in, and the free lists of the allocator
/// give the next tree its nodes in ascending order again.
pub(super) struct Node {
    pub(super) val: u64,
    pub(super) right: Option<Box<Node>>,
    pub(super) left: Option<Box<Node>>,
}

/// A tree, and how many nodes it has.
pub(crate) struct Tree {
    pub(super) root: Box<Node>,
    nodes: u64,
}

impl Tree {
    /// A balanced tree of at least one node; perfect if `nodes` is 2^k-1.
    pub(crate) fn new(nodes: u64) -> Tree {
        let root = balanced(nodes, &mut 0);
        let root = root.expect("a tree has a node");
        Tree { root, nodes }
    }
}

/// Each node has the next number in pre-order, and is there before its children.
fn balanced(nodes: u64, count: &mut u64) -> Option<Box<Node>> {
    (nodes > 0).then(|| {
        *count += 1;
        let mut node = Box::new(Node {
            val: *count,
            left: None,
            right: None,
        });
        node.left = balanced((nodes - 1) / 2, count);
        node.right = balanced(nodes / 2, count);
        node
    })
}

/// The problem's text. Out of line, since only then does the baseline compile to the very code of
/// the same function written without contenders; otherwise it is inlined into its own closures.
#[inline(never)]
fn sum<C: Contender>(node: &Node, cx: &mut C::Cx<'_>) -> u64 {
    let (left, right) = C::join(
        cx,
        |cx| {
            node.left
                .as_deref()
                .map(|n| sum::<C>(n, cx))
                .unwrap_or_default()
        },
        |cx| {
            node.right
                .as_deref()
                .map(|n| sum::<C>(n, cx))
                .unwrap_or_default()
        },
    );
    node.val + left + right
}

impl Problem for Tree {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        sum::<C>(&self.root, cx)
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        share((part, parts), &self.root, |node| node.val, plain)
    }

    fn pieces(&self) -> u64 {
        self.nodes
    }

    fn expected(&self) -> u64 {
        self.nodes * (self.nodes + 1) / 2
    }
}

fn plain(node: &Node) -> u64 {
    sum::<Baseline>(node, &mut ())
}

/// The share of one of so many threads in the tree under `root`, given what a node by itself and a
/// whole piece come to. The tree is cut at the depth where it has some pieces, consecutive ones go
/// to one thread, and the nodes above the cut to thread 0.
pub(super) fn share(
    (part, parts): (usize, usize),
    root: &Node,
    own: impl Fn(&Node) -> u64,
    piece: impl Fn(&Node) -> u64,
) -> u64 {
    // Eight pieces a thread where one each would not come out even.
    let all = match parts.is_power_of_two() {
        true => parts,
        false => 8 * parts.next_power_of_two(),
    };
    let mut total: u64 = 0;
    // The trees still to be cut, each with its number of pieces and the number of its first.
    let mut trees = vec![(root, all, 0)];
    while let Some((node, pieces, first)) = trees.pop() {
        if pieces == 1 {
            if first * parts / all == part {
                total = total.wrapping_add(piece(node));
            }
            continue;
        }
        if part == 0 {
            total = total.wrapping_add(own(node));
        }
        let half = pieces / 2;
        let right = node.right.as_deref().map(|n| (n, half, first + half));
        let left = node.left.as_deref().map(|n| (n, half, first));
        trees.extend(right.into_iter().chain(left));
    }
    total
}

//! The sum of a binary tree with a join at every node, the empty ones too: the seeds' problem.
//! Nodes are allocated in pre-order, so left first is memory order. A balanced tree halves what is
//! left at every node, the larger half to the right; a spine is a chain of nodes, each with a
//! balanced tree on its other side.

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
pub(crate) fn title(shape: Shape, spine: u64, nodes: u64) -> String {
    let side = match shape {
        Shape::Balanced => return format!("tree of {} nodes", grouped(nodes)),
        Shape::SpineLeft => "left",
        Shape::SpineRight => "right",
    };
    let nodes = grouped(nodes);
    format!("spine to the {side}, {spine} trees of {nodes} nodes")
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

/// The outline of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Shape {
    /// A balanced tree
    Balanced,
    /// A chain to the left, balanced trees to the right
    SpineLeft,
    /// A chain to the right, balanced trees to the left
    SpineRight,
}

/// A tree and what is known about it.
pub(crate) struct Tree {
    pub(super) root: Box<Node>,
    shape: Shape,
    spine: usize,
    nodes: u64,
}

impl Tree {
    /// A balanced tree of at least one node; perfect if `nodes` is 2^k-1.
    pub(crate) fn balanced(nodes: u64) -> Tree {
        Tree::with_shape(Shape::Balanced, 1, nodes)
    }

    /// A tree of the shape, with balanced trees of `subtree` nodes; `spine` is the chain's length.
    pub(crate) fn with_shape(shape: Shape, spine: usize, subtree: u64) -> Tree {
        let mut nodes = 0;
        let root = match shape {
            Shape::Balanced => balanced(subtree, &mut nodes),
            Shape::SpineLeft | Shape::SpineRight => chain(shape, spine, subtree, &mut nodes),
        };
        Tree {
            root: root.expect("a tree has a node"),
            shape,
            spine,
            nodes,
        }
    }

    /// How many nodes it has.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// A node with the next number in pre-order, without children yet.
fn node(count: &mut u64) -> Box<Node> {
    *count += 1;
    Box::new(Node {
        val: *count,
        left: None,
        right: None,
    })
}

fn balanced(nodes: u64, count: &mut u64) -> Option<Box<Node>> {
    (nodes > 0).then(|| {
        let mut node = node(count);
        node.left = balanced((nodes - 1) / 2, count);
        node.right = balanced(nodes / 2, count);
        node
    })
}

fn chain(shape: Shape, length: usize, subtree: u64, count: &mut u64) -> Option<Box<Node>> {
    (length > 0).then(|| {
        let mut node = node(count);
        if shape == Shape::SpineLeft {
            node.left = chain(shape, length - 1, subtree, count);
            node.right = balanced(subtree, count);
        } else {
            node.left = balanced(subtree, count);
            node.right = chain(shape, length - 1, subtree, count);
        }
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
        match self.shape {
            Shape::Balanced => Share::new(part, parts).of(&self.root, |node| node.val, plain),
            Shape::SpineLeft | Shape::SpineRight => self.along_the_spine(part, parts),
        }
    }

    fn pieces(&self) -> u64 {
        self.nodes
    }

    fn expected(&self) -> u64 {
        self.nodes * (self.nodes + 1) / 2
    }
}

impl Tree {
    /// Consecutive stretches of the spine, with all that hangs on them.
    fn along_the_spine(&self, part: usize, parts: usize) -> u64 {
        let mine = self.spine * part / parts..self.spine * (part + 1) / parts;
        let mut next = Some(&*self.root);
        let mut total = 0;
        for place in 0..mine.end {
            let Some(node) = next else { break };
            let (onwards, subtree) = match self.shape {
                Shape::SpineLeft => (&node.left, &node.right),
                _ => (&node.right, &node.left),
            };
            if mine.contains(&place) {
                let hanging = subtree.as_deref().map(|n| sum::<Baseline>(n, &mut ()));
                total += node.val + hanging.unwrap_or_default();
            }
            next = onwards.as_deref();
        }
        total
    }
}

fn plain(node: &Node) -> u64 {
    sum::<Baseline>(node, &mut ())
}

/// One thread's share of a balanced tree: the tree is cut at the depth where it has `pieces`
/// pieces, consecutive ones go to one thread, and the nodes above the cut to thread 0.
pub(super) struct Share {
    part: usize,
    parts: usize,
    pieces: usize,
}

impl Share {
    /// The share of one of so many threads.
    pub(super) fn new(part: usize, parts: usize) -> Share {
        // Eight pieces a thread where one each would not come out even.
        let pieces = if parts.is_power_of_two() {
            parts
        } else {
            8 * parts.next_power_of_two()
        };
        Share {
            part,
            parts,
            pieces,
        }
    }

    /// The share in the tree under `root`, given what a node by itself and a whole piece come to.
    pub(super) fn of(
        &self,
        root: &Node,
        own: impl Fn(&Node) -> u64,
        piece: impl Fn(&Node) -> u64,
    ) -> u64 {
        let mut total: u64 = 0;
        // The trees still to be cut, each with its number of pieces and the number of its first.
        let mut trees = vec![(root, self.pieces, 0)];
        while let Some((node, pieces, first)) = trees.pop() {
            if pieces == 1 {
                if first * self.parts / self.pieces == self.part {
                    total = total.wrapping_add(piece(node));
                }
                continue;
            }
            if self.part == 0 {
                total = total.wrapping_add(own(node));
            }
            let half = pieces / 2;
            let right = node.right.as_deref().map(|n| (n, half, first + half));
            let left = node.left.as_deref().map(|n| (n, half, first));
            trees.extend(right.into_iter().chain(left));
        }
        total
    }
}

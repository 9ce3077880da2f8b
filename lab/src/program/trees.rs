//! Binary trees: builds a perfect tree node by node, a join at every node, then counts its nodes
//! while freeing them, again with joins: the allocator under parallel fire. From domainslib's test
//! programs, and the benchmarks game before.

use crate::contender::Contender;
use crate::problem::Problem;

/// The depth of the tree.
pub(crate) struct Trees(pub(crate) usize);

/// A node: its two children, which are allocated together, or none.
struct Node(Option<Box<(Node, Node)>>);

fn build<C: Contender>(depth: usize, cx: &mut C::Cx<'_>) -> Node {
    if depth == 0 {
        return Node(None);
    }
    let children = C::join(
        cx,
        |cx| build::<C>(depth - 1, cx),
        |cx| build::<C>(depth - 1, cx),
    );
    Node(Some(Box::new(children)))
}

/// How many nodes there were.
fn fell<C: Contender>(node: Node, cx: &mut C::Cx<'_>) -> u64 {
    let Some(children) = node.0 else {
        return 1;
    };
    let (left, right) = *children;
    let (left, right) = C::join(cx, |cx| fell::<C>(left, cx), |cx| fell::<C>(right, cx));
    1 + left + right
}

impl Problem for Trees {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        let tree = build::<C>(self.0, cx);
        fell::<C>(tree, cx)
    }

    fn expected(&self) -> u64 {
        (2 << self.0) - 1
    }
}

//! The sum of a balanced tree with a fork at every node, the empty ones too: one text, five times,
//! since each runtime has an interface of its own. They are written as a user would, and nothing
//! tells the compiler what to inline.

/// The nodes of the tree.
pub(crate) const NODES: u64 = 1023;

/// A node.
pub(crate) struct Node {
    val: u64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

impl Node {
    /// The whole tree, its nodes numbered and allocated in pre-order.
    pub(crate) fn tree() -> Box<Node> {
        Node::below(NODES, &mut 0).expect("a tree has a node")
    }

    fn below(nodes: u64, count: &mut u64) -> Option<Box<Node>> {
        (nodes > 0).then(|| {
            *count += 1;
            let val = *count;
            let left = Node::below((nodes - 1) / 2, count);
            let right = Node::below(nodes / 2, count);
            Box::new(Node { val, left, right })
        })
    }
}

/// The sum of the numbers in the tree.
pub(crate) const SUM: u64 = NODES * (NODES + 1) / 2;

/// Two calls, one after the other.
pub(crate) fn plain(node: &Node) -> u64 {
    let left = node.left.as_deref().map_or(0, plain);
    let right = node.right.as_deref().map_or(0, plain);
    node.val + left + right
}

/// sumac's join with the scope handed down.
pub(crate) fn scope(node: &Node, scope: &mut sumac::Scope<'_>) -> u64 {
    let (left, right) = scope.join(
        |s| node.left.as_deref().map_or(0, |n| self::scope(n, s)),
        |s| node.right.as_deref().map_or(0, |n| self::scope(n, s)),
    );
    node.val + left + right
}

/// sumac's join without a handle.
pub(crate) fn join(node: &Node) -> u64 {
    let (left, right) = sumac::join(
        || node.left.as_deref().map_or(0, join),
        || node.right.as_deref().map_or(0, join),
    );
    node.val + left + right
}

/// chili's join. It begins with its second closure, so the two are swapped.
pub(crate) fn chili(node: &Node, scope: &mut chili::Scope<'_>) -> u64 {
    let (right, left) = scope.join(
        |s| node.right.as_deref().map_or(0, |n| self::chili(n, s)),
        |s| node.left.as_deref().map_or(0, |n| self::chili(n, s)),
    );
    node.val + left + right
}

/// rayon's join.
pub(crate) fn rayon(node: &Node) -> u64 {
    let (left, right) = ::rayon::join(
        || node.left.as_deref().map_or(0, rayon),
        || node.right.as_deref().map_or(0, rayon),
    );
    node.val + left + right
}

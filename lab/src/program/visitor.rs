//! A compiler's visitor over a syntax tree, as in swc: lists of statements are divided in halves,
//! each half gets a visitor of its own (`create`), and the two are merged in order (`merge`). It
//! collects the names used and the deepest nesting. The oracle is one visitor that walks the whole
//! tree.

mod syntax;

use super::random::digest;
use crate::contender::Contender;
use crate::problem::Problem;
use syntax::Node;

/// What a visitor knows.
#[derive(Default)]
struct Visitor {
    depth: usize,
    deepest: usize,
    names: Vec<u32>,
    total: u64,
}

impl Visitor {
    /// A visitor for a part of what this one visits.
    fn create(&self) -> Visitor {
        Visitor {
            depth: self.depth,
            ..Visitor::default()
        }
    }

    /// Takes over what the visitor of the next part has found.
    fn merge(&mut self, mut next: Visitor) {
        self.deepest = self.deepest.max(next.deepest);
        self.names.append(&mut next.names);
        self.total = self.total.wrapping_add(next.total);
    }

    fn visit(&mut self, node: &Node, list: &mut impl FnMut(&mut Visitor, &[Node])) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        match node {
            Node::Block(nodes) => list(self, nodes),
            Node::Call(name, arguments) => {
                self.names.push(*name);
                list(self, arguments);
            }
            Node::Binary(sides) => {
                self.visit(&sides.0, list);
                self.visit(&sides.1, list);
            }
            Node::Name(name) => self.names.push(*name),
            Node::Number(value) => self.total = self.total.wrapping_add(*value),
        }
        self.depth -= 1;
    }

    fn answer(&self) -> u64 {
        let names = self.names.iter().map(|name| u64::from(*name));
        digest(names.chain([self.total, self.deepest as u64]))
    }
}

/// Visits a list, half by half.
fn list<C: Contender>(visitor: &mut Visitor, nodes: &[Node], cx: &mut C::Cx<'_>) {
    match nodes {
        [] => {}
        [node] => visitor.visit(node, &mut |visitor, nodes| list::<C>(visitor, nodes, cx)),
        _ => {
            let (low, high) = nodes.split_at(nodes.len() / 2);
            let mut second = visitor.create();
            C::join(
                cx,
                |cx| list::<C>(visitor, low, cx),
                |cx| list::<C>(&mut second, high, cx),
            );
            visitor.merge(second);
        }
    }
}

/// A list, node by node, by the same visitor.
fn plain(visitor: &mut Visitor, nodes: &[Node]) {
    nodes
        .iter()
        .for_each(|node| visitor.visit(node, &mut plain));
}

/// A syntax tree.
pub(crate) struct Ast {
    root: Node,
    expected: u64,
}

impl Ast {
    /// Of about so many nodes.
    pub(crate) fn new(size: usize) -> Ast {
        let root = syntax::some(size);
        let mut visitor = Visitor::default();
        visitor.visit(&root, &mut plain);
        Ast {
            root,
            expected: visitor.answer(),
        }
    }
}

impl Problem for Ast {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        let mut visitor = Visitor::default();
        list::<C>(&mut visitor, std::slice::from_ref(&self.root), cx);
        visitor.answer()
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

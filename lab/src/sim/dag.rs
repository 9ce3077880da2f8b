//! Programs as the simulator sees them: series-parallel graphs that are described, not stored. A
//! [`Node`] is a value; what it consists of is computed when it is asked for, and its work and
//! number of joins are known in closed form, so that a tree of a hundred million nodes costs
//! nothing until it is divided.
//!
//! Work is counted in [`UNIT`]s of a nanosecond.

use super::recorded::Recorded;
use crate::problem::mix;

/// So many units are a nanosecond.
pub(crate) const UNIT: u64 = 1024;

/// A number of nanoseconds in units.
pub(crate) fn units(ns: f64) -> u64 {
    (ns * UNIT as f64).round() as u64
}

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// So many units without a join.
    Strand(u64),
    /// A balanced tree of so many nodes, a join at every node.
    Tree(u64),
    /// Naive Fibonacci.
    Fib(u32),
    /// A chain of so many nodes with a tree beside each: `join(rest, tree)` or `join(tree, rest)`.
    Spine(u64),
    /// The leaves from, to.
    Leaves(u32, u32),
    /// So many decoys above all leaves.
    Decoys(u32),
    /// The element of a recorded program, by number.
    Recorded(u32),
}

/// What a node consists of, one level deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Units without a join.
    Strand(u64),
    /// Units, then a join of two nodes, then units.
    Fork {
        before: u64,
        a: Node,
        b: Node,
        after: u64,
    },
    /// One node after the other.
    Series(Node, Node),
}

/// How the leaves are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Split {
    /// In halves
    Halves,
    /// At random
    Random,
    /// join(leaf, rest)
    LeafRest,
    /// join(rest, leaf)
    RestLeaf,
}

/// On which side something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Side {
    /// The first half of a join
    Left,
    /// The second half
    Right,
}

/// A program.
#[derive(Debug)]
pub(crate) struct Dag {
    pub(crate) root: Node,
    /// What a node of a tree, a call of Fibonacci or a division of leaves takes, in units.
    pub(crate) node: u64,
    /// What a leaf takes.
    pub(crate) leaf: u64,
    /// What a decoy takes.
    pub(crate) decoy: u64,
    pub(crate) split: Split,
    /// On which side of its joins a spine goes on, and decoys lie.
    pub(crate) side: Side,
    /// Nodes of each tree at a spine.
    pub(crate) hanging: u64,
    pub(crate) leaves: u32,
    pub(crate) seed: u64,
    pub(crate) recorded: Recorded,
}

impl Dag {
    /// A program of one node; the other fields are for what is built on it.
    pub(crate) fn new(root: Node, node_ns: f64) -> Dag {
        Dag {
            root,
            node: units(node_ns),
            leaf: 0,
            decoy: 0,
            split: Split::Halves,
            side: Side::Left,
            hanging: 0,
            leaves: 0,
            seed: 1,
            recorded: Recorded::default(),
        }
    }

    /// Leaves of `leaf_ns`, below decoys of `decoy_ns`.
    pub(crate) fn leaves(count: u32, leaf_ns: f64, split: Split, decoys: u32, side: Side) -> Dag {
        Dag {
            leaf: units(leaf_ns),
            decoy: units(5.0),
            split,
            side,
            leaves: count,
            ..Dag::new(Node::Decoys(decoys), 2.0)
        }
    }

    /// What the node consists of.
    pub(crate) fn parts(&self, node: Node) -> Parts {
        let fork = |before, a, b| Parts::Fork {
            before,
            a,
            b,
            after: 0,
        };
        match node {
            Node::Strand(units) => Parts::Strand(units),
            Node::Tree(0) => Parts::Strand(0),
            Node::Tree(n) => fork(self.node, Node::Tree((n - 1) / 2), Node::Tree(n / 2)),
            Node::Fib(n) if n < 2 => Parts::Strand(self.node),
            Node::Fib(n) => fork(self.node, Node::Fib(n - 1), Node::Fib(n - 2)),
            Node::Spine(0) => Parts::Strand(0),
            Node::Spine(n) => {
                let (rest, tree) = (Node::Spine(n - 1), Node::Tree(self.hanging));
                match self.side {
                    Side::Left => fork(self.node, rest, tree),
                    Side::Right => fork(self.node, tree, rest),
                }
            }
            Node::Leaves(low, high) if high - low == 1 => Parts::Strand(self.leaf),
            Node::Leaves(low, high) => {
                let middle = match self.split {
                    Split::Halves => low + (high - low) / 2,
                    Split::Random => {
                        let key = u64::from(low) << 32 | u64::from(high);
                        low + 1 + (mix(key ^ self.seed) % u64::from(high - low - 1).max(1)) as u32
                    }
                    Split::LeafRest => low + 1,
                    Split::RestLeaf => high - 1,
                };
                let (a, b) = (Node::Leaves(low, middle), Node::Leaves(middle, high));
                fork(self.node, a, b)
            }
            Node::Decoys(0) => self.parts(Node::Leaves(0, self.leaves)),
            Node::Decoys(n) => {
                let (tiny, rest) = (Node::Strand(self.decoy), Node::Decoys(n - 1));
                match self.side {
                    Side::Left => fork(self.node, tiny, rest),
                    Side::Right => fork(self.node, rest, tiny),
                }
            }
            Node::Recorded(i) => self.recorded.parts(i),
        }
    }

    /// The work of a node in units and the number of its joins.
    pub(crate) fn totals(&self, node: Node) -> (u64, u64) {
        match node {
            Node::Strand(units) => (units, 0),
            Node::Tree(n) => (n * self.node, n),
            Node::Fib(n) => {
                let calls = 2 * fibonacci(n + 1) - 1;
                (calls * self.node, calls / 2)
            }
            Node::Spine(n) => {
                let joins = n * (self.hanging + 1);
                (joins * self.node, joins)
            }
            Node::Leaves(low, high) => {
                let count = u64::from(high - low);
                (count * self.leaf + (count - 1) * self.node, count - 1)
            }
            Node::Decoys(n) => {
                let n = u64::from(n);
                let (work, joins) = self.totals(Node::Leaves(0, self.leaves));
                (work + n * (self.node + self.decoy), joins + n)
            }
            Node::Recorded(i) => self.recorded.totals(i),
        }
    }

    /// The time of a node on one worker, if each join takes so many units.
    pub(crate) fn time(&self, node: Node, join: u64) -> u64 {
        let (work, joins) = self.totals(node);
        work + joins * join
    }

    /// The span: the time that no number of workers goes below, with the joins' cost along it.
    pub(crate) fn span(&self, join: u64) -> u64 {
        self.span_of(self.root, join)
    }

    fn span_of(&self, node: Node, join: u64) -> u64 {
        match node {
            Node::Tree(n) => u64::from(u64::BITS - n.leading_zeros()) * (self.node + join),
            Node::Fib(n) => u64::from(n.max(1)) * self.node + u64::from(n.max(1) - 1) * join,
            Node::Spine(n) => n * (self.node + join) + self.span_of(Node::Tree(self.hanging), join),
            Node::Recorded(i) => self.recorded.span(i, join),
            Node::Leaves(low, high) if self.split == Split::Halves => {
                let depth = (high - low).next_power_of_two().ilog2();
                self.leaf + u64::from(depth) * (self.node + join)
            }
            Node::Leaves(low, high) if self.split != Split::Random => {
                self.leaf + u64::from(high - low - 1) * (self.node + join)
            }
            Node::Decoys(n) => {
                let rest = self
                    .span_of(Node::Leaves(0, self.leaves), join)
                    .max(self.decoy);
                u64::from(n) * (self.node + join) + rest
            }
            _ => match self.parts(node) {
                Parts::Strand(units) => units,
                Parts::Series(a, b) => self.span_of(a, join) + self.span_of(b, join),
                Parts::Fork {
                    before,
                    a,
                    b,
                    after,
                } => {
                    let longer = self.span_of(a, join).max(self.span_of(b, join));
                    before + join + longer + after
                }
            },
        }
    }
}

fn fibonacci(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work, joins and span, by walking over everything.
    fn walk(dag: &Dag, node: Node, join: u64) -> (u64, u64, u64) {
        match dag.parts(node) {
            Parts::Strand(units) => (units, 0, units),
            Parts::Series(a, b) => {
                let (a, b) = (walk(dag, a, join), walk(dag, b, join));
                (a.0 + b.0, a.1 + b.1, a.2 + b.2)
            }
            Parts::Fork {
                before,
                a,
                b,
                after,
            } => {
                let (a, b) = (walk(dag, a, join), walk(dag, b, join));
                let own = before + after;
                (own + a.0 + b.0, a.1 + b.1 + 1, own + join + a.2.max(b.2))
            }
        }
    }

    #[test]
    fn closed_forms_are_what_a_walk_finds() {
        let join = units(1.5);
        let spine = |side| Dag {
            side,
            hanging: 7,
            ..Dag::new(Node::Spine(20), 3.0)
        };
        let mut dags = vec![spine(Side::Left), spine(Side::Right)];
        dags.extend([0, 1, 2, 7, 100, 1023].map(|n| Dag::new(Node::Tree(n), 4.0)));
        dags.extend([0, 1, 2, 15].map(|n| Dag::new(Node::Fib(n), 1.0)));
        for split in [
            Split::Halves,
            Split::Random,
            Split::LeafRest,
            Split::RestLeaf,
        ] {
            dags.push(Dag::leaves(64, 100.0, split, 5, Side::Left));
            dags.push(Dag::leaves(1, 1.0, split, 3, Side::Right));
        }
        for dag in dags {
            let (work, joins, span) = walk(&dag, dag.root, join);
            assert_eq!(dag.totals(dag.root), (work, joins), "{:?}", dag.root);
            assert_eq!(dag.span(join), span, "{:?} {:?}", dag.root, dag.split);
        }
    }
}

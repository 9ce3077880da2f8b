//! A query is a tree of operations. Some are marked as cached: they run once, and those who want
//! their result meanwhile wait. A union runs its inputs in parallel. Where a cached union is an
//! input of another in two places, the thread that runs it waits for a part, takes the second
//! place, and that waits for the first.
//!
//! <https://github.com/pola-rs/polars/issues/9310>

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "cached-node",
    source: "pola-rs/polars#9310",
    waits: "node: cached result that the node below computes",
    rounds: 200,
    round,
};

enum Node<'n> {
    Rows(Owner, usize),
    Union(Vec<&'n Node<'n>>),
    Cached(OnceLock<usize>, &'n Node<'n>),
}

impl Node<'_> {
    fn run(&self) -> usize {
        match self {
            Node::Rows(owner, rows) => {
                owner.part();
                *rows
            }
            Node::Union(inputs) => inputs.par_iter().map(|input| input.run()).sum(),
            Node::Cached(result, input) => *result.get_or_init(|| input.run()),
        }
    }
}

fn round() {
    let rows = Node::Rows(Owner::here(), 10);
    let sources = Node::Union(vec![&rows; 8]);
    let shared = Node::Cached(OnceLock::new(), &sources);
    let inner = Node::Union(vec![&shared; 2]);
    let outer = Node::Union(vec![&shared, &inner, &inner]);
    assert_eq!(outer.run(), 400);
}

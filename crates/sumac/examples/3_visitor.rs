//! A compiler's pattern: visit a syntax tree in parallel, each thread with a state of its own, and
//! merge the states in the order of the source.
//!
//!     cargo run --release -p sumac --example 3_visitor

use sumac::prelude::*;

enum Node {
    Block(Vec<Node>),
    Call(String, Vec<Node>),
    Number(i64),
}

/// What a pass collects: here the functions called, in the order of the text, and the sum of all
/// numbers.
#[derive(Default)]
struct Findings {
    calls: Vec<String>,
    sum: i64,
}

impl Findings {
    fn merge(mut self, other: Findings) -> Findings {
        self.calls.extend(other.calls);
        self.sum += other.sum;
        self
    }
}

/// A loop over the children at every node, however few there are.
fn visit(node: &Node) -> Findings {
    let children = |nodes: &[Node]| {
        nodes
            .par_iter()
            .map(visit)
            .reduce(Findings::default, Findings::merge)
    };
    match node {
        Node::Number(n) => Findings {
            sum: *n,
            ..Findings::default()
        },
        Node::Block(nodes) => children(nodes),
        Node::Call(name, arguments) => {
            let call = Findings {
                calls: vec![name.clone()],
                sum: 0,
            };
            call.merge(children(arguments))
        }
    }
}

fn generate(depth: usize, next: &mut i64) -> Node {
    *next += 1;
    let n = *next;
    match n % 3 {
        _ if depth == 0 => Node::Number(n),
        0 => Node::Call(
            format!("f{n}"),
            (0..3).map(|_| generate(depth - 1, next)).collect(),
        ),
        _ => Node::Block((0..n % 5 + 1).map(|_| generate(depth - 1, next)).collect()),
    }
}

fn main() {
    let tree = generate(9, &mut 0);
    let findings = visit(&tree);
    // Calls are numbered in pre-order, so in the order of the text they ascend.
    let numbers = findings
        .calls
        .iter()
        .map(|name| name[1..].parse::<i64>().expect("a number"));
    assert!(numbers.is_sorted());
    println!(
        "{} calls, numbers add up to {}",
        findings.calls.len(),
        findings.sum
    );
}

//! Syntax trees at random.

use super::super::random::Random;

/// A piece of a program.
pub(super) enum Node {
    Block(Vec<Node>),
    Call(u32, Vec<Node>),
    Binary(Box<(Node, Node)>),
    Name(u32),
    Number(u64),
}

/// Some program of about so many nodes.
pub(super) fn some(size: usize) -> Node {
    program(size, &mut Random::new())
}

fn program(size: usize, random: &mut Random) -> Node {
    match size {
        0 | 1 if random.below(2) == 0 => Node::Number(random.below(1000)),
        0 | 1 => Node::Name(random.below(5000) as u32),
        2..=4 => Node::Binary(Box::new((
            program(size / 2, random),
            program(size / 2, random),
        ))),
        5..=40 => Node::Call(size as u32, programs(5, size - 1, random)),
        _ => Node::Block(programs(30, size - 1, random)),
    }
}

fn programs(most: u64, size: usize, random: &mut Random) -> Vec<Node> {
    let count = 1 + random.below(most) as usize;
    (0..count).map(|_| program(size / count, random)).collect()
}

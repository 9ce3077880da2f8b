//! UTS, the unbalanced tree search: a tree that is known only by walking it, each node a SHA-1 hash
//! that says how many children it has. The classic of load balancing, by Olivier and others. T1 is
//! a geometric tree of some depth, T3 a binomial one of many twigs and some very long branches. The
//! sizes published for both are asserted; other sizes are counted by a loop with a stack.

use sha1::{Digest, Sha1};

use crate::contender::Contender;
use crate::problem::Problem;

/// A hash.
type State = [u8; 20];

/// How the number of children is drawn.
#[derive(Clone, Copy)]
enum Kind {
    /// Geometrically, four on average, down to this depth.
    Geometric { depth: usize },
    /// So many at the root; below it eight or none, just short of one on average.
    Binomial { root: usize },
}

/// A tree that is yet to be discovered.
pub(crate) struct Uts {
    kind: Kind,
    root: State,
    expected: u64,
}

impl Uts {
    /// T1: 4,130,071 nodes at depth 10.
    pub(crate) fn t1(depth: usize) -> Uts {
        Uts::new(Kind::Geometric { depth }, 19)
    }

    /// T3: 4,112,897 nodes with 2,000 children of the root.
    pub(crate) fn t3(root: usize) -> Uts {
        Uts::new(Kind::Binomial { root }, 42)
    }

    fn new(kind: Kind, seed: u32) -> Uts {
        let mut start = [0; 20];
        start[16..].copy_from_slice(&seed.to_be_bytes());
        let mut uts = Uts {
            kind,
            root: Sha1::digest(start).into(),
            expected: 0,
        };
        uts.expected = match kind {
            Kind::Geometric { depth: 10 } => 4_130_071,
            Kind::Binomial { root: 2000 } => 4_112_897,
            _ => uts.count(),
        };
        uts
    }

    /// The children of a node at this depth.
    fn children(&self, state: &State, depth: usize) -> u32 {
        let drawn = u32::from_be_bytes([state[16], state[17], state[18], state[19]]);
        let drawn = f64::from(drawn & 0x7fff_ffff) / 2_147_483_648.0;
        match self.kind {
            Kind::Geometric { depth: most } if depth >= most => 0,
            Kind::Geometric { .. } => {
                let p = 1.0f64 / (1.0 + 4.0);
                (((1.0 - drawn).ln() / (1.0 - p).ln()) as u32).min(100)
            }
            Kind::Binomial { root } if depth == 0 => root as u32,
            Kind::Binomial { .. } => u32::from(drawn < 0.124_875) * 8,
        }
    }

    /// The nodes, without recursion.
    fn count(&self) -> u64 {
        let mut stack = vec![(self.root, 0)];
        let mut nodes = 0;
        while let Some((state, depth)) = stack.pop() {
            nodes += 1;
            let children = self.children(&state, depth);
            stack.extend((0..children).map(|child| (spawn(&state, child), depth + 1)));
        }
        nodes
    }

    /// The nodes below and with a node.
    fn node<C: Contender>(&self, state: &State, depth: usize, cx: &mut C::Cx<'_>) -> u64 {
        let children = self.children(state, depth);
        1 + self.some::<C>(state, depth, 0, children, cx)
    }

    /// The nodes below and with some children of a node.
    fn some<C: Contender>(
        &self,
        of: &State,
        depth: usize,
        low: u32,
        high: u32,
        cx: &mut C::Cx<'_>,
    ) -> u64 {
        match high - low {
            0 => 0,
            1 => self.node::<C>(&spawn(of, low), depth + 1, cx),
            many => {
                let middle = low + many / 2;
                let (a, b) = C::join(
                    cx,
                    |cx| self.some::<C>(of, depth, low, middle, cx),
                    |cx| self.some::<C>(of, depth, middle, high, cx),
                );
                a + b
            }
        }
    }
}

/// The hash of a child.
fn spawn(parent: &State, child: u32) -> State {
    Sha1::new()
        .chain_update(parent)
        .chain_update(child.to_be_bytes())
        .finalize()
        .into()
}

impl Problem for Uts {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        self.node::<C>(&self.root, 0, cx)
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

//! The named workloads whose every node or leaf is a join: trees, the Fibonacci number, and leaves
//! under recursions of several shapes.

use std::time::Duration;

use super::leaves::{Leaves, Split};
use crate::contender::Id;
use crate::workload::{Made, Make, Workload};

/// Who runs them: everybody, the baseline apart.
const OTHERS: &[Id] = Id::EVERYBODY.split_at(1).1;

#[cfg(feature = "full")]
pub(crate) use full::NAMED;

#[cfg(feature = "full")]
mod full {
    use super::{OTHERS, Split, leaves_of};
    use crate::problem::fib::Fib;
    use crate::problem::leaves::Leaves;
    use crate::problem::sha1_tree::Sha1Tree;
    use crate::problem::tree::{MOST_NODES, Tree, fits};
    use crate::workload::{Make, PAUSE, Parameter, Workload};

    const WORK: Parameter = Parameter {
        name: "work",
        range: 0..=1_000_000,
        usual: 1,
    };
    /// Two nanoseconds or so each.
    const STEPS: Parameter = Parameter {
        name: "steps",
        range: 1..=1_000_000_000,
        usual: 10_000,
    };
    const NODES: [usize; 3] = [1023, 1023, MOST_NODES as usize];
    const LEAVES: [usize; 3] = [256, 256, 1_000_000];

    /// Those that an experiment can have in any size.
    #[rustfmt::skip]
    pub(crate) const NAMED: &[Workload] = &[
        Workload {
            memory: |n| fits(n as u64),
            ..any("tree", NODES, |_, n| Box::new(Tree::new(n as u64)))
        },
        Workload {
            parameters: &[WORK, PAUSE],
            memory: |n| fits(n as u64),
            ..any("sha1-tree", NODES,
                |p, n| Box::new(Sha1Tree::new(n as u64, p.get(&WORK))))
        },
        Workload {
            sizes: 2..=45,
            ..any("fib", [20, 20, 45], |_, n| Box::new(Fib(n as u32)))
        },
        Workload {
            parameters: &[STEPS, PAUSE],
            ..any("ramp", [8, 8, 1_000_000],
                |p, n| Box::new(Leaves::of_rounds(n, p.get(&STEPS), Split::Halves)))
        },
        any("leaves", LEAVES, |_, n| leaves_of(n, 20, Split::Halves)),
        any("random-leaves", LEAVES, |_, n| leaves_of(n, 20, Split::Random)),
        any("leaf-rest", LEAVES, |_, n| leaves_of(n, 20, Split::LeafRest)),
        any("rest-leaf", LEAVES, |_, n| leaves_of(n, 20, Split::RestLeaf)),
    ];

    const fn any(name: &'static str, sizes: [usize; 3], make: Make) -> Workload {
        Workload {
            sizes: 1..=sizes[2],
            ..Workload::new(name, sizes, OTHERS, make)
        }
    }
}

/// So many leaves, each of so many microseconds.
fn leaves_of(count: usize, us: u64, split: Split) -> Box<dyn Made> {
    Box::new(Leaves::new(count, Duration::from_micros(us), split))
}

/// Few leaves, one call each, in one size only: how soon does the second thread help? The first
/// three are the tour's.
#[rustfmt::skip]
pub(crate) const RAMP: [Workload; 5] = [
    few("2 × 50 µs", 2, |_, n| leaves_of(n, 50, Split::Halves)),
    few("8 × 20 µs", 8, |_, n| leaves_of(n, 20, Split::Halves)),
    few("64 × 5 µs", 64, |_, n| leaves_of(n, 5, Split::Halves)),
    few("2 × 10 ms", 2, |_, n| leaves_of(n, 10_000, Split::Halves)),
    few("4 × 10 ms", 4, |_, n| leaves_of(n, 10_000, Split::Halves)),
];

const fn few(name: &'static str, count: usize, make: Make) -> Workload {
    Workload {
        sizes: count..=count,
        ..Workload::new(name, [count; 3], OTHERS, make)
    }
}

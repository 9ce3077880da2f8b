//! The named workloads whose every node or leaf is a join: trees, the Fibonacci number, and leaves
//! under recursions of many shapes.

use std::time::Duration;

use super::leaves::{Decoys, Leaves, Split};
use crate::contender::Id;
use crate::workload::{Made, Make, Workload};

/// Who runs them: everybody, the baseline apart.
const OTHERS: &[Id] = Id::EVERYBODY.split_at(1).1;

#[cfg(feature = "full")]
pub(crate) use full::NAMED;

#[cfg(feature = "full")]
mod full {
    use super::{Decoys, OTHERS, Split, leaves_of};
    use crate::problem::fib::Fib;
    use crate::problem::leaves::Leaves;
    use crate::problem::sha1_tree::Sha1Tree;
    use crate::problem::tree::{MOST_NODES, Shape, Tree, fits, title};
    use crate::workload::{Made, Make, OUTSIDE, PAUSE, Parameter, Parameters, Workload};

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
    const SPINE: Parameter = Parameter {
        name: "spine",
        range: 1..=10_000,
        usual: 1000,
    };
    const NODES: [usize; 3] = [1023, 1023, MOST_NODES as usize];
    const LEAVES: [usize; 3] = [256, 256, 1_000_000];

    /// Those that an experiment can have in any size.
    pub(crate) const NAMED: &[Workload] = &[
        Workload {
            called: |_, n| title(Shape::Balanced, 1, n as u64),
            memory: |n| fits(n as u64),
            ..any(
                "tree",
                "sum of a balanced tree of so many nodes",
                NODES,
                |_, n| Box::new(Tree::balanced(n as u64)),
            )
        },
        Workload {
            called: |_, n| title(Shape::SpineLeft, SPINE.usual, n as u64),
            ..spine("spine-left", |p, n| spined(p, Shape::SpineLeft, n))
        },
        Workload {
            called: |_, n| title(Shape::SpineRight, SPINE.usual, n as u64),
            ..spine("spine-right", |p, n| spined(p, Shape::SpineRight, n))
        },
        Workload {
            parameters: &[WORK, PAUSE, OUTSIDE],
            memory: |n| fits(n as u64),
            ..any(
                "sha1-tree",
                "the same with SHA-1 at every node, `work` times over",
                NODES,
                |p, n| Box::new(Sha1Tree::new(n as u64, p.get(&WORK))),
            )
        },
        Workload {
            sizes: 2..=45,
            ..any(
                "fib",
                "the Fibonacci number of this index",
                [20, 20, 45],
                |_, n| Box::new(Fib(n as u32)),
            )
        },
        Workload {
            parameters: &[STEPS, PAUSE, OUTSIDE],
            ..any(
                "ramp",
                "leaves of `steps` steps of arithmetic",
                [8, 8, 1_000_000],
                |p, n| {
                    let steps = p.get(&STEPS);
                    Box::new(Leaves::of_rounds(n, steps, Split::Halves, Decoys::None))
                },
            )
        },
        any("leaves", "leaves of 20 µs, halved", LEAVES, |_, n| {
            leaves_of(n, 20, Split::Halves)
        }),
        any(
            "random-leaves",
            "leaves of 20 µs, split at random",
            LEAVES,
            |_, n| leaves_of(n, 20, Split::Random),
        ),
        any(
            "leaf-rest",
            "join(leaf, rest), leaves of 20 µs",
            LEAVES,
            |_, n| leaves_of(n, 20, Split::LeafRest),
        ),
        any(
            "rest-leaf",
            "join(rest, leaf), leaves of 20 µs",
            LEAVES,
            |_, n| leaves_of(n, 20, Split::RestLeaf),
        ),
    ];

    const fn any(
        name: &'static str,
        about: &'static str,
        sizes: [usize; 3],
        make: Make,
    ) -> Workload {
        Workload {
            sizes: 1..=sizes[2],
            ..Workload::new(name, about, sizes, OTHERS, make)
        }
    }

    /// A spine is taken to be of the usual length.
    const fn spine(name: &'static str, make: Make) -> Workload {
        Workload {
            parameters: &[SPINE, PAUSE, OUTSIDE],
            memory: |n| fits((n as u64 + 1).saturating_mul(SPINE.usual)),
            ..any(
                name,
                "sum of a chain of trees of so many nodes",
                NODES,
                make,
            )
        }
    }

    fn spined(parameters: Parameters<'_>, shape: Shape, nodes: usize) -> Box<dyn Made> {
        let spine = parameters.get(&SPINE) as usize;
        Box::new(Tree::with_shape(shape, spine, nodes as u64))
    }
}

/// So many leaves, each of so many microseconds.
fn leaves_of(count: usize, us: u64, split: Split) -> Box<dyn Made> {
    let each = Duration::from_micros(us);
    Box::new(Leaves::new(count, each, split, Decoys::None))
}

/// The same of 100 µs in halves, below decoys.
fn below(count: usize, decoys: Decoys) -> Box<dyn Made> {
    let each = Duration::from_micros(100);
    Box::new(Leaves::new(count, each, Split::Halves, decoys))
}

/// Small pieces of work, one call each: how soon does the second thread help?
#[rustfmt::skip]
pub(crate) const RAMP: [Workload; 3] = [
    ramp("2 × 50 µs", 2, |_, n| leaves_of(n, 50, Split::Halves)),
    ramp("8 × 20 µs", 8, |_, n| leaves_of(n, 20, Split::Halves)),
    ramp("64 × 5 µs", 64, |_, n| leaves_of(n, 5, Split::Halves)),
];

/// Two closures of 10 ms in one join, and four in two levels.
#[rustfmt::skip]
pub(crate) const COARSE: [Workload; 2] = [
    coarse("2 × 10 ms", 2, |_, n| leaves_of(n, 10_000, Split::Halves)),
    coarse("4 × 10 ms", 4, |_, n| leaves_of(n, 10_000, Split::Halves)),
];

/// Work enough for everybody, under recursions that hide it more or less well.
#[rustfmt::skip]
pub(crate) const SHAPES: [Workload; 8] = [
    shape("balanced, 256 × 20 µs", 256, |_, n| leaves_of(n, 20, Split::Halves)),
    shape("random split, 400 × 20 µs", 400, |_, n| leaves_of(n, 20, Split::Random)),
    shape("join(leaf, rest), 400 × 20 µs", 400, |_, n| leaves_of(n, 20, Split::LeafRest)),
    shape("join(rest, leaf), 400 × 20 µs", 400, |_, n| leaves_of(n, 20, Split::RestLeaf)),
    shape("3 × join(tiny, rest), 32 × 100 µs", 32, |_, n| below(n, Decoys::TinyRest(3))),
    shape("3 × join(rest, tiny), 32 × 100 µs", 32, |_, n| below(n, Decoys::RestTiny(3))),
    shape("16 × join(tiny, rest), 32 × 100 µs", 32, |_, n| below(n, Decoys::TinyRest(16))),
    shape("16 × join(rest, tiny), 32 × 100 µs", 32, |_, n| below(n, Decoys::RestTiny(16))),
];

const fn ramp(name: &'static str, count: usize, make: Make) -> Workload {
    leaves(name, count, |name, _| format!("ramp: {name}"), make)
}

const fn coarse(name: &'static str, count: usize, make: Make) -> Workload {
    leaves(name, count, |name, _| format!("coarse: {name}"), make)
}

const fn shape(name: &'static str, count: usize, make: Make) -> Workload {
    leaves(name, count, |name, _| format!("shape: {name}"), make)
}

const fn leaves(
    name: &'static str,
    count: usize,
    called: fn(&str, usize) -> String,
    make: Make,
) -> Workload {
    Workload {
        sizes: count..=count,
        called,
        ..Workload::new(name, "leaves, as many as it says", [count; 3], OTHERS, make)
    }
}

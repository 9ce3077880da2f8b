//! The problems that experiments can name: how large they may be, what parameters they have, who
//! can run them, and how a visit makes them. A new one is a line in each `match`.

use std::mem::ManuallyDrop;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::contender::Id;
use crate::experiment::Failure;
use crate::loops::catalogue::LOOPS;
use crate::problem::catalogue::{COARSE, Entry, RAMP, SHAPES};
use crate::problem::fib::Fib;
use crate::problem::leaves::{Decoys, Leaves, Split};
use crate::problem::sha1_tree::Sha1Tree;
use crate::problem::tree::{MOST_NODES, Shape, Tree, fits, title as tree_title};
use crate::program::catalogue::PROGRAMS;
use crate::program::{Brought, Program, Session};

/// A problem by name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// The sum of a balanced tree of so many nodes, or of a spine with such trees on it.
    Tree(Shape),
    /// The sum of a balanced tree with SHA-1 at every node, `work` times over.
    Sha1Tree,
    /// The Fibonacci number of this index, a join at every call.
    Fib,
    /// So many leaves below a balanced recursion, each of `steps` steps of arithmetic: two
    /// nanoseconds or so.
    Ramp,
    /// So many leaves of 20 µs below a recursion that divides them so.
    Leaves(Split),
    /// Leaves of the catalogue.
    Entry(&'static Entry),
    /// One of the programs that people bring, or a loop.
    Program(&'static Program),
}

/// Something that a problem can be varied by.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) range: RangeInclusive<u64>,
}

/// Milliseconds slept before every call, which all problems have.
pub(crate) const PAUSE: Parameter = Parameter {
    name: "pause",
    range: 0..=10_000,
};
const WORK: Parameter = Parameter {
    name: "work",
    range: 0..=1_000_000,
};
const STEPS: Parameter = Parameter {
    name: "steps",
    range: 1..=1_000_000_000,
};

/// Whether every call enters the pool from outside, which all problems have.
pub(crate) const OUTSIDE: Parameter = Parameter {
    name: "outside",
    range: 0..=1,
};
const SPINE: Parameter = Parameter {
    name: "spine",
    range: 1..=10_000,
};
/// The usual length of a spine.
const SPINE_LENGTH: u64 = 1000;

impl Kind {
    const NAMED: [(&str, Kind); 10] = [
        ("tree", Kind::Tree(Shape::Balanced)),
        ("spine-left", Kind::Tree(Shape::SpineLeft)),
        ("spine-right", Kind::Tree(Shape::SpineRight)),
        ("sha1-tree", Kind::Sha1Tree),
        ("fib", Kind::Fib),
        ("ramp", Kind::Ramp),
        ("leaves", Kind::Leaves(Split::Halves)),
        ("random-leaves", Kind::Leaves(Split::Random)),
        ("leaf-rest", Kind::Leaves(Split::LeafRest)),
        ("rest-leaf", Kind::Leaves(Split::RestLeaf)),
    ];

    /// All problems with their names. Of two of one name the first counts.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, Kind)> {
        let entries = [&RAMP[..], &COARSE, &SHAPES].into_iter().flatten();
        let programs = PROGRAMS.iter().chain(LOOPS);
        Kind::NAMED
            .into_iter()
            .chain(entries.map(|entry| (entry.name, Kind::Entry(entry))))
            .chain(programs.map(|program| (program.name, Kind::Program(program))))
    }

    /// The problem of this name.
    pub(crate) fn find(name: &str) -> Result<Kind, String> {
        let found = Kind::all().find(|(known, _)| *known == name);
        found.map(|(_, kind)| kind).ok_or_else(|| {
            let mut known: Vec<&str> = Vec::new();
            for (name, _) in Kind::all() {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            let known = known.join(", ");
            format!("no problem is called {name}; there are {known}")
        })
    }

    /// What experiments with it are called, with spines of the usual length.
    pub(crate) fn title(self, size: u64) -> String {
        match self {
            Kind::Tree(shape) => tree_title(shape, SPINE_LENGTH, size),
            Kind::Sha1Tree => format!("sha1-tree({size})"),
            Kind::Fib => format!("fib({size})"),
            Kind::Ramp | Kind::Leaves(_) => format!("leaves({size})"),
            Kind::Entry(entry) => entry.title(),
            Kind::Program(program) => program.title(size as usize),
        }
    }

    /// Its size unless another is asked for.
    pub(crate) fn usual_size(self, quick: bool) -> u64 {
        match self {
            Kind::Tree(_) | Kind::Sha1Tree => 1023,
            Kind::Fib => 20,
            Kind::Ramp => 8,
            Kind::Leaves(_) => 256,
            Kind::Entry(entry) => entry.count as u64,
            Kind::Program(program) if quick => program.quick as u64,
            Kind::Program(program) => program.size as u64,
        }
    }

    fn sizes(self) -> RangeInclusive<u64> {
        match self {
            Kind::Tree(_) | Kind::Sha1Tree => 1..=MOST_NODES,
            Kind::Fib => 2..=45,
            Kind::Ramp | Kind::Leaves(_) => 1..=1_000_000,
            Kind::Entry(entry) => entry.count as u64..=entry.count as u64,
            Kind::Program(program) => 2..=program.most as u64,
        }
    }

    /// Whether the problem can have this size.
    pub(crate) fn check_size(self, size: u64) -> Result<(), String> {
        let sizes = self.sizes();
        match sizes.contains(&size) {
            true => Ok(()),
            false => Err(format!(
                "a size is between {} and {}, not {size}",
                sizes.start(),
                sizes.end()
            )),
        }
    }

    /// Whether there is memory for the size; spines are taken to be of the usual length.
    pub(crate) fn check_memory(self, size: u64) -> Result<(), String> {
        match self {
            Kind::Tree(Shape::Balanced) | Kind::Sha1Tree => fits(size),
            Kind::Tree(_) => fits((size + 1).saturating_mul(SPINE_LENGTH)),
            _ => Ok(()),
        }
    }

    /// What it can be varied by.
    pub(crate) fn parameters(self) -> Vec<Parameter> {
        match self {
            Kind::Sha1Tree => vec![WORK, PAUSE, OUTSIDE],
            Kind::Ramp => vec![STEPS, PAUSE, OUTSIDE],
            Kind::Tree(Shape::SpineLeft | Shape::SpineRight) => vec![SPINE, PAUSE, OUTSIDE],
            _ => vec![PAUSE, OUTSIDE],
        }
    }

    /// Who can run it.
    pub(crate) fn contenders(self) -> Vec<Id> {
        match self {
            Kind::Program(program) => [&[Id::Baseline], program.contenders].concat(),
            _ => Id::EVERYBODY.to_vec(),
        }
    }

    /// Makes it and runs the session on it. Trees are not taken down where the process ends soon.
    pub(crate) fn run(
        self,
        session: &Session<'_>,
        size: u64,
        parameter: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Brought, Failure> {
        let parameter = |of: Parameter, usual| parameter(of.name).unwrap_or(usual);
        let count = size as usize;
        match self {
            Kind::Tree(shape) => {
                let spine = parameter(SPINE, SPINE_LENGTH) as usize;
                let tree = ManuallyDrop::new(Tree::with_shape(shape, spine, size));
                let brought = session.run(&*tree);
                if !matches!(session, Session::Visit(_)) {
                    drop(ManuallyDrop::into_inner(tree));
                }
                brought
            }
            Kind::Sha1Tree => {
                let tree = Sha1Tree::new(size, parameter(WORK, 1));
                session.run(&*ManuallyDrop::new(tree))
            }
            Kind::Fib => session.run(&Fib(size as u32)),
            Kind::Ramp => {
                let steps = parameter(STEPS, 10_000);
                session.run(&Leaves::of_rounds(
                    count,
                    steps,
                    Split::Halves,
                    Decoys::None,
                ))
            }
            Kind::Leaves(split) => {
                let each = Duration::from_micros(20);
                session.run(&Leaves::new(count, each, split, Decoys::None))
            }
            Kind::Entry(entry) => session.run(&entry.problem()),
            Kind::Program(program) => program.run(session, count),
        }
    }
}

//! The problems that experiments can name: how large they may be, what parameters they have, who
//! can run them, and how a visit makes them. A new one is a line in each `match`.

use std::mem::ManuallyDrop;
use std::ops::RangeInclusive;

use super::Task;
use crate::contender::Id;
use crate::experiment::Failure;
use crate::problem::fib::Fib;
use crate::problem::leaves::{Decoys, Leaves, Split};
use crate::problem::sha1_tree::Sha1Tree;
use crate::problem::tree::{MOST_NODES, Tree, fits};
use crate::program::Program;
use crate::program::catalogue::PROGRAMS;
use crate::results::Measured;

/// A problem by name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The sum of a balanced tree of so many nodes.
    Tree,
    /// The same with SHA-1 at every node, `work` times over.
    Sha1Tree,
    /// The Fibonacci number of this index, a join at every call.
    Fib,
    /// So many leaves below a balanced recursion, each of `steps` steps of arithmetic: two
    /// nanoseconds or so.
    Ramp,
    /// One of the programs that people bring.
    Program(&'static Program),
}

/// Something that a problem can be varied by.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) range: RangeInclusive<u64>,
}

/// Milliseconds slept before every call, which all problems have.
pub(super) const PAUSE: Parameter = Parameter {
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

impl Kind {
    const NAMED: [(&str, Kind); 4] = [
        ("tree", Kind::Tree),
        ("sha1-tree", Kind::Sha1Tree),
        ("fib", Kind::Fib),
        ("ramp", Kind::Ramp),
    ];

    /// The problem of this name.
    pub(super) fn find(name: &str) -> Result<Kind, String> {
        let named = Kind::NAMED.into_iter();
        let programs = PROGRAMS.iter().map(|p| (p.name, Kind::Program(p)));
        let mut all = named.chain(programs);
        let found = all.find(|(known, _)| *known == name);
        found.map(|(_, kind)| kind).ok_or_else(|| {
            let mut known: Vec<&str> = Kind::NAMED.iter().map(|(name, _)| *name).collect();
            let programs = PROGRAMS.iter().map(|program| program.name);
            known.extend(programs.filter(|name| *name != "fib"));
            format!(
                "no problem is called {name}; there are {}",
                known.join(", ")
            )
        })
    }

    /// The size that is meant where none is given.
    pub(super) fn usual_size(self, quick: bool) -> u64 {
        match self {
            Kind::Tree | Kind::Sha1Tree => 1023,
            Kind::Fib => 20,
            Kind::Ramp => 8,
            Kind::Program(program) if quick => program.quick as u64,
            Kind::Program(program) => program.size as u64,
        }
    }

    fn sizes(self) -> RangeInclusive<u64> {
        match self {
            Kind::Tree | Kind::Sha1Tree => 1..=MOST_NODES,
            Kind::Fib => 2..=45,
            Kind::Ramp => 1..=1_000_000,
            Kind::Program(program) => 2..=program.most as u64,
        }
    }

    /// Whether it makes sense in this size.
    pub(super) fn check_size(self, size: u64) -> Result<(), String> {
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

    /// Whether memory suffices for it.
    pub(super) fn check_memory(self, size: u64) -> Result<(), String> {
        match self {
            Kind::Tree | Kind::Sha1Tree => fits(size),
            Kind::Fib | Kind::Ramp | Kind::Program(_) => Ok(()),
        }
    }

    /// What it can be varied by.
    pub(super) fn parameters(self) -> Vec<Parameter> {
        match self {
            Kind::Sha1Tree => vec![WORK, PAUSE],
            Kind::Ramp => vec![STEPS, PAUSE],
            Kind::Tree | Kind::Fib | Kind::Program(_) => vec![PAUSE],
        }
    }

    /// Who can run it.
    pub(super) fn contenders(self) -> Vec<Id> {
        match self {
            Kind::Program(program) => {
                let mut ids = vec![Id::Baseline];
                ids.extend(program.contenders);
                ids
            }
            _ => Id::EVERYBODY.to_vec(),
        }
    }

    /// Makes it and visits the cell.
    pub(super) fn visit(self, task: &Task) -> Result<Measured, Failure> {
        let size = task.cell.size;
        let parameter = |name, usual| task.parameter(name).unwrap_or(usual);
        match self {
            // The process ends after the visit: felling a large tree before is lost time.
            Kind::Tree => task.on(&*ManuallyDrop::new(Tree::balanced(size))),
            Kind::Sha1Tree => {
                let tree = Sha1Tree::new(size, parameter(WORK.name, 1));
                task.on(&*ManuallyDrop::new(tree))
            }
            Kind::Fib => task.on(&Fib(size as u32)),
            Kind::Ramp => {
                let (leaves, steps) = (size as usize, parameter(STEPS.name, 10_000));
                task.on(&Leaves::of_rounds(
                    leaves,
                    steps,
                    Split::Halves,
                    Decoys::None,
                ))
            }
            Kind::Program(program) => program.visit(task, size as usize),
        }
    }
}

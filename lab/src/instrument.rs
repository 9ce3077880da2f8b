//! A closer look at a problem than a clock gives: its work and span, or what the threads did
//! meanwhile. sumac's thread-local join and its loops run it, once to be warm and once to be seen,
//! and the answers are checked.

use crate::contender::{Contender, Id, SumacJoin, once};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::problem::leaves::{Decoys, Leaves, Split};
use crate::problem::tree::Tree;
use crate::program::catalogue::PROGRAMS;
use crate::sample::WrongAnswer;
use std::time::Duration;

/// How to look.
pub(crate) enum Instrument {
    /// For work and span.
    #[cfg(feature = "profile")]
    Profile(sumac::profile::Profiler),
    /// For what so many threads do.
    #[cfg(feature = "trace")]
    Trace(usize),
}

/// What was seen.
#[derive(Debug)]
pub(crate) enum Seen {
    /// Work and span.
    #[cfg(feature = "profile")]
    Profile(sumac::profile::Profile),
    /// What threads did.
    #[cfg(feature = "trace")]
    Trace(sumac::trace::Trace),
}

impl Instrument {
    /// On how many threads.
    fn seat(&self) -> Seat {
        let threads = match self {
            #[cfg(feature = "profile")]
            Instrument::Profile(_) => 1,
            #[cfg(feature = "trace")]
            Instrument::Trace(threads) => *threads,
        };
        Seat {
            id: Id::SumacJoin,
            threads,
        }
    }

    /// Looks at this problem.
    pub(crate) fn on<P: Problem>(&self, problem: &P) -> Result<Seen, Failure> {
        let seat = self.seat();
        let pool = pool::<SumacJoin>(seat)?;
        let solve = || pool.enter(|cx| once::<SumacJoin, P>(problem, cx));
        let check = |returned| {
            let (got, expected) = (problem.answer(returned), problem.expected());
            match got == expected {
                true => Ok(()),
                false => Err(Failure::Wrong(seat, WrongAnswer { got, expected })),
            }
        };
        problem.reset();
        check(solve())?;
        problem.reset();
        let (returned, seen) = match self {
            #[cfg(feature = "profile")]
            Instrument::Profile(profiler) => {
                let (returned, profile) = profiler.run(solve);
                (returned, Seen::Profile(profile))
            }
            #[cfg(feature = "trace")]
            Instrument::Trace(_) => {
                let (returned, trace) =
                    pool.enter(|cx| sumac::trace(|| once::<SumacJoin, P>(problem, cx)));
                (returned, Seen::Trace(trace))
            }
        };
        check(returned)?;
        Ok(seen)
    }

    /// Looks at the problem of this name, in its usual size unless another is given; also returns
    /// its title.
    pub(crate) fn at(&self, name: &str, size: Option<u64>) -> Result<(String, Seen), Failure> {
        let leaves = |split| {
            let count = size.unwrap_or(256).min(1_000_000) as usize;
            let each = Duration::from_micros(20);
            (
                format!("{name}({count})"),
                Leaves::new(count, each, split, Decoys::None),
            )
        };
        let (title, leaves) = match name {
            "tree" => {
                let nodes = size.unwrap_or((1 << 20) - 1);
                let nodes =
                    crate::problem::tree::nodes(&nodes.to_string()).map_err(Failure::Usage)?;
                return Ok((format!("tree({nodes})"), self.on(&Tree::balanced(nodes))?));
            }
            "leaves" => leaves(Split::Halves),
            "random-leaves" => leaves(Split::Random),
            "leaf-rest" => leaves(Split::LeafRest),
            "rest-leaf" => leaves(Split::RestLeaf),
            _ => return self.at_program(name, size),
        };
        Ok((title, self.on(&leaves)?))
    }

    fn at_program(&self, name: &str, size: Option<u64>) -> Result<(String, Seen), Failure> {
        let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
            let programs: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
            return Err(Failure::Usage(format!(
                "no problem is called {name}; there are tree, leaves, random-leaves, leaf-rest, rest-leaf, {}",
                programs.join(", ")
            )));
        };
        let size = match size {
            None => program.size,
            Some(size) if (2..=program.most as u64).contains(&size) => size as usize,
            Some(_) => {
                return Err(Failure::Usage(format!(
                    "a size of {name} is between 2 and {}",
                    program.most
                )));
            }
        };
        Ok((program.title(size), program.look(self, size)?))
    }
}

//! `lab callgrind`: the 1,023-node sum so many times over, on one thread, and nothing else, so that
//! two runs of different length differ by exactly the instructions of the calls. `per_node` runs
//! both under valgrind, where there is one.

use std::env;
use std::hint::black_box;
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::contender::{self, Contender, Id, Visit};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::problem::tree::Tree;
use crate::sample::WrongAnswer;

/// The nodes of the tree.
const NODES: u64 = 1023;
/// The repetitions of the two runs.
const REPS: [u32; 2] = [200, 1200];

/// Who, how often.
#[derive(Args, Clone, Debug)]
pub(crate) struct CallgrindArgs {
    /// Who
    #[arg(long, value_enum)]
    contender: Id,

    /// How often
    #[arg(long)]
    reps: u32,
}

/// Runs the sum.
pub(crate) fn run(args: &CallgrindArgs) -> Result<(), Failure> {
    let seat = Seat {
        id: args.contender,
        threads: 1,
    };
    contender::visit(
        args.contender,
        Repeat {
            seat,
            reps: args.reps,
        },
    )
}

struct Repeat {
    seat: Seat,
    reps: u32,
}

impl Visit for Repeat {
    type Out = Result<(), Failure>;

    fn visit<C: Contender + 'static>(self) -> Self::Out {
        let tree = Tree::balanced(NODES);
        let expected = tree.expected();
        let wrong = pool::<C>(self.seat)?.enter(|cx| {
            (0..self.reps)
                .map(|_| black_box(contender::once::<C, Tree>(&tree, cx)))
                .find(|&got| got != expected)
        });
        match wrong {
            None => Ok(()),
            Some(got) => Err(Failure::Wrong(self.seat, WrongAnswer { got, expected })),
        }
    }
}

/// Instructions per node of a contender, to a tenth (the loop around the calls adds a hundredth), or nothing where
/// valgrind does not work.
pub(crate) fn per_node(id: Id) -> Option<f64> {
    let few = instructions(id, REPS[0])?;
    let many = instructions(id, REPS[1])?;
    let nodes = u64::from(REPS[1] - REPS[0]) * NODES;
    let per_node = many.checked_sub(few)? as f64 / nodes as f64;
    Some((per_node * 10.0).round() / 10.0)
}

/// The instructions of a whole run, from the line `Collected : N` of callgrind's.
fn instructions(id: Id, reps: u32) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().ok()?)
        .args([
            "callgrind",
            "--contender",
            id.to_possible_value()?.get_name(),
        ])
        .args(["--reps", &reps.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit_once(':')?.1.trim().parse().ok()
}

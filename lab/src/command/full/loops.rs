//! `lab loops`: small experiments about iterators and tasks, and the goals they have.

use clap::Args;

use super::programs::{Choice, measured};
use crate::cli::Common;
use crate::experiment::Failure;
use crate::goals::list::LOOPS as GOALS;
use crate::loops::catalogue::LOOPS;
use crate::report::Report;

/// Which loops, how large.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoopsArgs {
    /// Names of loops, see `lab list` [default: all of them]
    #[arg(value_name = "LOOP")]
    loops: Vec<String>,

    #[command(flatten)]
    choice: Choice,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &LoopsArgs) -> Result<Report, Failure> {
    let loops = ("loops", LOOPS, GOALS);
    measured(loops, &args.loops, &args.choice, &args.common)
}

//! `lab fork`: the tables of the predecessor, a fork of domainslib with batching, in their shape.

use clap::Args;

use crate::batch::fork::{NAME, NOTE, TABLES, measure, table};
use crate::cli::Common;
use crate::experiment::Failure;
use crate::page::gathered;
use crate::report::Report;

/// How much.
#[derive(Args, Clone, Debug)]
pub(crate) struct ForkArgs {
    /// Small numbers, only to see that it works
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &ForkArgs) -> Result<Report, Failure> {
    let limits = args.common.limits(7, 30.0);
    let lines = measure(args.quick, limits)?;
    let fork = gathered(NAME.into(), lines.clone());
    let mut report = Report {
        lines,
        ..Report::default()
    };
    for (title, table) in TABLES.iter().filter_map(|what| table(&fork, what)) {
        report.add(title, table, NOTE);
    }
    Ok(report)
}

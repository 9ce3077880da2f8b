//! `lab batch`: shared counters, maps and sets, batched implicitly or guarded by what a Rust user
//! has otherwise.

use clap::Args;
use sumac_record::{Line, table_of};

use crate::batch::{counters, maps::FAMILIES};
use crate::cli::Common;
use crate::experiment::Failure;
use crate::report::{Report, Section};
use crate::view::SPREAD_NOTE;

/// What, how much.
#[derive(Args, Clone, Debug)]
pub(crate) struct BatchArgs {
    /// What is measured [default: all]
    #[arg(value_parser = ["counters", "maps", "hashes", "sets"], value_name = "WHAT")]
    what: Vec<String>,

    /// Small sizes, only to see that it works
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &BatchArgs) -> Result<Report, Failure> {
    let quick = args.quick;
    let limits = match quick {
        true => args.common.limits(1, 0.01),
        false => args.common.limits(7, 30.0),
    };
    let wants = |what: &str| args.what.is_empty() || args.what.iter().any(|name| name == what);
    let mut report = Report::default();
    if wants("counters") {
        report.keep(&counters::measure(quick, limits)?);
    }
    for (what, family) in FAMILIES {
        if wants(what) {
            report.keep(&family.measure(quick, limits)?);
        }
    }
    let alike = report
        .lines
        .chunk_by(|a, b| a.cell.problem == b.cell.problem);
    let section =
        |lines: &[Line]| Section::new(&lines[0].cell.problem, table_of(lines), SPREAD_NOTE);
    report.sections = alike.map(section).collect();
    Ok(report)
}

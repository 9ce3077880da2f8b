//! `lab ramp`: leaves of some work, in small pieces, one call at a time: how soon does the second
//! thread help?

use std::time::Duration;

use clap::Args;

use crate::cli::{self, Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Records, Rounds};
use crate::machine;
use crate::problem::catalogue::RAMP;
use crate::progress::Progress;
use crate::report::Report;
use crate::view::{SPREAD_NOTE, median_and_spread, side_by_side};
use crate::workload::Workload;

/// The plain program, the ideal, and the runtimes.
pub(crate) fn field() -> Vec<Id> {
    [&[Id::Baseline, Id::StaticSplit], Id::RUNTIMES].concat()
}

/// In what conditions, who, how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct RampArgs {
    /// The sleep before each cold call, in milliseconds
    #[arg(long, value_parser = cli::milliseconds, default_value = "1", value_name = "MS")]
    cold_ms: Duration,

    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The records of leaves, with the name of their row.
pub(crate) fn row(leaves: &Workload, rounds: &Rounds<'_>) -> Result<Row, Failure> {
    let records = leaves.measure(leaves.size, rounds)?;
    Ok((format!("{}, {}", leaves.name, rounds.mode), records))
}

type Row = (String, Records);

/// `lab ramp`.
pub(crate) fn ramp(args: &RampArgs) -> Result<Report, Failure> {
    let (hot, cold) = (Mode::HOT, Mode::HOT.after(args.cold_ms));
    let modes = [hot, cold, hot.outside(), cold.outside()];
    let all = args.field.threads(&[machine::cores()]);
    let progress = Progress::new(all.len() * modes.len() * RAMP.len());
    let mut report = Report::default();
    for threads in all {
        let seats = args.field.seats(&field(), &[threads]);
        let hot = Rounds::hot(&seats, args.common.limits(25, 2.5), &progress);
        let all = modes.map(|mode| Rounds { mode, ..hot });
        let rows = all
            .iter()
            .flat_map(|rounds| RAMP.iter().map(|leaves| row(leaves, rounds)));
        let rows = rows.collect::<Result<Vec<Row>, _>>()?;
        let table = side_by_side("one call", &rows, hot.seats, median_and_spread);
        report.add(format!("ramp, {threads} threads"), table, SPREAD_NOTE);
        report.keep_all(rows);
    }
    Ok(report)
}

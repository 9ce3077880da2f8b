//! `lab ramp`: small pieces of work, one call at a time: how soon does the second thread help?

use std::time::Duration;

use clap::Args;

use crate::cli::{self, Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Limits, Mode, Records, Seat, measure};
use crate::machine;
use crate::problem::catalogue::RAMP;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::view::{SPREAD_NOTE, median_and_spread, side_by_side};

/// The plain program, the ideal, and the runtimes.
pub(crate) const FIELD: [Id; 6] = [
    Id::Baseline,
    Id::StaticSplit,
    Id::Rayon,
    Id::Chili,
    Id::SumacJoin,
    Id::SumacScope,
];

/// In what conditions.
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

/// The name of a row, and its records.
pub(crate) fn row(
    workload: usize,
    seats: &[Seat],
    mode: Mode,
    limits: Limits,
    progress: &Progress,
) -> Result<(String, Records), Failure> {
    let entry = RAMP[workload];
    let problem = entry.problem();
    let name = format!("{}, {mode}", entry.name);
    let records = measure(&name, &problem, seats, mode, limits, progress)?;
    Ok((name, records))
}

/// Measures.
pub(crate) fn run(args: &RampArgs) -> Result<Report, Failure> {
    let hot = Mode::HOT;
    let cold = hot.after(args.cold_ms);
    let modes = [hot, cold, hot.outside(), cold.outside()];
    let limits = args.common.limits(25, 2.5);
    let threads = args.field.threads(&[machine::cores()]);
    let progress = Progress::new(threads.len() * modes.len() * RAMP.len());
    let mut report = Report::default();
    for &threads in &threads {
        let seats = args.field.seats(&FIELD, &[threads]);
        let mut rows = Vec::new();
        for mode in modes {
            for workload in 0..RAMP.len() {
                rows.push(row(workload, &seats, mode, limits, &progress)?);
            }
        }
        let table = side_by_side("one call", &rows, &seats, median_and_spread);
        let title = format!("ramp, {threads} threads");
        report
            .sections
            .push(Section::new(title, table, SPREAD_NOTE));
        rows.into_iter()
            .for_each(|(_, records)| report.keep(records));
    }
    Ok(report)
}

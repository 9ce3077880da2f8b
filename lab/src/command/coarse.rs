//! `lab coarse`: two closures of 10 ms in one join, with no joins inside, and four in two levels.
//! A scheduler that notices an idle thread only at a later join gains nothing here.

use std::time::Duration;

use clap::Args;

use super::ramp::FIELD;
use crate::cli::{Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Limits, Mode, Record, Records, Seat, measure};
use crate::machine;
use crate::problem::catalogue::COARSE;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::table::ratio;
use crate::view::{SPREAD_NOTE, median_and_spread, side_by_side, spread};

/// What a pool that was left alone for a while has been left alone for.
pub(crate) const IDLE: Duration = Duration::from_millis(100);

/// Who, how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct CoarseArgs {
    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The pool is new, has just been used, has been idle.
pub(crate) fn modes() -> [Mode; 3] {
    let hot = Mode::HOT.outside();
    [Mode::FRESH, hot, hot.after(IDLE)]
}

/// The name of a row, and its records.
pub(crate) fn row(
    workload: usize,
    seats: &[Seat],
    mode: Mode,
    limits: Limits,
    progress: &Progress,
) -> Result<(String, Records), Failure> {
    let entry = COARSE[workload];
    let name = format!("{}, {mode}", entry.name);
    let records = measure(&name, &entry.problem(), seats, mode, limits, progress)?;
    Ok((name, records))
}

/// The time over what it would be if the closures were dealt out at once and for nothing.
pub(crate) fn over_ideal(record: &Record, closures: usize) -> Option<f64> {
    let longest_share = closures.div_ceil(record.threads) as f64 / closures as f64;
    Some(record.over_baseline? / longest_share)
}

/// Measures.
pub(crate) fn run(args: &CoarseArgs) -> Result<Report, Failure> {
    let limits = args.common.limits(15, 3.0);
    let threads = args.field.threads(&[machine::cores()]);
    let progress = Progress::new(threads.len() * modes().len() * COARSE.len());
    let mut report = Report::default();
    for &threads in &threads {
        let seats = args.field.seats(&FIELD, &[threads]);
        for (workload, entry) in COARSE.iter().enumerate() {
            let mut rows = Vec::new();
            for mode in modes() {
                rows.push(row(workload, &seats, mode, limits, &progress)?);
            }
            let cell = |record: &Record| match over_ideal(record, entry.count) {
                Some(over) if record.contender != Id::Baseline => {
                    format!("{}{}", ratio(over), spread(record))
                }
                _ => median_and_spread(record),
            };
            let table = side_by_side("one call", &rows, &seats, cell);
            let title = format!("coarse, {}, {threads} threads, over the ideal", entry.name);
            report
                .sections
                .push(Section::new(title, table, SPREAD_NOTE));
            rows.into_iter()
                .for_each(|(_, records)| report.keep(records));
        }
    }
    Ok(report)
}

//! `lab ramp`, `lab shapes`, `lab coarse`: recursions over leaves of some work. In the ramp pieces
//! are small, one call at a time: how soon does the second thread help? In the shapes there is
//! enough work for everybody, and some of them hide it. The coarse ones have no joins inside: a
//! scheduler that notices an idle thread only at a later join gains nothing there.

use std::time::Duration;

use clap::Args;

use crate::cli::{self, Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Record, Records, Rounds};
use crate::machine;
use crate::problem::catalogue::{COARSE, RAMP, SHAPES};
use crate::progress::Progress;
use crate::report::Report;
use crate::table::ratio;
use crate::view::{SPREAD_NOTE, median_and_spread, side_by_side, speed_up_and_spread, spread};
use crate::workload::Workload;

/// The plain program, the ideal, and the runtimes.
pub(crate) fn field() -> Vec<Id> {
    [&[Id::Baseline, Id::StaticSplit], Id::RUNTIMES].concat()
}

/// Who, how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct LeavesArgs {
    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// In what conditions.
#[derive(Args, Clone, Debug)]
pub(crate) struct RampArgs {
    /// The sleep before each cold call, in milliseconds
    #[arg(long, value_parser = cli::milliseconds, default_value = "1", value_name = "MS")]
    cold_ms: Duration,

    #[command(flatten)]
    pub(crate) leaves: LeavesArgs,
}

/// A pool is new, has just been used, has been idle.
fn coarse_modes() -> [Mode; 3] {
    let hot = Mode::HOT.outside();
    [Mode::FRESH, hot, hot.after(Duration::from_millis(100))]
}

/// The records of leaves, with the name of their row.
pub(crate) fn row(leaves: &Workload, rounds: &Rounds<'_>) -> Result<Row, Failure> {
    let records = leaves.measure(leaves.size, rounds)?;
    Ok((format!("{}, {}", leaves.name, rounds.mode), records))
}

type Row = (String, Records);

impl LeavesArgs {
    /// Does on each number of threads what a command does: so many experiments.
    fn stages(
        &self,
        (rounds, seconds): (usize, f64),
        experiments: usize,
        on: impl Fn(usize, Rounds<'_>, &mut Report) -> Result<(), Failure>,
    ) -> Result<Report, Failure> {
        let all = self.field.threads(&[machine::cores()]);
        let progress = Progress::new(all.len() * experiments);
        let mut report = Report::default();
        for threads in all {
            let seats = self.field.seats(&field(), &[threads]);
            let limits = self.common.limits(rounds, seconds);
            let hot = Rounds::hot(&seats, limits, &progress);
            on(threads, hot, &mut report)?;
        }
        Ok(report)
    }
}

/// `lab ramp`.
pub(crate) fn ramp(args: &RampArgs) -> Result<Report, Failure> {
    let (hot, cold) = (Mode::HOT, Mode::HOT.after(args.cold_ms));
    let modes = [hot, cold, hot.outside(), cold.outside()];
    let experiments = modes.len() * RAMP.len();
    args.leaves
        .stages((25, 2.5), experiments, |threads, hot, report| {
            let all = modes.map(|mode| Rounds { mode, ..hot });
            let rows = all
                .iter()
                .flat_map(|rounds| RAMP.iter().map(|leaves| row(leaves, rounds)));
            let rows = rows.collect::<Result<Vec<Row>, _>>()?;
            let table = side_by_side("one call", &rows, hot.seats, median_and_spread);
            report.add(format!("ramp, {threads} threads"), table, SPREAD_NOTE);
            report.keep_all(rows);
            Ok(())
        })
}

/// `lab shapes`.
pub(crate) fn shapes(args: &LeavesArgs) -> Result<Report, Failure> {
    args.stages((20, 2.5), SHAPES.len(), |threads, hot, report| {
        let row = |shape: &Workload| Ok((shape.name.to_string(), shape.measure(shape.size, &hot)?));
        let rows = SHAPES
            .iter()
            .map(row)
            .collect::<Result<Vec<Row>, Failure>>()?;
        let (baseline, others) = hot.seats.split_at(1);
        let table = side_by_side("shape", &rows, others, speed_up_and_spread);
        let title = format!("shapes, {threads} threads, speed-up over the plain program");
        report.add(title, table, SPREAD_NOTE);
        let table = side_by_side("shape", &rows, baseline, median_and_spread);
        report.add("the plain program", table, "");
        report.keep_all(rows);
        Ok(())
    })
}

/// `lab coarse`.
pub(crate) fn coarse(args: &LeavesArgs) -> Result<Report, Failure> {
    let experiments = coarse_modes().len() * COARSE.len();
    args.stages((15, 3.0), experiments, |threads, hot, report| {
        for entry in COARSE {
            let rows = coarse_modes().map(|mode| row(&entry, &Rounds { mode, ..hot }));
            let rows = rows.into_iter().collect::<Result<Vec<Row>, _>>()?;
            // The time over what it would be if the closures were dealt out at once for nothing.
            let cell = |record: &Record| {
                let longest_share = entry.size.div_ceil(record.threads) as f64;
                let ideal = longest_share / entry.size as f64;
                match record.over_baseline {
                    Some(over) if record.contender != Id::Baseline => {
                        ratio(over / ideal) + &spread(record)
                    }
                    _ => median_and_spread(record),
                }
            };
            let table = side_by_side("one call", &rows, hot.seats, cell);
            let name = entry.name;
            let title = format!("coarse, {name}, {threads} threads, over the ideal");
            report.add(title, table, SPREAD_NOTE);
            report.keep_all(rows);
        }
        Ok(())
    })
}

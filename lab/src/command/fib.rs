//! `lab fib`: Fibonacci numbers by the naive recursion with a join at every call.
//! Nothing but forks, so its figure is the time a fork adds to the plain program.

use clap::Args;

use crate::cli::{Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Record, Records, measure};
use crate::machine;
use crate::problem::fib::Fib;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::table::{Table, digits, ratio, time};

/// The number everybody computes.
pub(crate) const N: u32 = 38;

/// Which number.
#[derive(Args, Clone, Debug)]
pub(crate) struct FibArgs {
    /// The number to compute
    #[arg(long, default_value_t = N, value_parser = clap::value_parser!(u32).range(2..=45))]
    n: u32,

    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The time a fork adds to the plain program, with all threads' time counted.
pub(crate) fn ns_per_fork(record: &Record, records: &Records, forks: u64) -> Option<f64> {
    let plain = records.get(Id::Baseline, 1)?.median();
    Some((record.median() - plain) / forks as f64)
}

/// Measures.
pub(crate) fn run(args: &FibArgs) -> Result<Report, Failure> {
    let problem = Fib(args.n);
    let name = format!("fib({})", args.n);
    let progress = Progress::new(1);
    let threads = args.field.threads(&[1, machine::cores()]);
    let seats = args.field.seats(&Id::RUNTIMES, &threads);
    let limits = args.common.limits(20, 10.0);
    let records = measure(&name, &problem, &seats, Mode::HOT, limits, &progress)?;

    let mut table = Table::new([
        "contender",
        "threads",
        "median",
        "p10",
        "p90",
        "per fork",
        "added per fork",
        "speed-up",
    ]);
    for record in records.iter() {
        let s = record.summary;
        let added = (record.threads == 1 && record.contender != Id::Baseline)
            .then(|| ns_per_fork(record, &records, problem.forks()))
            .flatten();
        table.row([
            record.contender.to_string(),
            record.threads.to_string(),
            time(s.median),
            time(s.p10),
            time(s.p90),
            format!("{} ns", digits(s.median / problem.forks() as f64)),
            added.map_or("".into(), |ns| format!("{} ns", digits(ns))),
            record.speed_up.map_or("".into(), ratio),
        ]);
    }
    let mut report = Report::default();
    let title = format!("{name}, {} forks, {}", problem.forks(), Mode::HOT);
    let note = "Added per fork: over the plain program, on one thread. \
                Speed-up: the plain program's median over this one.";
    report.sections.push(Section::new(title, table, note));
    report.keep(records);
    Ok(report)
}

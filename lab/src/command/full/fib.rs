//! `lab fib`: Fibonacci numbers by the naive recursion with a join at every call.
//! Nothing but forks, so its figure is the time a fork adds to the plain program.

use clap::Args;

use crate::cli::{Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Record, Rounds};
use crate::machine;
use crate::problem::fib::Fib;
use crate::progress::Progress;
use crate::report::Report;
use crate::table::digits;
use crate::view::{SPEED_UP, TIMES, listed};

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

/// Measures.
pub(crate) fn run(args: &FibArgs) -> Result<Report, Failure> {
    let problem = Fib(args.n);
    let name = format!("fib({})", args.n);
    let progress = Progress::new(1);
    let threads = args.field.threads(&[1, machine::cores()]);
    let seats = args.field.seats(Id::RUNTIMES, &threads);
    let limits = args.common.limits(20, 10.0);
    let records = Rounds::hot(&seats, limits, &progress).measure(&name, &problem)?;

    let forks = problem.forks() as f64;
    let ns = |ns: f64| format!("{} ns", digits(ns));
    let plain = records.get(Id::Baseline, 1).map(Record::median);
    let per_fork = |record: &Record| ns(record.median() / forks);
    let added = |record: &Record| match plain {
        Some(plain) if record.threads == 1 && record.contender != Id::Baseline => {
            ns((record.median() - plain) / forks)
        }
        _ => String::new(),
    };
    let own = [
        ("per fork", &per_fork as _),
        ("added per fork", &added as _),
        SPEED_UP,
    ];
    let table = listed(records.iter(), &[&TIMES[..], &own].concat());
    let mut report = Report::default();
    let title = format!("{name}, {} forks, {}", problem.forks(), Mode::HOT);
    let note = "Added per fork: over the plain program, on one thread. \
                Speed-up: the plain program's median over this one.";
    report.add(title, table, note);
    report.keep(records);
    Ok(report)
}

//! `lab enter`: many outside threads enter one pool at once. The baseline shows what the threads
//! alone cost.

use clap::Args;

use crate::cli::{Common, Field};
use crate::contender::Id;
use crate::experiment::Failure;
use crate::machine;
use crate::problem::enter::{CALLERS, ENTRIES, measure};
use crate::progress::Progress;
use crate::report::Report;
use crate::view::{DETAIL_NOTE, detail};

/// How many come in.
#[derive(Args, Clone, Debug)]
pub(crate) struct EnterArgs {
    /// Outside threads
    #[arg(long, default_value_t = CALLERS, value_parser = clap::value_parser!(u32).range(1..=1024))]
    callers: u32,

    /// Entries of each thread, with one join each
    #[arg(long, default_value_t = ENTRIES, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    entries: u32,

    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &EnterArgs) -> Result<Report, Failure> {
    let (callers, entries) = (args.callers, args.entries);
    let threads = args.field.threads(&[machine::cores()]);
    let seats = args.field.seats(Id::RUNTIMES, &threads);
    let limits = args.common.limits(25, 5.0);
    let records = measure(callers, entries, &seats, limits, &Progress::new(1))?;
    let mut report = Report::default();
    let title = format!("{callers} outside threads, {entries} entries each, time per entry");
    let note = format!("The baseline only calls. {DETAIL_NOTE}");
    report.add(title, detail(&records), note);
    report.keep(records);
    Ok(report)
}

//! `lab batch`: shared counters, maps and sets, batched implicitly or guarded by what a Rust user
//! has otherwise.

use clap::{Args, ValueEnum};

use crate::batch::{Drive, counters, maps};
use crate::cli::Common;
use crate::experiment::{Failure, Record};
use crate::report::Report;
use crate::view::{SPREAD_NOTE, throughputs};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Counters that are incremented
    Counters,
    /// Ordered maps that are filled and searched
    Maps,
    /// Hash maps
    Hashes,
    /// Ordered sets of integers
    Sets,
}

/// What, how much.
#[derive(Args, Clone, Debug)]
pub(crate) struct BatchArgs {
    /// What is measured [default: all]
    #[arg(value_enum, value_name = "WHAT")]
    what: Vec<What>,

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
    let wants = |what| args.what.is_empty() || args.what.contains(&what);
    let mut report = Report::default();
    if wants(What::Counters) {
        let records = counters::measure(quick, limits)?;
        counter_sections(&mut report, &records);
        report.keep(&records);
    }
    for (what, family) in [
        (What::Maps, maps::MAPS),
        (What::Hashes, maps::HASH_MAPS),
        (What::Sets, maps::SETS),
    ] {
        if wants(what) {
            let records = maps::measure(&family, quick, limits)?;
            map_sections(&mut report, &records);
            report.keep(&records);
        }
    }
    Ok(report)
}

fn counter_sections(report: &mut Report, records: &[Record]) {
    let of_loops = |record: &&Record| record.cell.parameters == Drive::Loop.to_string();
    let (in_loops, in_tasks): (Vec<&Record>, _) = records.iter().partition(of_loops);
    let note = format!("× is the number of threads. {SPREAD_NOTE}");
    for (title, records) in [
        ("counters, calls that wait, from a loop", in_loops),
        ("counters, awaited by tasks", in_tasks),
    ] {
        if !records.is_empty() {
            report.add(title, throughputs(records), &note);
        }
    }
}

fn map_sections(report: &mut Report, records: &[Record]) {
    let note = "Alone: one owner, no sharing. Sorted: the same, in order of the keys. \
                One batch: all operations at once. Loop: calls that wait. \
                Threads: the same outside of pools. Tasks: awaited.";
    for of_kind in records.chunk_by(|a, b| a.cell.problem == b.cell.problem) {
        report.add(&of_kind[0].cell.problem, throughputs(of_kind), note);
    }
}

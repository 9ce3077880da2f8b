//! `lab list`: what `lab run` can run, a line each.

use crate::experiment::Failure;
use crate::program::catalogue::PROGRAMS;
use crate::report::Report;
use crate::started::STARTED;
use crate::table::{Table, grouped};
use crate::workload::Workload;

/// Lists.
pub(crate) fn run() -> Result<Report, Failure> {
    let mut report = Report::default();
    report.add("lab run", table(PROGRAMS), "");
    let mut table = Table::headed("name|what it compares");
    for started in STARTED {
        table.row([started.name, started.about]);
    }
    let note = "`lab run` knows each file of `experiments/`, too.";
    report.add("lab run, programs of their own", table, note);
    Ok(report)
}

fn table(programs: &[Workload]) -> Table {
    let mut table = Table::headed("name|size|quick size|what it is");
    for program in programs {
        table.row([
            program.name.to_string(),
            grouped(program.size as u64),
            grouped(program.quick as u64),
            program.about.to_string(),
        ]);
    }
    table
}

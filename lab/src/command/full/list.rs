//! `lab list`: what `lab run` and `lab loops` can run, a line each.

use crate::experiment::Failure;
use crate::loops::catalogue::LOOPS;
use crate::program::catalogue::PROGRAMS;
use crate::report::{Report, Section};
use crate::started::STARTED;
use crate::table::{Table, grouped};
use crate::workload::Workload;

/// Lists.
pub(crate) fn run() -> Result<Report, Failure> {
    let mut report = Report::default();
    for (title, programs) in [("lab run", PROGRAMS), ("lab run, lab loops", LOOPS)] {
        let section = Section::new(title, table(programs), "");
        report.sections.push(section);
    }
    let mut table = Table::headed("name|what it compares");
    for started in STARTED {
        table.row([started.name, started.about]);
    }
    let note = "`lab run` knows each file of `experiments/`, too.";
    report
        .sections
        .push(Section::new("lab run, programs of their own", table, note));
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

//! `lab loops`: small experiments about iterators and tasks, and the goals they have.

use clap::Args;

use super::programs::{Choice, chosen, measure, note, table};
use crate::cli::Common;
use crate::experiment::{Failure, Record};
use crate::goals::Verdict;
use crate::goals::list::LOOPS as GOALS;
use crate::loops::catalogue::LOOPS;
use crate::report::Report;

/// What the table of goals leaves open.
const NOTE: &str = "Ratios are of medians in the same run, more is better.";

/// Which loops, how large.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoopsArgs {
    /// Names of loops, see `lab list` [default: all of them]
    #[arg(value_name = "LOOP")]
    loops: Vec<String>,

    #[command(flatten)]
    choice: Choice,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &LoopsArgs) -> Result<Report, Failure> {
    let loops = chosen(LOOPS, &args.loops)?;
    let measured = measure(&loops, &args.choice, &args.common)?;
    let mut report = Report::default();
    report.add("loops", table(&measured), note());
    for (program, (_, records)) in loops.iter().zip(&measured) {
        let named = |record: &Record| Record {
            experiment: program.name.into(),
            ..record.clone()
        };
        let records: Vec<Record> = records.iter().map(named).collect();
        report.goals.extend(Verdict::answered(GOALS, &records));
    }
    if !report.goals.is_empty() && !args.choice.quick {
        report.sections.push(Verdict::section(&report.goals, NOTE));
    }
    report.keep_all(measured);
    Ok(report)
}

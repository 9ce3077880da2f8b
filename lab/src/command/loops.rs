//! `lab loops`: small experiments about iterators and tasks, and the goals they have.

use clap::Args;

use super::all::Verdict;
use super::programs::{Choice, chosen, measure, note, table};
use crate::cli::Common;
use crate::contender::Id;
use crate::experiment::{Failure, Records, Seat};
use crate::loops::catalogue::LOOPS;
use crate::loops::goals::{GOALS, Goal, THREADS};
use crate::report::{Report, Section};
use crate::view::spread;

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
    report
        .sections
        .push(Section::new("loops", table(&measured), note()));
    for (program, (_, records)) in loops.iter().zip(&measured) {
        report.goals.extend(verdicts(program.name, records));
    }
    if !report.goals.is_empty() && !args.choice.quick {
        report.sections.push(Verdict::section(&report.goals, NOTE));
    }
    measured
        .into_iter()
        .for_each(|(_, records)| report.keep(records));
    Ok(report)
}

/// The goals that these records answer.
fn verdicts(name: &str, records: &Records) -> Vec<Verdict> {
    let seat = Seat {
        id: Id::SumacJoin,
        threads: THREADS,
    };
    let Some(record) = records.get(seat.id, seat.threads) else {
        return Vec::new();
    };
    let goals = GOALS.iter().filter(|goal| goal.name == name);
    let verdict = |goal: &Goal| {
        let what = format!("{name}, {}", goal.figure.describe());
        let measured = goal.figure.read(record, records);
        let (unit, spread) = (goal.figure.unit(), spread(record));
        Verdict::new(what, seat, goal.limit, unit, measured, &spread)
    };
    goals.map(verdict).collect()
}

//! `lab loops`: small experiments about iterators and tasks, and the goals they have.

use clap::Args;

use crate::cli::{Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Record, Rounds, Seat, seats};
use crate::goals::Verdict;
use crate::goals::list::LOOPS as GOALS;
use crate::loops::catalogue::LOOPS;
use crate::machine;
use crate::progress::Progress;
use crate::report::Report;
use crate::table::Table;
use crate::view::{AGAINST_RAYON, MIN, SPEED_UP, SPREAD_NOTE, TIMES, listed, spread};
use crate::workload::{Workload, find};

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

/// How large, and who.
#[derive(Args, Clone, Debug)]
pub(crate) struct Choice {
    /// Its size, which counts what `lab list` says [default: as listed]
    #[arg(long, value_name = "N")]
    size: Option<usize>,

    /// Small sizes, only to see that it works
    #[arg(long, conflicts_with = "size")]
    pub(crate) quick: bool,

    #[command(flatten)]
    field: Field,
}

impl Choice {
    /// The size of a program.
    fn size(&self, program: &Workload) -> Result<usize, Failure> {
        let unless_given = if self.quick {
            program.quick
        } else {
            program.size
        };
        let size = self.size.unwrap_or(unless_given);
        let wrong = |why| Failure::Usage(format!("{}: {why}", program.name));
        program.check_size(size).map_err(wrong)?;
        Ok(size)
    }

    /// Who takes part: the baseline, and those asked for, or all who can.
    fn seats(&self, program: &Workload, threads: &[usize]) -> Result<Vec<Seat>, Failure> {
        let asked = self.field.contenders(program.contenders);
        if let Some(id) = asked
            .iter()
            .find(|id| **id != Id::Baseline && !program.contenders.contains(id))
        {
            return Err(Failure::Usage(format!(
                "{} cannot be run by {id}",
                program.name
            )));
        }
        let mut ids = vec![Id::Baseline];
        ids.extend(asked);
        Ok(seats(&ids, threads))
    }
}

/// One contender of one program a row.
fn table(records: &[Record]) -> Table {
    let column = |record: &Record| record.experiment.clone();
    let trimmed = |record: &Record| spread(record).trim().to_string();
    let more = [("spread", &trimmed as _), MIN, SPEED_UP, AGAINST_RAYON];
    let columns = [&[("problem", &column as _)], &TIMES[..3], &more].concat();
    listed(records, &columns)
}

/// What the table of goals leaves open.
pub(super) const NOTE: &str = "Ratios are of medians in the same run, more is better.";

/// Measures, and says which goals are met.
pub(crate) fn run(args: &LoopsArgs) -> Result<Report, Failure> {
    let (choice, common) = (&args.choice, &args.common);
    let named = |name: &String| find(LOOPS.iter(), name).map_err(Failure::Usage);
    let programs = match &args.loops[..] {
        [] => Ok(LOOPS.iter().collect()),
        names => names.iter().map(named).collect::<Result<Vec<_>, _>>(),
    }?;
    let threads = choice.field.threads(&[machine::cores()]);
    let planned = programs.iter().map(|&program| {
        let size = choice.size(program)?;
        Ok((program, size, choice.seats(program, &threads)?))
    });
    let planned = planned.collect::<Result<Vec<_>, Failure>>()?;
    let progress = Progress::new(planned.len());
    let limits = match choice.quick {
        true => common.limits(1, 0.01),
        false => common.limits(25, 3.0),
    };
    let mut report = Report::default();
    for (program, size, seats) in planned {
        let rounds = Rounds::hot(&seats, limits, &progress);
        let records = program
            .measure(size, &rounds)
            .map_err(|why| why.of(program.title(size)))?;
        let named = |record: &Record| Record {
            experiment: program.name.into(),
            ..record.clone()
        };
        let by_name: Vec<Record> = records.iter().map(named).collect();
        report.goals.extend(Verdict::answered(GOALS, &by_name));
        report.keep(records);
    }
    let note = format!(
        "{SPREAD_NOTE} Speed-up: the baseline's median over this one. \
         Against rayon: rayon's median over this one."
    );
    report.add("loops", table(&report.records), note);
    if !report.goals.is_empty() && !choice.quick {
        report.sections.push(Verdict::section(&report.goals, NOTE));
    }
    Ok(report)
}

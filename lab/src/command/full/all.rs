//! `lab all`: every goal with the value measured, met or missed. Goals that share an experiment and
//! a condition share its rounds, in which the plain programs and the static split take part.

use std::time::Duration;

use clap::Args;
use indexmap::IndexMap;

use crate::builds;
use crate::cli::Common;
use crate::command::tree::SUBTREE;
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Record, Records, Rounds, Seat, Who, distinct};
use crate::goals::list::{COUNTED, CPU, JOINS, WAKES};
use crate::goals::{Goal, Verdict};
use crate::idle;
use crate::problem::enter;
use crate::progress::Progress;
use crate::report::Report;
use crate::workload::{Workload, all};

/// The Fibonacci number of the goals.
const N: usize = 38;
/// How long idle pools are watched.
const WATCH: Duration = Duration::from_secs(5);

/// Which goals, how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct AllArgs {
    /// Only goals whose description contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &AllArgs) -> Result<Report, Failure> {
    let wanted = |goal: &&Goal| {
        let only = args.only.as_deref();
        only.is_none_or(|text| goal.describe(&goal.of).contains(text))
    };
    let goals: Vec<&Goal> = JOINS.iter().filter(wanted).collect();
    if goals.is_empty() {
        return Err(Failure::Usage("no goal's description contains that".into()));
    }
    let mut groups: IndexMap<_, Vec<&Goal>> = IndexMap::new();
    for goal in goals {
        let mode = match goal.of.mode {
            WAKES => CPU,
            mode => mode,
        };
        groups
            .entry((goal.experiment, mode))
            .or_default()
            .push(goal);
    }
    let progress = Progress::new(groups.len());
    let mut report = Report::default();
    for group in groups.into_values() {
        let records = measured(&group, args, &progress, &mut report)?;
        report.goals.extend(Verdict::all(group, &records));
    }
    let note = "Ratios are to the plain program in the same run, of medians.";
    report.sections.push(Verdict::section(&report.goals, note));
    Ok(report)
}

fn measured(
    group: &[&Goal],
    args: &AllArgs,
    progress: &Progress,
    report: &mut Report,
) -> Result<Vec<Record>, Failure> {
    let first = group[0];
    // What is no time.
    let single = |id, threads, mode, value| {
        let who = Seat { id, threads };
        Record::new(first.experiment, mode, who, 1, vec![value])
    };
    match first.of.mode {
        COUNTED => {
            progress.begin("instructions");
            let counts = builds::instructions()?;
            progress.end();
            let record = |(id, count)| single(id, 1, COUNTED, count);
            Ok(counts.into_iter().map(record).collect())
        }
        CPU | WAKES => {
            let held = first.experiment.contains("caller");
            let case = |goal: &&Goal| idle::Case {
                id: Id::SumacScope,
                threads: goal.of.threads,
                held,
            };
            let mut cases: Vec<_> = group.iter().map(case).collect();
            cases.dedup();
            let idle = idle::measure(&cases, WATCH, progress)?;
            let both = |r: &idle::IdleRecord| {
                let of = |mode, value| single(r.case.id, r.case.threads, mode, value);
                [of(CPU, r.cpu_ms), of(WAKES, r.switches as f64)]
            };
            let records = idle.iter().flat_map(both).collect();
            report.idle.extend(idle);
            Ok(records)
        }
        _ => {
            let records = timed(group, args, progress)?.into_vec();
            report.records.extend(records.clone());
            Ok(records)
        }
    }
}

fn timed(group: &[&Goal], args: &AllArgs, progress: &Progress) -> Result<Records, Failure> {
    let limits = args.common.limits(40, 3.0);
    let of = group[0].of;
    let (experiment, seats) = (group[0].experiment, seats(group));
    if of.mode == "together" {
        let seats: Vec<Seat> = group.iter().filter_map(|goal| seat(goal)).collect();
        return enter::measure(enter::CALLERS, enter::ENTRIES, &seats, limits, progress);
    }
    let none = |what: &str| Failure::Other(format!("there is no {what}"));
    let mode = mode(of.mode).ok_or_else(|| none(of.mode))?;
    let (problem, size) = problem(experiment).ok_or_else(|| none(experiment))?;
    progress.begin(&format!("building the {experiment}"));
    let hot = Rounds::hot(&seats, limits, progress);
    problem.measure(size, &Rounds { mode, ..hot })
}

/// The condition that records call so.
fn mode(name: &str) -> Option<Mode> {
    let paused = |mode: Mode, ms| mode.after(Duration::from_millis(ms));
    let (inside, outside) = (Mode::HOT, Mode::HOT.outside());
    let all = [
        inside,
        outside,
        Mode::FRESH,
        paused(inside, 1),
        paused(outside, 100),
    ];
    all.into_iter().find(|mode| mode.to_string() == name)
}

/// The problem whose experiments are called so: trees and the Fibonacci number in the sizes of the
/// goals, leaves in their only one.
fn problem(experiment: &str) -> Option<(&'static Workload, usize)> {
    let sizes = |problem: &Workload| match problem.name {
        "tree" | "spine-left" | "spine-right" => vec![1023, 16_777_215, SUBTREE as usize],
        "fib" => vec![N],
        _ => vec![problem.size],
    };
    let sized = |problem| sizes(problem).into_iter().map(move |size| (problem, size));
    let mut all = all().flat_map(sized);
    all.find(|(problem, size)| problem.title(*size) == experiment)
}

fn seat(goal: &Goal) -> Option<Seat> {
    match goal.of.who {
        Who::Runtime(id) => Some(Seat {
            id,
            threads: goal.of.threads,
        }),
        Who::Named(_) => None,
    }
}

/// The plain programs, and the contenders that goals are about with the static split on as many
/// threads.
fn seats(group: &[&Goal]) -> Vec<Seat> {
    let sequential = [Id::Baseline, Id::RightFirst].map(|id| Seat { id, threads: 1 });
    let own = group.iter().filter_map(|goal| seat(goal));
    let id = Id::StaticSplit;
    let beside = own.flat_map(|seat| [seat, Seat { id, ..seat }]);
    distinct(sequential.into_iter().chain(beside))
}

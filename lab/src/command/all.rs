//! `lab all`: every goal with the value measured, met or missed. Goals that share a workload and a
//! condition share one experiment, in which the plain programs and the static split take part.

mod verdict;

pub(crate) use verdict::{Verdict, Who};

use std::time::Duration;

use clap::Args;

use super::{coarse, enter, fib, idle, ramp, tree};
use crate::builds;
use crate::cli::Common;
use crate::contender::Id;
use crate::experiment::{Failure, Limits, Mode, Records, Seat, measure};
use crate::goals::{Condition, GOALS, Goal, Workload};
use crate::problem::catalogue::SHAPES;
use crate::problem::fib::Fib;
use crate::problem::tree::{Shape, Tree};
use crate::progress::Progress;
use crate::report::Report;

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
    let goals = selected(args.only.as_deref())?;
    let groups = groups(&goals);
    let progress = Progress::new(groups.len());
    let mut report = Report::default();
    for group in groups {
        let outcome = experiment(&group, args, &progress)?;
        for goal in group {
            report.goals.push(Verdict::of(goal, &outcome));
        }
        match outcome {
            Outcome::Timed(records) => report.keep(records),
            Outcome::Idle(records) => report.idle.extend(records),
            Outcome::Counted(_) => {}
        }
    }
    let note = "Ratios are to the plain program in the same run, of medians.";
    report.sections.push(Verdict::section(&report.goals, note));
    Ok(report)
}

fn selected(only: Option<&str>) -> Result<Vec<&'static Goal>, Failure> {
    let wanted = |goal: &&Goal| only.is_none_or(|text| goal.describe().contains(text));
    let goals: Vec<_> = GOALS.iter().filter(wanted).collect();
    if goals.is_empty() {
        return Err(Failure::Usage("no goal's description contains that".into()));
    }
    Ok(goals)
}

/// Goals that one experiment answers, in the order of their first.
fn groups(goals: &[&'static Goal]) -> Vec<Vec<&'static Goal>> {
    let mut groups: Vec<Vec<&'static Goal>> = Vec::new();
    for goal in goals {
        let key = (goal.workload, goal.condition);
        let same = |group: &&mut Vec<&Goal>| (group[0].workload, group[0].condition) == key;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(goal),
            None => groups.push(vec![goal]),
        }
    }
    groups
}

/// What an experiment brought.
enum Outcome {
    /// Times.
    Timed(Records),
    /// Idle pools' costs.
    Idle(Vec<idle::IdleRecord>),
    /// Instructions per node of each contender.
    Counted(Vec<(Id, Option<f64>)>),
}

fn experiment(group: &[&Goal], args: &AllArgs, progress: &Progress) -> Result<Outcome, Failure> {
    let limits = args.common.limits(40, 3.0);
    let mode = mode(group[0].condition);
    let seats = seats(group);
    let timed = match group[0].workload {
        Workload::Tree(nodes) => tree(Shape::Balanced, 1, nodes, &seats, mode, limits, progress),
        Workload::Spine(shape) => tree(
            shape,
            tree::SPINE,
            tree::SUBTREE,
            &seats,
            mode,
            limits,
            progress,
        ),
        Workload::Fib => measure("fib", &Fib(fib::N), &seats, mode, limits, progress),
        Workload::Shape(n) => measure(
            SHAPES[n].name,
            &SHAPES[n].problem(),
            &seats,
            mode,
            limits,
            progress,
        ),
        Workload::Ramp(n) => ramp::row(n, &seats, mode, limits, progress).map(|row| row.1),
        Workload::Coarse(n) => coarse::row(n, &seats, mode, limits, progress).map(|row| row.1),
        Workload::Enter => {
            let seats: Vec<Seat> = group.iter().map(|goal| goal.seat()).collect();
            enter::measure(enter::CALLERS, enter::ENTRIES, &seats, limits, progress)
        }
        Workload::Idle { held } => {
            let case = |goal: &&Goal| idle::Case {
                id: goal.who,
                threads: goal.threads,
                held,
            };
            let mut cases: Vec<_> = group.iter().map(case).collect();
            cases.dedup();
            return idle::measure(&cases, WATCH, progress).map(Outcome::Idle);
        }
        Workload::Instructions => {
            progress.begin("instructions");
            let counts = builds::instructions(&[builds::DEFAULT])?;
            let count = |goal: &&Goal| (goal.who, builds::count_of(&counts, goal.who));
            let counts = group.iter().map(count).collect();
            progress.end();
            return Ok(Outcome::Counted(counts));
        }
    };
    timed.map(Outcome::Timed)
}

fn tree(
    shape: Shape,
    spine: usize,
    nodes: u64,
    seats: &[Seat],
    mode: Mode,
    limits: Limits,
    progress: &Progress,
) -> Result<Records, Failure> {
    let name = tree::name(shape, spine, nodes);
    progress.begin(&format!("building the {name}"));
    let tree = Tree::with_shape(shape, spine, nodes);
    measure(&name, &tree, seats, mode, limits, progress)
}

/// The plain programs, those whom the goals are about, and the static split.
fn seats(group: &[&Goal]) -> Vec<Seat> {
    let sequential = [Id::Baseline, Id::RightFirst].map(|id| Seat { id, threads: 1 });
    let mut seats = sequential.to_vec();
    for goal in group {
        let by_hand = Seat {
            id: Id::StaticSplit,
            ..goal.seat()
        };
        for seat in [goal.seat(), by_hand] {
            if !seats.contains(&seat) {
                seats.push(seat);
            }
        }
    }
    seats
}

fn mode(condition: Condition) -> Mode {
    match condition {
        Condition::Hot => Mode::HOT,
        Condition::Cold => Mode::HOT.after(Duration::from_millis(1)),
        Condition::Fresh => Mode::FRESH,
        Condition::Entering => Mode::HOT.outside(),
        Condition::Rested => Mode::HOT.outside().after(coarse::IDLE),
    }
}

//! A goal, the value measured, and whether it was met: how each figure is read off the records.

use std::fmt;

use serde::Serialize;

use super::super::{coarse, fib, tree};
use super::Outcome;
use crate::contender::Id;
use crate::experiment::{Records, Seat};
use crate::goals::{Condition, Figure, Goal, Limit, Workload};
use crate::problem::catalogue::{COARSE, RAMP, SHAPES};
use crate::problem::fib::Fib;
use crate::problem::tree::Shape;
use crate::report::Section;
use crate::table::{Table, digits};
use crate::view::spread;

/// Whom a goal is about.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Who {
    /// One of the runtimes.
    Runtime(Id),
    /// A shared structure, by name.
    Structure(&'static str),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Runtime(id) => id.fmt(f),
            Who::Structure(name) => f.pad(name),
        }
    }
}

impl From<Seat> for (Who, usize) {
    fn from(seat: Seat) -> Self {
        (Who::Runtime(seat.id), seat.threads)
    }
}

/// A goal with its outcome.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    what: String,
    threads: usize,
    who: Who,
    goal: String,
    measured: Option<f64>,
    unit: &'static str,
    spread: String,
    /// Whether it was met; nothing if it could not be measured.
    pub(crate) met: Option<bool>,
}

impl Verdict {
    /// Reads the goal's figure off what its experiment brought.
    pub(super) fn of(goal: &Goal, outcome: &Outcome) -> Verdict {
        let measured = match outcome {
            Outcome::Timed(records) => goal.read(records),
            Outcome::Idle(records) => records
                .iter()
                .find(|r| r.contender == goal.who && r.threads == goal.threads)
                .map(|r| match goal.figure {
                    Figure::WakeUps => r.switches as f64,
                    _ => r.cpu_ms,
                }),
            Outcome::Counted(counts) => {
                let count = counts.iter().find(|(id, _)| *id == goal.who);
                count.and_then(|(_, count)| *count)
            }
        };
        let spread = match outcome {
            Outcome::Timed(records) => records.get(goal.who, goal.threads).map(spread),
            _ => None,
        };
        let spread = spread.unwrap_or_default();
        let unit = goal.figure.unit();
        Verdict::new(
            goal.describe(),
            goal.seat(),
            goal.limit,
            unit,
            measured,
            &spread,
        )
    }

    /// Compares what was measured with the limit.
    pub(crate) fn new(
        what: String,
        who: impl Into<(Who, usize)>,
        limit: Limit,
        unit: &'static str,
        measured: Option<f64>,
        spread: &str,
    ) -> Verdict {
        let goal = match limit {
            Limit::AtMost(limit) => format!("≤ {}{unit}", digits(limit)),
            Limit::AtLeast(limit) => format!("≥ {}{unit}", digits(limit)),
        };
        let (who, threads) = who.into();
        Verdict {
            what,
            threads,
            who,
            goal,
            measured,
            unit,
            spread: spread.trim().to_string(),
            met: measured.map(|value| match limit {
                Limit::AtMost(limit) => value <= limit,
                Limit::AtLeast(limit) => value >= limit,
            }),
        }
    }

    /// All of them as a table, and how many were met.
    pub(crate) fn section(verdicts: &[Verdict], note: &str) -> Section {
        let mut table = Table::new(["what", "threads", "who", "goal", "measured", "spread", ""]);
        for verdict in verdicts {
            table.row(verdict.cells());
        }
        let met = verdicts.iter().filter(|v| v.met == Some(true)).count();
        let note = format!("{met} of {} goals met. {note}", verdicts.len());
        Section::new("goals", table, note)
    }

    /// As a row.
    fn cells(&self) -> [String; 7] {
        [
            self.what.clone(),
            self.threads.to_string(),
            self.who.to_string(),
            self.goal.clone(),
            self.measured
                .map_or("not measured".into(), |v| digits(v) + self.unit),
            self.spread.clone(),
            match self.met {
                Some(true) => "met",
                Some(false) => "MISSED",
                None => "",
            }
            .into(),
        ]
    }
}

impl Goal {
    /// Whose record it is about.
    pub(super) fn seat(&self) -> Seat {
        Seat {
            id: self.who,
            threads: self.threads,
        }
    }

    /// What is measured, in words.
    pub(super) fn describe(&self) -> String {
        let workload = match self.workload {
            Workload::Tree(nodes) => tree::name(Shape::Balanced, 1, nodes),
            Workload::Spine(shape) => tree::name(shape, tree::SPINE, tree::SUBTREE),
            Workload::Fib => format!("fib({})", fib::N),
            Workload::Shape(n) => format!("shape: {}", SHAPES[n].name),
            Workload::Ramp(n) => format!("ramp: {}", RAMP[n].name),
            Workload::Coarse(n) => format!("coarse: {}", COARSE[n].name),
            Workload::Instructions => tree::name(Shape::Balanced, 1, 1023),
            Workload::Idle { held: false } => "idle pool over 5 s, nobody inside".into(),
            Workload::Idle { held: true } => "idle pool over 5 s, a sleeping caller inside".into(),
            Workload::Enter => "entries of 128 outside threads".into(),
        };
        let condition = match self.condition {
            Condition::Hot => "",
            Condition::Cold => ", after 1 ms of sleep",
            Condition::Fresh => ", fresh pool",
            Condition::Entering => ", hot pool",
            Condition::Rested => ", after 100 ms of idleness",
        };
        format!("{workload}{condition}, {}", self.figure.describe())
    }

    fn read(&self, records: &Records) -> Option<f64> {
        let record = records.get(self.who, self.threads)?;
        match self.figure {
            Figure::OverBaseline => record.over_baseline,
            Figure::SpeedUp => record.speed_up,
            Figure::OverStatic => {
                let by_hand = records.get(Id::StaticSplit, self.threads)?;
                Some(record.median() / by_hand.median())
            }
            Figure::OverIdeal => match self.workload {
                Workload::Coarse(n) => coarse::over_ideal(record, COARSE[n].count),
                _ => None,
            },
            Figure::NsPerFork => fib::ns_per_fork(record, records, Fib(fib::N).forks()),
            Figure::Micros => Some(record.median() / 1e3),
            Figure::Instructions | Figure::CpuMs | Figure::WakeUps => None,
        }
    }
}

impl Figure {
    fn unit(self) -> &'static str {
        match self {
            Figure::OverBaseline | Figure::SpeedUp | Figure::OverStatic | Figure::OverIdeal => "×",
            Figure::NsPerFork => " ns",
            Figure::Micros => " µs",
            Figure::CpuMs => " ms",
            Figure::Instructions | Figure::WakeUps => "",
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Figure::OverBaseline => "over plain",
            Figure::SpeedUp => "speed-up",
            Figure::OverStatic => "over the static split",
            Figure::OverIdeal => "over the ideal",
            Figure::NsPerFork => "added per fork",
            Figure::Micros => "median",
            Figure::Instructions => "instructions per node",
            Figure::CpuMs => "CPU time",
            Figure::WakeUps => "wake-ups",
        }
    }
}

//! A line of a result file. Everything that is needed to judge a number stands beside it: all
//! samples, what they cost in CPU time and context switches, the machine, the versions, the
//! command. Fields are only ever added, each with a default, so that old files stay readable.

use std::collections::BTreeMap;
use std::fmt;

use crate::machine::Machine;
use serde::{Deserialize, Serialize, Serializer};

/// What one visit to a cell brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The experiment's name.
    pub experiment: String,
    /// Which cell of it.
    pub cell: Cell,
    /// Whether contenders took turns in the process of the visit; else each had a process of its
    /// own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turns: bool,
    /// Which visit to that cell, counted from 0.
    pub round: u32,
    /// Seconds since 1970 when it ended; 0 where that was not recorded.
    #[serde(default)]
    pub ended_at: u64,
    /// What came of it.
    pub outcome: Outcome,
    /// The arguments of the command that asked for it.
    pub command: Vec<String>,
    /// How many cores other programs used meanwhile, where the system says so.
    pub cores_of_others: Option<f64>,
    /// Where it ran.
    pub machine: Machine,
}

/// One combination of what an experiment varies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// The problem's name.
    pub problem: String,
    /// Its size, which counts what the problem says.
    pub size: u64,
    /// Further parameters of the problem, such as `work=100`, by name; empty where it has none.
    #[serde(default)]
    pub parameters: String,
    /// Who, as on the command line.
    pub contender: String,
    /// How the contender was set up where it was not as users get it, such as `spin=3000`; else
    /// empty.
    #[serde(default)]
    pub tuning: String,
    /// On how many threads.
    pub threads: usize,
}

impl Cell {
    /// A cell without parameters, of size 1.
    pub fn of(problem: impl Into<String>, contender: &str, threads: usize) -> Cell {
        Cell {
            problem: problem.into(),
            size: 1,
            parameters: String::new(),
            contender: contender.into(),
            tuning: String::new(),
            threads,
        }
    }
}

/// What came of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Right answers, with their times.
    Measured(Box<Measured>),
    /// No answer, or a wrong one.
    Failed {
        /// How it failed.
        kind: FailureKind,
        /// What there is to say about it.
        message: String,
    },
}

impl Outcome {
    /// A failure.
    pub fn failed(kind: FailureKind, message: String) -> Outcome {
        Outcome::Failed { kind, message }
    }
}

/// How a visit failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The answer was wrong.
    WrongAnswer,
    /// The process ended without a result.
    Crash,
    /// The process was ended, since it took too long.
    TimeOut,
}

/// The samples of a visit, and what they cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// How many pieces a call has, such as nodes: what times are divided by for a time per piece.
    pub pieces: u64,
    /// Calls per sample.
    pub batch: u32,
    /// Every sample in order, in nanoseconds per call; written with five digits.
    #[serde(serialize_with = "five_digits")]
    pub samples: Vec<f64>,
    /// Untimed calls before the first sample.
    pub warm_up_calls: u64,
    /// The answer, which was compared with what it must be.
    pub answer: u64,
    /// What the process spent while the samples were taken.
    pub spent: CellTimes,
    /// What the scheduler counted meanwhile, as `sumac::Stats` names it, where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<BTreeMap<String, Option<u64>>>,
    /// What else was measured, by name, times in nanoseconds; most time nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub further: BTreeMap<String, f64>,
}

/// What the process spent while the samples were taken, all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellTimes {
    /// Nanoseconds from the first sample's start to the last one's end.
    pub wall: f64,
    /// CPU time in user mode, in nanoseconds.
    pub user: f64,
    /// CPU time in the kernel, in nanoseconds.
    pub system: f64,
    /// Context switches because a thread had to wait.
    pub voluntary: u64,
    /// Context switches because another thread wanted the processor.
    pub involuntary: u64,
}

/// Writes numbers with five significant digits: no clock here tells more, and files shrink by a
/// third.
fn five_digits<S: Serializer>(samples: &[f64], to: S) -> Result<S::Ok, S::Error> {
    let rounded = |sample: &f64| -> f64 {
        let text = format!("{sample:.4e}");
        text.parse().expect("a number that was formatted")
    };
    to.collect_seq(samples.iter().map(rounded))
}

impl CellTimes {
    /// What is beyond what was spent before.
    pub fn since(self, before: CellTimes) -> CellTimes {
        CellTimes {
            wall: (self.wall - before.wall).max(0.0),
            user: (self.user - before.user).max(0.0),
            system: (self.system - before.system).max(0.0),
            voluntary: self.voluntary.saturating_sub(before.voluntary),
            involuntary: self.involuntary.saturating_sub(before.involuntary),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.problem, self.size)?;
        for part in [&self.parameters, &self.contender, &self.tuning] {
            if !part.is_empty() {
                write!(f, " {part}")?;
            }
        }
        write!(f, " x{}", self.threads)
    }
}

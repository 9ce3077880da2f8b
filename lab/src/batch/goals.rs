//! The goals of shared structures, as data: whose figure, in comparison with whose, and the limit.
//! They hold for two cores. Adding one is adding a line to `GOALS`.

use super::maps::INSERTS;
use super::{BatchRecord, Drive, Found, Place, counters};
use crate::command::all::{Verdict, Who};
use crate::goals::Limit::{self, AtLeast, AtMost};

/// The experiment that a goal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Experiment {
    /// Increments.
    Counters,
    /// Insertions of new keys into maps of a million.
    Inserts,
}

impl Experiment {
    fn name(self) -> String {
        match self {
            Experiment::Counters => counters::NAME.into(),
            Experiment::Inserts => INSERTS.to_string(),
        }
    }

    /// A shorter name.
    fn describe(self) -> &'static str {
        match self {
            Experiment::Counters => "increments",
            Experiment::Inserts => "100 k insertions into 1 M",
        }
    }
}

/// The figure that is compared with the limit.
#[derive(Clone, Copy, Debug)]
enum Figure {
    /// Nanoseconds per operation.
    Ns,
    /// Operations per millisecond.
    PerMs,
    /// Its throughput over this place's.
    Over(Place),
    /// Its throughput over a number of operations per millisecond, which is what somebody else
    /// reached.
    OverFork(f64),
}

/// A goal.
#[derive(Clone, Copy, Debug)]
struct Goal {
    experiment: Experiment,
    /// Whose figure: the best of these.
    best_of: &'static [Place],
    figure: Figure,
    limit: Limit,
}

use Drive::{Alone, Loop, Tasks, Whole};
use Experiment::{Counters, Inserts};
use Figure::{Ns, Over, OverFork, PerMs};

const COUNTER: &str = "batched counter";
const SKIP_LIST: &str = "skip list";
const TREE: &str = "tree";
const MUTEX: &str = "Mutex<BTreeMap>";
const SKIP_MAP: &str = "crossbeam SkipMap";
/// What the predecessor's best ordered map reached on two cores of the same machine: with implicit
/// batches, and with one explicit batch.
const FORK: [f64; 2] = [202.0, 407.0];

/// Every goal, in the order of the table.
#[rustfmt::skip]
const GOALS: &[Goal] = &[
    goal(Counters, &[at(COUNTER, Loop, 1)], Ns, AtMost(50.0)),
    goal(Counters, &[at(COUNTER, Loop, 2)], Over(at("Mutex<i64>", Loop, 2)), AtLeast(1.0)),
    goal(Counters, &[at(COUNTER, Tasks(1_000), 2)], Over(at("Mutex<i64>", Tasks(1_000), 2)), AtLeast(1.0)),
    goal(Inserts, &[at(SKIP_LIST, Alone, 1)], PerMs, AtLeast(300.0)),
    goal(Inserts, &[at(SKIP_LIST, Alone, 1)], Over(at(SKIP_MAP, Alone, 1)), AtLeast(1.0)),
    goal(Inserts, &[at(SKIP_LIST, Whole, 2)], Over(at(SKIP_LIST, Whole, 1)), AtLeast(1.8)),
    goal(Inserts, &[at(TREE, Whole, 2)], Over(at(TREE, Whole, 1)), AtLeast(1.8)),
    goal(Inserts, &[at(SKIP_LIST, Tasks(1_000), 2)], Over(at(SKIP_LIST, Alone, 1)), AtLeast(1.5)),
    goal(Inserts, &[at(SKIP_LIST, Tasks(10_000), 2)], Over(at(SKIP_LIST, Alone, 1)), AtLeast(1.5)),
    goal(Inserts, &[at(SKIP_LIST, Tasks(1_000), 2)], Over(at(MUTEX, Tasks(1_000), 2)), AtLeast(2.0)),
    goal(Inserts, &[at(SKIP_LIST, Tasks(10_000), 2)], Over(at(MUTEX, Tasks(10_000), 2)), AtLeast(2.0)),
    goal(Inserts, &[at(SKIP_LIST, Tasks(1_000), 2)], Over(at(SKIP_MAP, Loop, 2)), AtLeast(1.0)),
    goal(Inserts, &[at(SKIP_LIST, Tasks(10_000), 2)], Over(at(SKIP_MAP, Loop, 2)), AtLeast(1.0)),
    goal(Inserts, &[at(TREE, Tasks(1_000), 2)], Over(at(TREE, Alone, 1)), AtLeast(1.5)),
    goal(Inserts, &[at(TREE, Tasks(10_000), 2)], Over(at(TREE, Alone, 1)), AtLeast(1.5)),
    goal(Inserts, &[at(TREE, Tasks(1_000), 2)], Over(at(MUTEX, Tasks(1_000), 2)), AtLeast(2.0)),
    goal(Inserts, &[at(TREE, Tasks(10_000), 2)], Over(at(MUTEX, Tasks(10_000), 2)), AtLeast(2.0)),
    goal(Inserts, &[at(TREE, Tasks(1_000), 2)], Over(at(SKIP_MAP, Loop, 2)), AtLeast(1.0)),
    goal(Inserts, &[at(TREE, Tasks(10_000), 2)], Over(at(SKIP_MAP, Loop, 2)), AtLeast(1.0)),
    goal(Inserts, IMPLICIT, OverFork(FORK[0]), AtLeast(3.0)),
    goal(Inserts, EXPLICIT, OverFork(FORK[1]), AtLeast(3.0)),
];

/// Any of the maps here.
const IMPLICIT: &[Place] = &[
    at(SKIP_LIST, Tasks(1_000), 2),
    at(SKIP_LIST, Tasks(10_000), 2),
    at(TREE, Tasks(1_000), 2),
    at(TREE, Tasks(10_000), 2),
];
const EXPLICIT: &[Place] = &[at(SKIP_LIST, Whole, 2), at(TREE, Whole, 2)];

const fn at(who: &'static str, drive: Drive, threads: usize) -> Place {
    Place {
        who,
        drive,
        threads,
    }
}

const fn goal(
    experiment: Experiment,
    best_of: &'static [Place],
    figure: Figure,
    limit: Limit,
) -> Goal {
    Goal {
        experiment,
        best_of,
        figure,
        limit,
    }
}

/// The goals that these records answer.
pub(crate) fn verdicts(records: &[BatchRecord]) -> Vec<Verdict> {
    GOALS
        .iter()
        .filter_map(|goal| goal.verdict(records))
        .collect()
}

/// How many goals there are.
#[cfg(test)]
pub(super) fn count() -> usize {
    GOALS.len()
}

impl Goal {
    fn verdict(&self, records: &[BatchRecord]) -> Option<Verdict> {
        let experiment = self.experiment.name();
        let found = |&place: &Place| records.found(&experiment, place);
        let own = self.best_of.iter().filter_map(found);
        let own = own.max_by(|a, b| a.per_ms().total_cmp(&b.per_ms()))?;
        let measured = match self.figure {
            Ns => Some(own.summary.median),
            PerMs => Some(own.per_ms()),
            Over(other) => found(&other).map(|other| own.per_ms() / other.per_ms()),
            OverFork(reached) => Some(own.per_ms() / reached),
        };
        let place = own.place();
        let what = format!(
            "{}: {}{}",
            self.experiment.describe(),
            place.how(),
            self.figure.describe(place)
        );
        let who = (Who::Structure(own.who), own.threads);
        let unit = self.figure.unit();
        Some(Verdict::new(
            what,
            who,
            self.limit,
            unit,
            measured,
            &own.spread(),
        ))
    }
}

impl Figure {
    fn unit(self) -> &'static str {
        match self {
            Ns => " ns",
            PerMs => " per ms",
            Over(_) | OverFork(_) => "×",
        }
    }

    fn describe(self, own: Place) -> String {
        match self {
            Ns | PerMs => String::new(),
            Over(other) if other.who == own.who => format!(", over {}", other.how()),
            Over(other) if other.how() == own.how() => format!(", over {}", other.who),
            Over(other) => format!(", over {other}"),
            OverFork(_) => ", best map here over the fork's best".into(),
        }
    }
}

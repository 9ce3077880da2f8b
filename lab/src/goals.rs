//! Goals of all commands: whose figure is compared with what, and the limit. What they are is data
//! (`goals/list.rs`); what was measured, whatever measured it, is a list of records, in nanoseconds
//! where a goal does not say otherwise; a goal with its records makes a verdict
//! (`goals/verdict.rs`).

pub(crate) mod list;
mod verdict;

pub(crate) use verdict::Verdict;

use crate::experiment::{Record, Who};
use crate::stats::Summary;
use crate::view::how;

/// Where something was measured: who, in which way, on how many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Who.
    pub(crate) who: Who,
    /// The mode of the records.
    pub(crate) mode: &'static str,
    /// The threads.
    pub(crate) threads: usize,
}

/// A goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The experiment, as its records call it.
    pub(crate) experiment: &'static str,
    /// The experiment, as the table of goals calls it.
    pub(crate) title: &'static str,
    /// Whose figure.
    pub(crate) of: Place,
    /// Whose instead, if it is better.
    pub(crate) or: &'static [Place],
    /// What is compared.
    pub(crate) figure: Figure,
    /// With what.
    pub(crate) limit: Limit,
}

/// What a figure may not be beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

/// The figure that is compared with the limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// Its name in the table.
    pub(crate) words: &'static str,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// How it follows from medians.
    pub(crate) value: Value,
}

/// How a figure follows from the own median and from those of others in the same run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// In units of so many nanoseconds, or of what else was measured.
    In(f64),
    /// So many of these a median, such as nanoseconds of a millisecond.
    Per(f64),
    /// Over the other's, times the factor.
    Over(Other, f64),
    /// The other's over the own, times the factor.
    Faster(Other, f64),
    /// What is beyond `factor` times the plain program's, for each of `per` forks.
    Beyond { factor: f64, per: f64 },
    /// The other's over the own: of medians or of best samples, whichever is less.
    Part(Other),
}

/// Who else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Other {
    /// Another contender in the same mode on as many threads.
    Who(Who),
    /// The better sequential order.
    Sequential,
    /// The same on so many threads.
    On(usize),
    /// There.
    At(Place),
}

impl Place {
    /// The way and the threads in words.
    fn how(&self) -> String {
        how(self.mode, self.threads)
    }
}

impl Goal {
    /// The best of those whom it is about.
    fn own<'r>(&self, records: &'r [Record]) -> Option<(Place, &'r Record)> {
        let found = |place: &Place| Some((*place, self.at(place, records)?));
        let own = std::iter::once(&self.of).chain(self.or).filter_map(found);
        own.min_by(|(_, a), (_, b)| a.summary.median.total_cmp(&b.summary.median))
    }

    /// Whether any of those whom it is about was measured.
    pub(crate) fn is_answered(&self, records: &[Record]) -> bool {
        self.own(records).is_some()
    }

    fn at<'r>(&self, place: &Place, records: &'r [Record]) -> Option<&'r Record> {
        let is_here = |record: &&Record| {
            let same_threads = record.threads == place.threads || record.contender.is_sequential();
            let own = (&*record.experiment, &*record.mode, record.contender);
            own == (self.experiment, place.mode, place.who) && same_threads
        };
        records.iter().find(is_here)
    }

    /// The figure, and the spread of what it is made of.
    fn read(&self, records: &[Record]) -> Option<(f64, Summary)> {
        let (place, record) = self.own(records)?;
        let own = record.summary;
        let other = |other: Other| self.other(other, &place, records);
        let value = match self.figure.value {
            Value::In(unit) => own.median / unit,
            Value::Per(whole) => whole / own.median,
            Value::Over(to, factor) => own.median / other(to)?.median * factor,
            Value::Faster(to, factor) => other(to)?.median / own.median * factor,
            Value::Beyond { factor, per } => {
                (own.median - factor * other(list::PLAIN)?.median) / per
            }
            Value::Part(to) => {
                let other = other(to)?;
                (other.median / own.median).min(other.min / own.min)
            }
        };
        Some((value, own))
    }

    fn other(&self, other: Other, own: &Place, records: &[Record]) -> Option<Summary> {
        let at = |place: Place| self.at(&place, records).map(|record| record.summary);
        match other {
            Other::Who(who) => at(Place { who, ..*own }),
            Other::On(threads) => at(Place { threads, ..*own }),
            Other::At(place) => at(place),
            Other::Sequential => {
                let both = list::SEQUENTIAL.map(|who| at(Place { who, ..*own }));
                let both = both.into_iter().flatten();
                both.min_by(|a, b| a.median.total_cmp(&b.median))
            }
        }
    }

    /// What is measured, in words.
    pub(crate) fn describe(&self, own: &Place) -> String {
        let condition = match own.mode {
            "" | "inside, hot" | "together" | list::COUNTED | list::CPU | list::WAKES => "".into(),
            "inside, after 1 ms" => ", after 1 ms of sleep".into(),
            "fresh pool" => ", fresh pool".into(),
            "outside, hot" => ", hot pool".into(),
            "outside, after 100 ms" => ", after 100 ms of idleness".into(),
            _ => format!(": {}", own.how()),
        };
        let words = match self.figure.value {
            Value::Faster(Other::At(other), _) if other.who == own.who => {
                format!(", over {}", other.how())
            }
            Value::Faster(Other::At(other), _) if other.how() == own.how() => {
                format!(", over {}", other.who)
            }
            Value::Faster(Other::At(other), _) => format!(", over {}, {}", other.who, other.how()),
            _ => self.figure.words.into(),
        };
        format!("{}{condition}{words}", self.title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Id;
    use crate::experiment::Seat;

    #[test]
    fn figures_are_ratios_of_medians() {
        let record = |id, ns| {
            let seat = Seat { id, threads: 2 };
            Record::new("sum", "inside, hot", seat, 1, vec![ns])
        };
        let records = [
            record(Id::Baseline, 100.0),
            record(Id::StaticSplit, 57.0),
            record(Id::Rayon, 120.0),
            record(Id::SumacJoin, 60.0),
        ];
        let of_loop = |name: &str, nth: usize| {
            let mut goals = list::LOOPS.iter().filter(|goal| goal.experiment == name);
            let goal = goals.nth(nth).expect("a goal");
            let goal = Goal {
                experiment: "sum",
                ..*goal
            };
            goal.read(&records).expect("all took part").0
        };
        assert_eq!(of_loop("mandelbrot", 1), 100.0 / 60.0);
        assert_eq!(of_loop("sum", 0), 2.0);
        assert_eq!(of_loop("sum", 1), 0.95);
        assert_eq!(of_loop("heavy-first", 0), 50.0 / 60.0);
        assert!((of_loop("map-sum-10", 0) + 50.0).abs() < 1e-9);
    }
}

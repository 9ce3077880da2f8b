//! What the adders shall reach, as data. Times are warm medians. The floor is what the same run
//! measured: passes in which as many threads did nothing but read, their median against the adder's
//! and their best against its best.

use super::results::{Facts, facts};
use super::{Adder, Cell, Entry};
use crate::command::all::{Verdict, Who};
use crate::goals::Limit::{self, AtLeast, AtMost};
use crate::report::Section;

/// The figure that is compared with the limit.
#[derive(Clone, Copy, Debug)]
enum Figure {
    /// The floor's time over this one, on as many kernels: of medians or of best passes, whichever
    /// is less.
    OfFloor,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// The time over another adder's on as many kernels.
    Over(Adder),
    /// The time over its own on two kernels.
    OverTwo,
    /// Another adder's time on as many kernels over this one.
    Faster(Adder),
}

struct Goal {
    adder: Adder,
    log: u32,
    kernels: usize,
    figure: Figure,
    limit: Limit,
}

const fn goal(adder: Adder, log: u32, kernels: usize, figure: Figure, limit: Limit) -> Goal {
    Goal {
        adder,
        log,
        kernels,
        figure,
        limit,
    }
}

use Adder::{Sumac, SumacMpi, SumacMpiMessages};

/// Every goal, in the order of the table.
#[rustfmt::skip]
const GOALS: &[Goal] = &[
    goal(Sumac,            29, 1,  Figure::OfFloor,              AtLeast(0.9)),
    goal(Sumac,            29, 2,  Figure::OfFloor,              AtLeast(0.9)),
    goal(Sumac,            20, 2,  Figure::Micros,               AtMost(25.0)),
    goal(SumacMpi,         29, 2,  Figure::Over(Sumac),          AtMost(1.15)),
    goal(SumacMpiMessages, 29, 2,  Figure::Millis,               AtMost(55.0)),
    goal(SumacMpiMessages, 29, 2,  Figure::Faster(Adder::CFirst), AtLeast(5.0)),
    goal(SumacMpi,         24, 16, Figure::OverTwo,              AtMost(3.0)),
    goal(SumacMpiMessages, 24, 16, Figure::OverTwo,              AtMost(3.0)),
    goal(Adder::C,         24, 16, Figure::OverTwo,              AtMost(3.0)),
];

/// The cells that the goals are about.
pub(crate) fn cells() -> Vec<Cell> {
    let mut cells: Vec<Cell> = GOALS.iter().flat_map(Goal::cells).collect();
    cells.sort();
    cells.dedup();
    cells
}

/// The goals with what was measured, those only whose cells were visited.
pub(crate) fn verdicts(entries: &[Entry]) -> Vec<Verdict> {
    let asked = |goal: &&Goal| entries.iter().any(|entry| entry.is_of(goal.cell()));
    GOALS
        .iter()
        .filter(asked)
        .map(|g| g.verdict(entries))
        .collect()
}

/// The goals as a table, if any cell of theirs was visited.
pub(crate) fn section(verdicts: &[Verdict]) -> Option<Section> {
    let note = "Medians of warm passes. The floor is as many threads that only read, in this run: of the ratio of medians and that of best passes, the lesser.";
    (!verdicts.is_empty()).then(|| Verdict::section(verdicts, note))
}

impl Goal {
    fn cell(&self) -> Cell {
        Cell {
            input_size: 1 << self.log,
            kernel_count: self.kernels,
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let mut two = self.cell();
        two.kernel_count = 2;
        match self.figure {
            Figure::OverTwo => vec![two, self.cell()],
            _ => vec![self.cell()],
        }
    }

    fn verdict(&self, entries: &[Entry]) -> Verdict {
        let facts_of = |adder, cell| facts(entries, cell, adder);
        let own: Option<Facts> = facts_of(self.adder, self.cell());
        let median = own.as_ref().map(|own| own.warm.median);
        let over = |other: Option<f64>| Some(median? / other?);
        let (measured, what, unit) = match self.figure {
            Figure::OfFloor => {
                let floor = facts_of(Adder::Floor, self.cell());
                let part = floor.zip(own.as_ref()).map(|(floor, own)| {
                    let medians = floor.warm.median / own.warm.median;
                    medians.min(floor.warm.min / own.warm.min)
                });
                (part, ", read rate over the floor's", "×")
            }
            Figure::Micros => (median, "", " µs"),
            Figure::Millis => (median.map(|us| us / 1e3), "", " ms"),
            Figure::Over(other) => {
                let other = facts_of(other, self.cell());
                (
                    over(other.map(|o| o.warm.median)),
                    ", over sumac's threads",
                    "×",
                )
            }
            Figure::OverTwo => {
                let two = facts_of(self.adder, self.cells()[0]);
                (
                    over(two.map(|two| two.warm.median)),
                    ", over two ranks",
                    "×",
                )
            }
            Figure::Faster(other) => {
                let other = facts_of(other, self.cell());
                let faster = other.and_then(|other| Some(other.warm.median / median?));
                (faster, ", times as fast as the first in C", "×")
            }
        };
        let spread = own.map(|own| crate::view::spread_of(&own.warm));
        Verdict::new(
            format!("2^{} bytes{what}", self.log),
            (Who::Structure(self.adder.name()), self.kernels),
            self.limit,
            unit,
            measured,
            &spread.unwrap_or_default(),
        )
    }
}

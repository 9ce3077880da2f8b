//! What all rounds of the adders say together: their results are lines as those of all experiments
//! (`results.rs`), in nanoseconds, of the problem `bytes` in sizes, each adder a contender on so
//! many ranks or threads.

use std::collections::BTreeSet;

use super::visit::FURTHER;
use super::who::{ADDERS, BYTES, FLOOR};
use crate::page::{Experiment, Facts};
use crate::report::Section;
use crate::results;
use crate::stats::Summary;
use crate::table::{Table, grouped, ratio, time};

/// The experiment's name.
pub(crate) const NAME: &str = "adders";

/// Bytes and who adds them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    /// The size of the input.
    pub(crate) input_size: u64,
    /// Ranks, or threads.
    pub(crate) kernel_count: usize,
}

impl Cell {
    /// This one, for an adder.
    pub(crate) fn of(self, adder: &str) -> results::Cell {
        results::Cell {
            problem: BYTES.name.into(),
            size: self.input_size,
            parameters: String::new(),
            contender: adder.into(),
            tuning: String::new(),
            threads: self.kernel_count,
        }
    }

    pub(crate) fn at(cell: &results::Cell) -> Cell {
        Cell {
            input_size: cell.size,
            kernel_count: cell.threads,
        }
    }
}

/// What is known of an adder in a cell, if it was right at least once and never wrong: of all warm
/// passes of all rounds, and of what else was timed.
pub(super) fn facts<'a>(adders: &'a Experiment, cell: Cell, adder: &str) -> Option<&'a Facts> {
    let tally = adders.cells.get(&cell.of(adder))?;
    let is_whole = |facts: &&Facts| FURTHER.iter().all(|name| facts.further.contains_key(*name));
    let facts = tally.facts.as_ref().filter(is_whole);
    facts.filter(|_| tally.failures.is_empty())
}

/// The cells that there are results of, in order.
pub(super) fn cells(adders: &Experiment) -> Vec<Cell> {
    let cells: BTreeSet<Cell> = adders.cells.keys().map(Cell::at).collect();
    cells.into_iter().collect()
}

/// Who was visited in a cell, with what is known of them there.
fn visited(
    adders: &Experiment,
    cell: Cell,
) -> impl Iterator<Item = (&'static str, Option<&Facts>)> {
    let all = ADDERS.iter().map(|adder| adder.name);
    let visited = all.filter(move |adder| adders.cells.contains_key(&cell.of(adder)));
    visited.map(move |adder| (adder, facts(adders, cell, adder)))
}

/// By what part passes may be shorter than the floor's by chance.
const NOISE: f64 = 0.1;

/// Adders that were faster than what only reads, by more than noise: in the median and in the tenth
/// of the shortest passes, cold or warm. There it is no lower bound. With each: the floor's median
/// over the adder's.
pub(crate) fn beaten(adders: &Experiment) -> Vec<(Cell, &'static str, f64)> {
    let over = |cell, adder, own: Option<&Facts>| {
        let (floor, own) = (facts(adders, cell, FLOOR)?, own?);
        let pairs = [
            [floor, own].map(|facts| Summary::of(&facts.further["cold"])),
            [floor, own].map(|facts| facts.summary),
        ];
        let over = pairs.map(|[floor, own]| {
            let least = (floor.median / own.median).min(floor.p10 / own.p10);
            (least * (1.0 - NOISE) > 1.0).then(|| floor.median / own.median)
        });
        let most = over.into_iter().flatten().reduce(f64::max)?;
        Some((cell, adder, most))
    };
    let of_cell = |cell| visited(adders, cell).filter_map(move |(who, own)| over(cell, who, own));
    cells(adders).into_iter().flat_map(of_cell).collect()
}

/// The same as a section that must not be overlooked, if there are any.
pub(crate) fn beaten_section(adders: &Experiment) -> Option<Section> {
    let mut table = Table::headed("adder|bytes|kernels|only reading over it");
    for (cell, adder, over) in beaten(adders) {
        table.row([
            adder.to_string(),
            grouped(cell.input_size),
            cell.kernel_count.to_string(),
            ratio(over),
        ]);
    }
    let note = "Here the program that only reads is no lower bound: the adders' way to read is faster, or the machine was busy with something else.";
    (!table.is_empty()).then(|| Section::new("Faster than only reading", table, note))
}

/// All cells as tables, to be read one after the other.
pub(crate) fn tables(adders: &Experiment) -> Vec<Section> {
    let section = |cell: Cell| {
        let title = format!("{} bytes, {} kernels", cell.input_size, cell.kernel_count);
        Section::new(title, table(adders, cell), COLUMNS)
    };
    cells(adders).into_iter().map(section).collect()
}

/// What the columns of a cell's table are.
pub(super) const COLUMNS: &str =
    "Warm: all passes of all rounds but each program's first. Load and cold: once in a round.";

/// A cell as a table of those who were visited there.
pub(super) fn table(adders: &Experiment, cell: Cell) -> Table {
    let mut table = Table::headed("adder|warm|p10|p90|GB/s|cold|load|whole process");
    for (adder, facts) in visited(adders, cell) {
        let row = match facts {
            Some(facts) => {
                let warm = facts.summary;
                let rate = cell.input_size as f64 / warm.median;
                let further =
                    ["cold", "load", "wall"].map(|name| Summary::of(&facts.further[name]).median);
                let mut row = [warm.median, warm.p10, warm.p90].map(time).to_vec();
                row.push(format!("{rate:.1}"));
                row.extend(further.map(time));
                row
            }
            None => {
                let mut row = vec![String::new(); 7];
                row[0] = "**FAILED**".into();
                row
            }
        };
        table.row(std::iter::once(adder.to_string()).chain(row));
    }
    table
}

/// The table of a cell, if there is one, for a document.
pub(crate) fn table_of(
    adders: &Experiment,
    input_size: u64,
    kernel_count: usize,
) -> Option<String> {
    let cell = Cell {
        input_size,
        kernel_count,
    };
    let table = table(adders, cell);
    (!table.is_empty()).then(|| format!("{table}\n{COLUMNS}\n"))
}

/// The warm medians of a size by number of ranks or threads, for a document.
pub(crate) fn by_kernels(adders: &Experiment, input_size: u64) -> Option<String> {
    let own: Vec<Cell> = cells(adders)
        .into_iter()
        .filter(|cell| cell.input_size == input_size)
        .collect();
    let kernels = own.iter().map(|cell| cell.kernel_count.to_string());
    let mut table = Table::new(["ranks or threads".to_string()].into_iter().chain(kernels));
    let of = |cell: &Cell, adder| facts(adders, *cell, adder).map(|f| time(f.summary.median));
    for adder in ADDERS.map(|adder| adder.name) {
        if own.iter().any(|cell| of(cell, adder).is_some()) {
            table.across(adder, &own, |cell| of(cell, adder));
        }
    }
    (!table.is_empty()).then(|| table.to_string())
}

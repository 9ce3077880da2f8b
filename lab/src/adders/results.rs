//! What all rounds of the adders say together: their results are lines as those of all experiments
//! (`results.rs`), in nanoseconds, of the problem `bytes` in sizes, each adder a contender on so
//! many ranks or threads.

use std::collections::BTreeSet;

use super::visit::FURTHER;
use super::who::{ADDERS, BYTES};
use crate::page::{Experiment, Facts};
use crate::report::Section;
use crate::results::Cell;
use crate::stats::Summary;
use crate::table::{Table, time};

/// The experiment's name.
pub(crate) const NAME: &str = "adders";

/// A size in bytes, and a number of ranks or threads.
pub(crate) type At = (u64, usize);

/// The cell of an adder there.
pub(super) fn cell_of((size, threads): At, adder: &str) -> Cell {
    Cell {
        size,
        ..Cell::of(BYTES.name, adder, threads)
    }
}

/// Where it is.
pub(crate) fn at(cell: &Cell) -> At {
    (cell.size, cell.threads)
}

/// What is known of an adder in a cell, if it was right at least once and never wrong: of all warm
/// passes of all rounds, and of what else was timed.
pub(super) fn facts<'a>(adders: &'a Experiment, at: At, adder: &str) -> Option<&'a Facts> {
    let tally = adders.cells.get(&cell_of(at, adder))?;
    let is_whole = |facts: &&Facts| FURTHER.iter().all(|name| facts.further.contains_key(*name));
    let facts = tally.facts.as_ref().filter(is_whole);
    facts.filter(|_| tally.failures.is_empty())
}

/// The cells that there are results of, in order.
pub(super) fn cells(adders: &Experiment) -> Vec<At> {
    let cells: BTreeSet<At> = adders.cells.keys().map(at).collect();
    cells.into_iter().collect()
}

/// Who was visited in a cell, with what is known of them there.
fn visited(adders: &Experiment, at: At) -> impl Iterator<Item = (&'static str, Option<&Facts>)> {
    let all = ADDERS.iter().map(|adder| adder.name);
    let visited = all.filter(move |adder| adders.cells.contains_key(&cell_of(at, adder)));
    visited.map(move |adder| (adder, facts(adders, at, adder)))
}

/// All cells as tables, to be read one after the other.
pub(crate) fn tables(adders: &Experiment) -> Vec<Section> {
    let section = |(size, kernels): At| {
        let title = format!("{size} bytes, {kernels} kernels");
        Section::new(title, table(adders, (size, kernels)), COLUMNS)
    };
    cells(adders).into_iter().map(section).collect()
}

/// What the columns of a cell's table are.
pub(super) const COLUMNS: &str =
    "Warm: all passes of all rounds but each program's first. Load and cold: once in a round.";

/// A cell as a table of those who were visited there.
pub(super) fn table(adders: &Experiment, at: At) -> Table {
    let mut table = Table::headed("adder|warm|p10|p90|GB/s|cold|load|whole process");
    for (adder, facts) in visited(adders, at) {
        let row = match facts {
            Some(facts) => {
                let warm = facts.summary;
                let rate = at.0 as f64 / warm.median;
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
    let table = table(adders, (input_size, kernel_count));
    (!table.is_empty()).then(|| format!("{table}\n{COLUMNS}\n"))
}

/// The warm medians of a size by number of ranks or threads, for a document.
pub(crate) fn by_kernels(adders: &Experiment, input_size: u64) -> Option<String> {
    let own: Vec<At> = cells(adders)
        .into_iter()
        .filter(|at| at.0 == input_size)
        .collect();
    let kernels = own.iter().map(|at| at.1.to_string());
    let mut table = Table::new(["ranks or threads".to_string()].into_iter().chain(kernels));
    let of = |at: &At, adder| facts(adders, *at, adder).map(|f| time(f.summary.median));
    for adder in ADDERS.map(|adder| adder.name) {
        if own.iter().any(|at| of(at, adder).is_some()) {
            table.across(adder, &own, |at| of(at, adder));
        }
    }
    (!table.is_empty()).then(|| table.to_string())
}

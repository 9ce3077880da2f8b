//! What all rounds of the adders say together: their results are lines as those of all experiments
//! (`results.rs`), in nanoseconds, of the problem `bytes` in sizes, each adder a contender on so
//! many ranks or threads.

use std::collections::BTreeSet;

use super::visit::FURTHER;
use super::who::{ADDERS, Adder, BYTES};
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
    let visited = |adder: &&Adder| adders.cells.contains_key(&cell_of(at, adder.name));
    for adder in ADDERS.iter().filter(visited) {
        let mut row = vec![adder.name.to_string()];
        if let Some(facts) = facts(adders, at, adder.name) {
            let warm = facts.summary;
            row.extend([warm.median, warm.p10, warm.p90].map(time));
            row.push(format!("{:.1}", at.0 as f64 / warm.median));
            let further = ["cold", "load", "wall"].map(|name| &facts.further[name]);
            row.extend(further.map(|times| time(Summary::of(times).median)));
        } else {
            row.push("**FAILED**".into());
            row.resize(8, String::new());
        }
        table.row(row);
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
    let own = cells(adders).into_iter().filter(|at| at.0 == input_size);
    let own: Vec<At> = own.collect();
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

//! All programs in turn: a round visits each cell once, and within a cell each adder, in an order that changes from round to
//! round. An adder that failed twice in a cell is not visited there again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::input::Input;
use super::visit::{Manner, visit};
use super::{Adder, Entry, Found, Visited, Workshop};
use crate::experiment::{Failure, order};
use crate::progress::Progress;

/// Failures of an adder in a cell after which it is left alone.
const PATIENCE: usize = 2;

/// Bytes and who adds them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    /// The size of the input.
    pub(crate) input_size: u64,
    /// Ranks, or threads.
    pub(crate) kernel_count: usize,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Who takes part, all of whom are there.
    pub(crate) adders: Vec<Adder>,
    /// With what.
    pub(crate) cells: Vec<Cell>,
    /// How often.
    pub(crate) rounds: usize,
    /// How each visit is made.
    pub(crate) manner: Manner,
    /// Where inputs go.
    pub(crate) folder: PathBuf,
    /// Of the random bytes.
    pub(crate) seed: u64,
}

/// Does it; `keep` gets all entries whenever there are some more.
///
/// # Errors
///
/// The input cannot be written, or an entry cannot be kept.
pub(crate) fn measure(
    plan: &Plan,
    workshop: &Workshop,
    progress: &Progress,
    keep: impl Fn(&[Entry]) -> Result<(), Failure>,
) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    let mut failures: BTreeMap<(Cell, Adder), usize> = BTreeMap::new();
    // Cells of a size are visited together, so that its file is made once in a round.
    let mut cells = plan.cells.clone();
    cells.sort();
    for round in 0..plan.rounds {
        progress.begin(&format!("round {round}"));
        let mut visited = 0;
        for alike in cells.chunk_by(|a, b| a.input_size == b.input_size) {
            let seed = plan.seed.wrapping_add(round as u64);
            let input = Input::new(&plan.folder, alike[0].input_size, seed)?;
            for cell in alike {
                let mut entry = Entry::new(*cell, round, seed, input.sum);
                for place in order(plan.adders.len(), round) {
                    let adder = plan.adders[place];
                    let failed = failures.entry((*cell, adder)).or_default();
                    if *failed >= PATIENCE {
                        continue;
                    }
                    let came = visit(workshop, adder, cell.kernel_count, &input, plan.manner)?;
                    if let Visited::Failed(why) = &came {
                        *failed += 1;
                        eprintln!(
                            "lab: FAILED: {adder}, {} kernels, {} bytes: {why}",
                            cell.kernel_count, cell.input_size
                        );
                    }
                    entry.add(adder, Found::from(came));
                }
                entries.push(entry);
                visited += 1;
                progress.reached(visited as f64 / cells.len() as f64);
            }
            keep(&entries)?;
        }
        progress.end();
    }
    Ok(entries)
}

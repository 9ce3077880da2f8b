//! All programs in turn: a round visits each cell once, and within a cell each adder, in an order
//! that changes from round to round. An adder that failed twice in a cell is not visited there
//! again. A run goes on where an earlier one stopped.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::input::Input;
use super::visit::{Manner, visit};
use super::{Adder, Entry, Workshop};
use crate::experiment::{Failure, order};
use crate::machine::Machine;
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

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Came {
    /// All entries, those of before too.
    pub(crate) entries: Vec<Entry>,
    /// Visits made.
    pub(crate) made: usize,
    /// Visits that were there already.
    pub(crate) held: usize,
    /// Visits made that failed.
    pub(crate) failed: usize,
}

/// Does it, unless it is among the entries of before; visits that failed are made again. `keep`
/// gets all entries whenever there are some more.
///
/// # Errors
///
/// The input cannot be written, an entry cannot be kept, or what was there before is of other
/// bytes.
pub(crate) fn measure(
    plan: &Plan,
    workshop: &Workshop,
    progress: &Progress,
    before: Vec<Entry>,
    keep: impl Fn(&[Entry]) -> Result<(), Failure>,
) -> Result<Came, Failure> {
    let mut came = Came {
        entries: before,
        ..Came::default()
    };
    let machine = Machine::this();
    let mut failures: BTreeMap<(Cell, Adder), usize> = BTreeMap::new();
    // Cells of a size are visited together, so that its file is made once in a round.
    let mut cells = plan.cells.clone();
    cells.sort();
    for round in 0..plan.rounds {
        progress.begin(&format!("round {round}"));
        let seed = plan.seed.wrapping_add(round as u64);
        let mut input: Option<Input> = None;
        for (visited, &cell) in cells.iter().enumerate() {
            input = input.filter(|input| input.size == cell.input_size);
            let is_held = |entry: &Entry| entry.is_round(cell, round, seed);
            let mut place = came.entries.iter().position(is_held);
            let before = came.made;
            for number in order(plan.adders.len(), round) {
                let adder = plan.adders[number];
                if place.is_some_and(|place| came.entries[place].has(adder)) {
                    came.held += 1;
                    continue;
                }
                let failed = failures.entry((cell, adder)).or_default();
                if *failed >= PATIENCE {
                    continue;
                }
                let input = match &input {
                    Some(input) => input,
                    None => input.insert(Input::new(&plan.folder, cell.input_size, seed)?),
                };
                let place = *place.get_or_insert_with(|| {
                    let entry = Entry::new(cell, round, seed, input.sum);
                    came.entries.push(Entry {
                        machine: Some(machine.clone()),
                        ..entry
                    });
                    came.entries.len() - 1
                });
                let entry = &mut came.entries[place];
                if entry.sum != input.sum {
                    return Err(Failure::Usage(format!(
                        "the results are of other bytes than seed {seed} gives now: --out names another place, --restart puts them aside"
                    )));
                }
                let found = visit(workshop, adder, cell.kernel_count, input, plan.manner)?;
                came.made += 1;
                if let Some(why) = &found.error {
                    *failed += 1;
                    came.failed += 1;
                    eprintln!(
                        "lab: FAILED: {adder}, {} kernels, {} bytes: {why}",
                        cell.kernel_count, cell.input_size
                    );
                }
                entry.add(adder, found);
            }
            progress.reached((visited + 1) as f64 / cells.len() as f64);
            if came.made > before {
                keep(&came.entries)?;
            }
        }
        progress.end();
    }
    Ok(came)
}

//! What is kept: `bench_result.json`, a list of entries with the fields that the first manager
//! wrote (`kernel_count`, `input_size`, `single_bench_result` with the microseconds of one pass in
//! a fresh process) and ours; and what all rounds together say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Adder, Cell, Seen, Visited};
use crate::experiment::Who;
use crate::file::read_list;
use crate::goals::list::ADDERS;
use crate::goals::{Goal, Reading, Verdict};
use crate::machine::Machine;
use crate::report::Section;
use crate::stats::Summary;
use crate::table::{Table, grouped, ratio, time};

/// One round of one cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Ranks, or threads.
    pub(crate) kernel_count: usize,
    /// Bytes.
    pub(crate) input_size: u64,
    /// Microseconds of the first pass by adder; no number for one that failed.
    pub(crate) single_bench_result: BTreeMap<String, f64>,
    /// Which round.
    pub(crate) round: usize,
    /// Of the random bytes.
    pub(crate) seed: u64,
    /// What every adder had to find.
    pub(crate) sum: u64,
    /// All that the adders said.
    pub(crate) adders: BTreeMap<Adder, Found>,
    /// Where it was measured; files of earlier days do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine: Option<Machine>,
}

/// What came of a visit, as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// What the adder said, if the sum was right.
    pub(crate) seen: Option<Seen>,
    /// Microseconds from the start of the program to its end.
    pub(crate) wall_us: Option<f64>,
    /// What went wrong.
    pub(crate) error: Option<String>,
}

impl From<Visited> for Found {
    fn from(visited: Visited) -> Found {
        let (seen, wall_us, error) = match visited {
            Visited::Right { seen, wall_us } => (Some(seen), Some(wall_us), None),
            Visited::Failed(why) => (None, None, Some(why)),
        };
        Found {
            seen,
            wall_us,
            error,
        }
    }
}

impl Entry {
    pub(super) fn new(cell: Cell, round: usize, seed: u64, sum: u64) -> Entry {
        Entry {
            kernel_count: cell.kernel_count,
            input_size: cell.input_size,
            single_bench_result: BTreeMap::new(),
            round,
            seed,
            sum,
            adders: BTreeMap::new(),
            machine: None,
        }
    }

    /// Whether it is the round of this cell, with the bytes of this seed.
    pub(super) fn is_round(&self, cell: Cell, round: usize, seed: u64) -> bool {
        self.is_of(cell) && self.round == round && self.seed == seed
    }

    /// Whether this adder was right here.
    pub(super) fn has(&self, adder: Adder) -> bool {
        self.adders
            .get(&adder)
            .is_some_and(|found| found.seen.is_some())
    }

    pub(super) fn add(&mut self, adder: Adder, found: Found) {
        if let Some(seen) = &found.seen {
            self.single_bench_result.insert(adder.key(), seen.cold_us);
        }
        self.adders.insert(adder, found);
    }

    /// Whether there was a kernel, and every adder was either right and timed or wrong.
    fn is_sound(&self) -> bool {
        let right = |found: &Found| found.seen.is_some() && found.wall_us.is_some();
        let wrong = |found: &Found| found.seen.is_none() && found.error.is_some();
        let known = |found: &Found| right(found) || wrong(found);
        self.kernel_count > 0 && self.adders.values().all(known)
    }

    fn cell(&self) -> Cell {
        Cell {
            input_size: self.input_size,
            kernel_count: self.kernel_count,
        }
    }

    pub(crate) fn is_of(&self, cell: Cell) -> bool {
        self.cell() == cell
    }
}

/// Reads entries that were kept.
///
/// # Errors
///
/// The file cannot be read, is something else, or holds nothing.
pub(crate) fn read(file: &Path) -> Result<Vec<Entry>, String> {
    let entries: Vec<Entry> = read_list(file, "lab adders")?;
    let no_result = |why| {
        let name = file.display();
        Err(format!("{name} is no result of `lab adders`: {why}"))
    };
    if entries.is_empty() {
        return no_result("it holds no entry".to_string());
    }
    match entries.iter().position(|entry| !entry.is_sound()) {
        Some(number) => no_result(format!("entry {} contradicts itself", number + 1)),
        None => Ok(entries),
    }
}

/// All rounds of an adder in a cell.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) load: Summary,
    pub(super) cold: Summary,
    /// Of all warm passes of all rounds.
    pub(super) warm: Summary,
    pub(super) wall: Summary,
}

/// What is known of an adder in a cell, in microseconds, if it was right at least once and never
/// wrong.
pub(super) fn facts(entries: &[Entry], cell: Cell, adder: Adder) -> Option<Facts> {
    let rounds = entries.iter().filter(|entry| entry.is_of(cell));
    let found: Vec<&Found> = rounds.filter_map(|e| e.adders.get(&adder)).collect();
    let seen = found.iter().map(|found| found.seen.as_ref());
    let seen: Vec<&Seen> = seen.collect::<Option<_>>()?;
    let of = |figure: &dyn Fn(&Seen) -> Vec<f64>| {
        let samples: Vec<f64> = seen.iter().flat_map(|seen| figure(seen)).collect();
        (!samples.is_empty()).then(|| Summary::of(&samples))
    };
    let walls: Vec<f64> = found.iter().filter_map(|found| found.wall_us).collect();
    let cold = of(&|seen| vec![seen.cold_us])?;
    Some(Facts {
        load: of(&|seen| vec![seen.load_us])?,
        // Without warm passes, the cold ones are all there is.
        warm: of(&|seen| seen.warm_us.clone()).unwrap_or(cold),
        cold,
        wall: Summary::of(&walls),
    })
}

/// The cells that there are entries of, in order.
pub(super) fn cells(entries: &[Entry]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = entries.iter().map(Entry::cell).collect();
    cells.sort();
    cells.dedup();
    cells
}

/// What went wrong: where, whose fault it was, and what was said. The same words twice are once.
pub(super) fn errors<'a>(entries: &'a [Entry]) -> Vec<(Cell, Adder, &'a str)> {
    let of = |entry: &'a Entry| {
        let said = |(&adder, found): (&Adder, &'a Found)| {
            Some((entry.cell(), adder, found.error.as_deref()?))
        };
        entry.adders.iter().filter_map(said)
    };
    let mut errors: Vec<_> = entries.iter().flat_map(of).collect();
    errors.sort();
    errors.dedup();
    errors
}

/// The median of the warm passes in a cell, given as `BYTES xKERNELS ADDER`, in nanoseconds.
pub(crate) fn warm_ns(entries: &[Entry], cell: &str) -> Option<f64> {
    let mut words = cell.split(' ');
    let input_size = words.next()?.parse().ok()?;
    let kernel_count = words.next()?.strip_prefix('x')?.parse().ok()?;
    let name = words.next()?;
    let adder = Adder::all().into_iter().find(|a| a.name() == name)?;
    let cell = Cell {
        input_size,
        kernel_count,
    };
    Some(facts(entries, cell, adder)?.warm.median * 1e3)
}

/// By what part passes may be shorter than the floor's by chance.
const NOISE: f64 = 0.1;

/// Adders that were faster than what only reads, by more than noise: in the median and in the tenth
/// of the shortest passes, cold or warm. There the floor is none. With each: the floor's median
/// over the adder's.
pub(crate) fn beaten(entries: &[Entry]) -> Vec<(Cell, Adder, f64)> {
    let mut beaten = Vec::new();
    for cell in cells(entries) {
        let Some(floor) = facts(entries, cell, Adder::Floor) else {
            continue;
        };
        for adder in Adder::all() {
            let Some(own) = facts(entries, cell, adder) else {
                continue;
            };
            let over = [(floor.cold, own.cold), (floor.warm, own.warm)].map(|(floor, own)| {
                let least = (floor.median / own.median).min(floor.p10 / own.p10);
                (least * (1.0 - NOISE) > 1.0).then(|| floor.median / own.median)
            });
            let over = over.into_iter().flatten().reduce(f64::max);
            beaten.extend(over.map(|over| (cell, adder, over)));
        }
    }
    beaten
}

/// The same as a section that must not be overlooked, if there are any.
pub(crate) fn beaten_section(entries: &[Entry]) -> Option<Section> {
    let mut table = Table::headed("adder|bytes|kernels|floor over it");
    for (cell, adder, over) in beaten(entries) {
        table.row([
            adder.to_string(),
            grouped(cell.input_size),
            cell.kernel_count.to_string(),
            ratio(over),
        ]);
    }
    let note = "No adder can be faster than reading: here the machine was busy with something else, or the floor is none.";
    (!table.is_empty()).then(|| Section::new("FASTER THAN THE FLOOR", table, note))
}

/// All cells as tables, to be read one after the other.
pub(crate) fn tables(entries: &[Entry]) -> Vec<Section> {
    let section = |cell: Cell| {
        let title = format!("{} bytes, {} kernels", cell.input_size, cell.kernel_count);
        Section::new(title, table(entries, cell), COLUMNS)
    };
    cells(entries).into_iter().map(section).collect()
}

/// What the columns of a cell's table are.
pub(super) const COLUMNS: &str =
    "Warm: all passes of all rounds but each program's first. Load and cold: once in a round.";

/// A cell as a table of those who were visited there.
pub(super) fn table(entries: &[Entry], cell: Cell) -> Table {
    let mut table = Table::headed("adder|warm|p10|p90|GB/s|cold|load|whole process");
    let rounds = entries.iter().filter(|entry| entry.is_of(cell));
    let adders: BTreeSet<Adder> = rounds.flat_map(|e| e.adders.keys().copied()).collect();
    for adder in adders {
        let row = match facts(entries, cell, adder) {
            Some(facts) => {
                let us = |us: f64| time(us * 1e3);
                let rate = cell.input_size as f64 / facts.warm.median / 1e3;
                [
                    us(facts.warm.median),
                    us(facts.warm.p10),
                    us(facts.warm.p90),
                    format!("{rate:.1}"),
                    us(facts.cold.median),
                    us(facts.load.median),
                    us(facts.wall.median),
                ]
            }
            None => {
                let mut row = [const { String::new() }; 7];
                row[0] = "**FAILED**".into();
                row
            }
        };
        table.row(std::iter::once(adder.to_string()).chain(row));
    }
    table
}

/// What a goal's experiment is called.
fn bytes(cell: Cell) -> String {
    match cell.input_size.is_power_of_two() {
        true => format!("2^{} bytes", cell.input_size.ilog2()),
        false => format!("{} bytes", cell.input_size),
    }
}

/// The cells that the goals are about.
pub(crate) fn goal_cells() -> Vec<Cell> {
    let cells = ADDERS.iter().flat_map(|goal| {
        let log = goal
            .experiment
            .strip_prefix("2^")
            .and_then(|text| text.split(' ').next());
        let log: Option<u32> = log.and_then(|log| log.parse().ok());
        let two = goal.is_over(2).then_some(2);
        let kernels = two.into_iter().chain([goal.of.threads]);
        kernels.filter_map(move |kernel_count| {
            let input_size = 1 << log?;
            Some(Cell {
                input_size,
                kernel_count,
            })
        })
    });
    let cells: BTreeSet<Cell> = cells.collect();
    cells.into_iter().collect()
}

/// The goals with what was measured, those only whose cells were visited.
pub(crate) fn verdicts(entries: &[Entry]) -> Vec<Verdict> {
    let cells = cells(entries);
    let reading = |&cell: &Cell, adder: Adder| {
        Some(Reading {
            experiment: bytes(cell),
            who: Who::Named(adder.name()),
            mode: String::new(),
            threads: cell.kernel_count,
            summary: facts(entries, cell, adder)?.warm,
        })
    };
    let of_cell = |cell| {
        Adder::all()
            .into_iter()
            .filter_map(move |adder| reading(cell, adder))
    };
    let readings: Vec<Reading> = cells.iter().flat_map(of_cell).collect();
    let visited = |goal: &&Goal| {
        let here =
            |&cell: &Cell| (&*bytes(cell), cell.kernel_count) == (goal.experiment, goal.of.threads);
        cells.iter().any(here)
    };
    Verdict::all(ADDERS.iter().filter(visited), &readings)
}

/// The goals as a table, if any cell of theirs was visited.
pub(crate) fn goals_section(verdicts: &[Verdict]) -> Option<Section> {
    let note = "Medians of warm passes. The floor is as many threads that only read, in this run: of the ratio of medians and that of best passes, the lesser.";
    (!verdicts.is_empty()).then(|| Verdict::section(verdicts, note))
}

//! The tables of the predecessor, a fork of domainslib with batching, in their own shape: what was
//! published for it stands below what is measured here.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};

use sumac::Scope;
use sumac::batch::{Batched, BatchedStructure, Counter, CounterOp, FastCounter, Plain, Request};
use sumac_record::{Cell, Line, Measured};

use super::Drive;
use super::counters::{self, Repeat};
use super::maps::{self, Bench, INSERTS, alone, shared, whole};
use super::place::{Pools, in_tasks, share};
use crate::experiment::{Failure, Limits, Record};
use crate::page::{Chart, Experiment, Facts, Line as Drawn, number};
use crate::structure::List;
use crate::structure::work::{Kind, Preset};
use crate::table::{Table, digits, grouped, time};

/// The experiment's name.
pub(crate) const NAME: &str = "fork";
/// Its tables.
pub(crate) const TABLES: [&str; 4] = ["counters", "sizes", "maps of 1", "maps of 10"];
/// What was published is for so many domains.
const THREADS: [usize; 7] = [1, 2, 3, 4, 5, 6, 7];
/// Increments of each counter, and of the one that tells the sizes of its batches.
const INCREMENTS: usize = 10_000;
const MANY: usize = 1_000_000;
/// Tasks that make them, and the most operations of a batch: as for the published sizes.
const TASKS: usize = 128;
const LIMIT: usize = 63;

/// Its counters: the name there, how operations come in here, and to what. The functor makes
/// batched structures of batched operations, as `Batched` does; its callers await.
#[rustfmt::skip]
const COUNTERS: [(&str, Drive, Repeat); 5] = [
    ("LockCounter", Drive::Loop, counters::repeat::<Mutex<i64>>),
    ("LockfreeCounter", Drive::Loop, counters::repeat::<AtomicI64>),
    ("BatchedCounter", Drive::Loop, counters::repeat::<Batched<Counter>>),
    ("BatchedCounterF", Drive::Tasks(1_000), counters::repeat::<Batched<Counter>>),
    ("BatchedCounterFF", Drive::Loop, counters::repeat::<FastCounter>),
];

/// The ways in which its skip lists are filled.
const INSERTIONS: [(&str, Drive, maps::Repeat); 3] = [
    ("Seq_ins", Drive::Alone, alone::<List>),
    ("Batched_ins", Drive::Tasks(1_000), shared::<Batched<List>>),
    ("One batch", Drive::Whole, whole::<List>),
];

/// The rows of its tables: what they are here, and what was published. Lists of 1 and of 10 million
/// keys; others are as quick runs have them.
#[rustfmt::skip]
const ROWS: [(&str, &str, &str, &[f64]); 11] = [
    ("counters", "LockCounter", "`Mutex<i64>`", &[132.15, 74.45, 92.66, 131.33, 139.25, 149.75, 157.08]),
    ("counters", "LockfreeCounter", "`AtomicI64`", &[53.77, 67.64, 76.74, 82.84, 87.40, 90.09, 90.35]),
    ("counters", "BatchedCounter", "`Batched<Counter>`, apply", &[473.12, 417.26, 386.52, 331.43, 327.10, 310.59, 317.11]),
    ("counters", "BatchedCounterF", "the same, submit", &[537.40, 423.50, 380.60, 312.73, 289.21, 282.80, 283.83]),
    ("counters", "BatchedCounterFF", "`FastCounter`", &[23.31, 20.75, 20.51, 23.43, 24.10, 25.97, 20.91]),
    ("maps of 1", "Seq_ins", "one by one", &[299.0, 302.0, 286.0, 300.0, 296.0, 301.0, 300.0]),
    ("maps of 1", "Batched_ins", "1,000 tasks", &[334.0, 421.0, 391.0, 543.0, 577.0, 627.0, 532.0]),
    ("maps of 1", "One batch", "`apply_all`", &[]),
    ("maps of 10", "Seq_ins", "one by one", &[144.0, 148.0, 157.0, 156.0, 155.0, 154.0, 156.0]),
    ("maps of 10", "Batched_ins", "1,000 tasks", &[158.0, 228.0, 308.0, 355.0, 215.0, 462.0, 479.0]),
    ("maps of 10", "One batch", "`apply_all`", &[]),
];

/// The batches of each size that were published, of a million increments.
const SIZES: [(u64, f64); 4] = [(1, 15_626.0), (9, 1.0), (62, 10.0), (63, 15_615.0)];

/// Measures all of it; with small numbers, only to see that it works.
pub(crate) fn measure(quick: bool, limits: Limits) -> Result<Vec<Line>, Failure> {
    let part = if quick { 1_000 } else { 1 };
    let threads = if quick { &THREADS[..2] } else { &THREADS };
    let places = COUNTERS
        .iter()
        .flat_map(|row| row.1.on_each(row.0, threads, row.2));
    let mut records = counters::in_rounds("counters", places.collect(), INCREMENTS, limits)?;
    for preset in [1_000_000, 10_000_000] {
        let kind = Kind {
            preset: preset / part,
            operations: INSERTS.operations / part,
            ..INSERTS
        };
        let places = INSERTIONS
            .iter()
            .flat_map(|row| row.1.on_each(row.0, threads, row.2));
        let (mut preset, bench) = (Arc::new(Preset::new(kind.preset)), &mut Bench::default());
        let measured = maps::in_rounds(kind, &mut preset, bench, places.collect(), limits);
        records.extend(measured?);
    }
    let mut lines: Vec<Line> = records.iter().map(Record::line).collect();
    lines.push(sizes(threads[threads.len() - 1], MANY / part)?);
    Ok(lines)
}

/// A counter that counts its batches by their sizes.
struct Sized {
    counter: Counter,
    sizes: BTreeMap<usize, f64>,
}

impl BatchedStructure for Sized {
    type Op = CounterOp;
    type Answer = i64;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<CounterOp, i64>]) {
        *self.sizes.entry(batch.len()).or_default() += 1.0;
        self.counter.run(scope, batch);
    }
}

/// How many batches of which size so many increments make on so many threads.
fn sizes(threads: usize, increments: usize) -> Result<Line, Failure> {
    let (mut pools, drive) = (Pools::default(), Drive::Tasks(TASKS));
    let pool = pools.get(drive, threads)?;
    let counter = Sized {
        counter: Counter::new(0),
        sizes: BTreeMap::new(),
    };
    let batched = pool.install(|| Batched::new(counter).with_batch_limit(LIMIT));
    let batched = Arc::new(batched);
    let (lasted, sum) = in_tasks(pool, TASKS, |task| {
        let batched = Arc::clone(&batched);
        async move {
            let mut sum = 0;
            for _ in share(increments, task, TASKS) {
                sum += batched.submit(Plain(CounterOp::Add(1))).await;
            }
            sum
        }
    });
    let batched = Arc::into_inner(batched).expect("all tasks have ended");
    let Sized { counter, sizes } = batched.into_inner().expect("no batch panics");
    counters::check(counter.value(), sum, increments as i64)?;
    let cell = Cell {
        size: increments as u64,
        parameters: drive.to_string(),
        ..Cell::of("sizes", "BatchedCounterF", threads)
    };
    let sizes = sizes
        .into_iter()
        .map(|(size, batches)| (size.to_string(), batches));
    let measured = Measured {
        pieces: increments as u64,
        batch: 1,
        samples: vec![lasted.as_nanos() as f64],
        further: sizes.collect(),
        ..Measured::default()
    };
    Ok(Line::new(NAME, cell, measured))
}

/// The cells of one of the tables.
fn cells<'e>(fork: &'e Experiment, what: &str) -> Vec<(&'e Cell, &'e Facts)> {
    // Of 1 is not of 10.
    let is_its = |cell: &Cell| format!("{} ", cell.problem).starts_with(&format!("{what} "));
    let cells = fork.cells.iter().filter(|(cell, _)| is_its(cell));
    cells
        .filter_map(|(cell, tally)| Some((cell, tally.facts.as_ref()?)))
        .collect()
}

/// The batches of each size, here and as published.
fn counted(fork: &Experiment) -> Option<BTreeMap<u64, [f64; 2]>> {
    let mut all: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
    let (_, facts) = *cells(fork, "sizes").first()?;
    for (size, batches) in &facts.further {
        all.entry(size.parse().ok()?).or_default()[0] = *batches.first()?;
    }
    for (size, batches) in SIZES {
        all.entry(size).or_default()[1] = batches;
    }
    Some(all)
}

/// What the published figures are.
pub(crate) const NOTE: &str =
    "Published: of 10,000 and a million increments and 100,000 insertions, on other hardware.";

/// One of the tables, with its title.
pub(crate) fn table(fork: &Experiment, what: &str) -> Option<(String, Table)> {
    let cells = cells(fork, what);
    let (first, _) = cells.first()?;
    if what == "sizes" {
        let mut table = Table::headed("batch_size|bop performed|published");
        let shown = |batches: f64| match batches as u64 {
            0 => String::new(),
            batches => grouped(batches),
        };
        for (size, [here, there]) in counted(fork)? {
            table.row([grouped(size), shown(here), shown(there)]);
        }
        let (many, tasks, on) = (grouped(first.size), &first.parameters, first.threads);
        let title = format!("sizes of batches, {many} increments from {tasks} on {on} threads");
        return Some((title, table));
    }
    let (title, unit) = match what {
        "counters" => (
            format!("counters, {} increments", grouped(INCREMENTS as u64)),
            "",
        ),
        _ => (format!("skip list, {}", first.problem), ", ops/ms"),
    };
    let numbers = THREADS.map(|threads| threads.to_string());
    let mut table = Table::new([format!("num_domains{unit}")].into_iter().chain(numbers));
    for (_, name, here, published) in ROWS.iter().filter(|row| row.0 == what) {
        table.across(format!("{name} ({here})"), &THREADS, |&threads| {
            let is_it = |cell: &Cell| cell.contender == *name && cell.threads == threads;
            let median = cells.iter().find(|(cell, _)| is_it(cell))?.1.summary.median;
            Some(match unit {
                "" => time(median * INCREMENTS as f64),
                _ => digits(1e6 / median),
            })
        });
        if !published.is_empty() {
            let published = |&n: &usize| Some(published.get(n - 1)?.to_string());
            table.across(format!("{name}, published"), &THREADS, published);
        }
    }
    Some((title, table))
}

/// The sizes of batches, drawn.
pub(crate) fn drawn(fork: &Experiment) -> Option<Chart> {
    let counted = counted(fork)?;
    let line = |name: &str, at: usize| {
        let points = counted
            .iter()
            .map(|(&size, batches)| (size as f64, [batches[at]; 3]));
        Drawn::new(name, points)
    };
    Some(Chart {
        title: format!("Sizes of batches: increments of a counter from {TASKS} tasks"),
        x: ("operations in a batch", number),
        y: ("batches", number),
        lines: vec![line("sumac", 0), line("published", 1)],
    })
}

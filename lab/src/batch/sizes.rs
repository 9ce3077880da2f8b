//! How large the batches are that form by themselves: one repetition each, after one that does not
//! count.

use std::sync::Arc;

use sumac::batch::{BatchStats, Batched, Counter};
use sumac_record::{Cell, Line, Measured};

use super::maps::{INSERTS, List, fill, shared};
use super::place::Pools;
use super::rounds::Outcome;
use super::{Drive, Extent, Place, counters};
use crate::experiment::Failure;
use crate::progress::Progress;
use crate::structure::map::{Owned, Stock};
use crate::structure::work::{Kind, Preset, Work};
use crate::table::{Table, digits, grouped};

/// The threads that the batches are formed on.
const THREADS: usize = 2;
/// How operations come in. The predecessor published its sizes for 128 and 4,096 tasks.
const DRIVES: [Drive; 5] = [
    Drive::Loop,
    Drive::Tasks(128),
    Drive::Tasks(1_000),
    Drive::Tasks(4_096),
    Drive::Tasks(10_000),
];

/// The batches of about one size.
#[derive(Clone, Debug)]
struct Class {
    /// The smallest and the largest that count as such.
    sizes: (u64, u64),
    batches: u64,
    operations: u64,
}

/// The batches of one repetition.
#[derive(Clone, Debug)]
pub(crate) struct SizeRecord {
    /// What was done.
    experiment: String,
    drive: Drive,
    threads: usize,
    /// Operations per millisecond.
    per_ms: f64,
    /// The size of the largest batch.
    largest: u64,
    classes: Vec<Class>,
}

/// Measures.
pub(crate) fn measure(extent: Extent, progress: &Progress) -> Result<Vec<SizeRecord>, Failure> {
    progress.begin("sizes of batches");
    let quick = Kind {
        preset: 1_000,
        operations: 10_000,
        ..INSERTS
    };
    let (increments, kind) = match extent {
        Extent::Quick => (10_000, quick),
        _ => (1_000_000, INSERTS),
    };
    let mut records = Vec::new();
    let mut twice = |name: String, operations: usize, repeat: &mut Repeat<'_>| {
        for drive in DRIVES {
            repeat(drive, 0)?;
            let outcome = repeat(drive, 1)?;
            records.extend(SizeRecord::of(&name, drive, operations, outcome));
            progress.reached(records.len() as f64 / (2 * DRIVES.len()) as f64);
        }
        Ok::<_, Failure>(())
    };
    let mut pools = Pools::default();
    let name = format!("a counter, {} increments", grouped(increments as u64));
    twice(name, increments, &mut |drive, _| {
        let pool = pools.get(drive, THREADS)?;
        counters::repeat::<Batched<Counter>>(pool, drive, increments)
    })?;
    let mut preset = Arc::new(Preset::new(kind.preset));
    let mut stock = Stock::default();
    fill::<List>(&mut stock, &preset);
    let who = <List as Owned>::NAME;
    let (keys, inserts) = (grouped(kind.preset as u64), grouped(kind.operations as u64));
    let name = format!("a {who} of {keys} keys, {inserts} insertions");
    twice(name, kind.operations, &mut |drive, round| {
        let place = Place {
            who,
            drive,
            threads: THREADS,
        };
        let work = Arc::new(Work::new(kind, &mut preset, round));
        shared::<Batched<List>>(&mut stock, &mut pools, place, &work)
    })?;
    progress.end();
    Ok(records)
}

/// A repetition whose operations come in so, in the round of this number.
type Repeat<'r> = dyn FnMut(Drive, usize) -> Result<Outcome, Failure> + 'r;

impl SizeRecord {
    fn of(
        experiment: &str,
        drive: Drive,
        operations: usize,
        (lasted, stats): Outcome,
    ) -> Option<SizeRecord> {
        let BatchStats { largest, sizes, .. } = stats?;
        let classes = sizes.into_iter().map(|class| Class {
            sizes: class.sizes.into_inner(),
            batches: class.batches,
            operations: class.operations,
        });
        Some(SizeRecord {
            experiment: experiment.into(),
            drive,
            threads: THREADS,
            per_ms: operations as f64 / (lasted.as_secs_f64() * 1e3),
            largest,
            classes: classes.collect(),
        })
    }

    /// It as a line of the result file of this experiment: the time of an operation, and how many
    /// batches had each size.
    pub(crate) fn line(&self, experiment: &str) -> Line {
        let problem = format!("batches of {}", self.experiment);
        let cell = Cell {
            parameters: self.drive.to_string(),
            ..Cell::of(problem, "sumac", self.threads)
        };
        let batches = self.classes.iter().map(|class| {
            let (from, to) = class.sizes;
            (format!("{from} to {to}"), class.batches as f64)
        });
        let measured = Measured {
            pieces: 1,
            batch: 1,
            samples: vec![1e6 / self.per_ms],
            further: batches.collect(),
            ..Measured::default()
        };
        Line::new(experiment, cell, measured)
    }

    /// What was done.
    pub(crate) fn experiment(&self) -> &str {
        &self.experiment
    }
}

/// A row for each size that occurred.
pub(crate) fn table(records: &[SizeRecord]) -> Table {
    let head = "operations from|ops/ms|size of batch|batches|operations|of all";
    let mut table = Table::headed(head);
    for record in records {
        let all: u64 = record.classes.iter().map(|class| class.operations).sum();
        let place = format!("{} ×{}", record.drive, record.threads);
        let mut first = [place, digits(record.per_ms)];
        for class in &record.classes {
            let (from, to) = (class.sizes.0, class.sizes.1.min(record.largest));
            let sizes = match from == to {
                true => grouped(from),
                false => format!("{}–{}", grouped(from), grouped(to)),
            };
            let share = 100.0 * class.operations as f64 / all as f64;
            let cells = [
                sizes,
                grouped(class.batches),
                grouped(class.operations),
                format!("{share:.1} %"),
            ];
            table.row(std::mem::take(&mut first).into_iter().chain(cells));
        }
    }
    table
}

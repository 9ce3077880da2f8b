//! How large the batches are that form by themselves: one repetition each, after one that does not
//! count.

use std::sync::Arc;

use serde::Serialize;
use sumac::batch::{BatchStats, Batched, Counter, SkipList};

use super::maps::{INSERTS, fill, shared};
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
#[derive(Clone, Debug, Serialize)]
struct Class {
    /// The smallest and the largest that count as such.
    sizes: (u64, u64),
    batches: u64,
    operations: u64,
}

/// The batches of one repetition.
#[derive(Clone, Debug, Serialize)]
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
    let (increments, kind) = match extent {
        Extent::Quick => (
            10_000,
            Kind {
                preset: 1_000,
                operations: 10_000,
                ..INSERTS
            },
        ),
        _ => (1_000_000, INSERTS),
    };
    let mut pools = Pools::default();
    let mut records = Vec::new();
    let name = format!("a counter, {} increments", grouped(increments as u64));
    for drive in DRIVES {
        let pool = pools.get(drive, THREADS)?;
        for round in 0..2 {
            let outcome = counters::repeat::<Batched<Counter>>(pool, drive, increments)?;
            if round > 0 {
                records.extend(SizeRecord::of(&name, drive, increments, outcome));
            }
        }
        progress.reached(records.len() as f64 / (2 * DRIVES.len()) as f64);
    }
    let mut preset = Arc::new(Preset::new(kind.preset));
    let mut stock = Stock::default();
    fill::<SkipList<u64, u64>>(&mut stock, &preset);
    let who = <SkipList<u64, u64> as Owned>::NAME;
    let (preset_keys, inserts) = (grouped(kind.preset as u64), grouped(kind.operations as u64));
    let name = format!("a {who} of {preset_keys} keys, {inserts} insertions");
    for drive in DRIVES {
        let place = Place {
            who,
            drive,
            threads: THREADS,
        };
        for round in 0..2 {
            let work = Arc::new(Work::new(kind, &mut preset, round));
            let outcome =
                shared::<Batched<SkipList<u64, u64>>>(&mut stock, &mut pools, place, &work)?;
            if round > 0 {
                records.extend(SizeRecord::of(&name, drive, kind.operations, outcome));
            }
        }
        progress.reached(records.len() as f64 / (2 * DRIVES.len()) as f64);
    }
    progress.end();
    Ok(records)
}

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

    /// What was done.
    pub(crate) fn experiment(&self) -> &str {
        &self.experiment
    }
}

/// A row for each size that occurred.
pub(crate) fn table(records: &[SizeRecord]) -> Table {
    let head = [
        "operations from",
        "ops/ms",
        "size of batch",
        "batches",
        "operations",
        "of all",
    ];
    let mut table = Table::new(head);
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

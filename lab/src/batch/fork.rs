//! The tables of the predecessor, a fork of domainslib with batching, in their own shape: what was
//! published for it stands below what is measured here.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};

use sumac::Scope;
use sumac::batch::{Batched, BatchedStructure, Counter, CounterOp, FastCounter, Plain, Request};

use super::counters::{self, Repeat};
use super::maps::{self, Bench, INSERTS, alone, shared, whole};
use super::place::{Pools, in_tasks, share};
use super::{Drive, Place};
use crate::experiment::{Failure, Limits, Record};
use crate::structure::List;
use crate::structure::work::{Kind, Preset};

/// What the predecessor published of one row, for one to seven domains.
pub(crate) type Published = [f64; 7];

/// A counter of the predecessor: its name there, what it is here, and what was published.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) here: &'static str,
    drive: Drive,
    repeat: Repeat,
    pub(crate) published: Published,
}

/// Its counters. The functor makes batched structures of batched operations, as `Batched` does; its
/// callers await.
#[rustfmt::skip]
pub(crate) const COUNTERS: [Row; 5] = [
    Row {
        name: "LockCounter", here: "Mutex<i64>",
        drive: Drive::Loop, repeat: counters::repeat::<Mutex<i64>>,
        published: [132.15, 74.45, 92.66, 131.33, 139.25, 149.75, 157.08],
    },
    Row {
        name: "LockfreeCounter", here: "AtomicI64",
        drive: Drive::Loop, repeat: counters::repeat::<AtomicI64>,
        published: [53.77, 67.64, 76.74, 82.84, 87.40, 90.09, 90.35],
    },
    Row {
        name: "BatchedCounter", here: "Batched<Counter>, apply",
        drive: Drive::Loop, repeat: counters::repeat::<Batched<Counter>>,
        published: [473.12, 417.26, 386.52, 331.43, 327.10, 310.59, 317.11],
    },
    Row {
        name: "BatchedCounterF", here: "Batched<Counter>, submit",
        drive: Drive::Tasks(1_000), repeat: counters::repeat::<Batched<Counter>>,
        published: [537.40, 423.50, 380.60, 312.73, 289.21, 282.80, 283.83],
    },
    Row {
        name: "BatchedCounterFF", here: "FastCounter",
        drive: Drive::Loop, repeat: counters::repeat::<FastCounter>,
        published: [23.31, 20.75, 20.51, 23.43, 24.10, 25.97, 20.91],
    },
];

/// The sizes of batches that were published, of a million increments.
pub(crate) const PUBLISHED_SIZES: [(usize, u64); 4] = [(1, 15_626), (9, 1), (62, 10), (63, 15_615)];

/// A row of the skip list's tables: its name, and how operations come in.
pub(crate) const INSERTIONS: [(&str, Drive); 3] = [
    ("Seq_ins", Drive::Alone),
    ("Batched_ins, one batch", Drive::Whole),
    ("Batched_ins, 1,000 tasks", Drive::Tasks(1_000)),
];

/// Operations per millisecond that were published for lists of so many keys: one by one, batched.
pub(crate) const PUBLISHED_INSERTIONS: [(usize, [Published; 2]); 2] = [
    (
        1_000_000,
        [
            [299.0, 302.0, 286.0, 300.0, 296.0, 301.0, 300.0],
            [334.0, 421.0, 391.0, 543.0, 577.0, 627.0, 532.0],
        ],
    ),
    (
        10_000_000,
        [
            [144.0, 148.0, 157.0, 156.0, 155.0, 154.0, 156.0],
            [158.0, 228.0, 308.0, 355.0, 215.0, 462.0, 479.0],
        ],
    ),
];

/// A contender in this way on each of so many threads.
fn on_each(who: &'static str, drive: Drive, threads: &[usize]) -> impl Iterator<Item = Place> {
    threads.iter().map(move |&threads| Place {
        who,
        drive,
        threads,
    })
}

/// Measures so many increments of each counter on so many threads.
pub(crate) fn counters(
    threads: &[usize],
    increments: usize,
    limits: Limits,
) -> Result<Vec<Record>, Failure> {
    let places = COUNTERS.iter().flat_map(|row| {
        let places = on_each(row.name, row.drive, threads);
        places.map(|place| (place, row.repeat))
    });
    counters::in_rounds("the fork's counters", places.collect(), increments, limits)
}

/// A counter that counts its batches by their sizes.
struct Sized {
    counter: Counter,
    sizes: BTreeMap<usize, u64>,
}

impl BatchedStructure for Sized {
    type Op = CounterOp;
    type Answer = i64;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<CounterOp, i64>]) {
        *self.sizes.entry(batch.len()).or_default() += 1;
        self.counter.run(scope, batch);
    }
}

/// How many batches of which size so many increments make, from so many tasks on so many threads.
pub(crate) fn sizes(
    (tasks, threads): (usize, usize),
    increments: usize,
    limit: usize,
) -> Result<BTreeMap<usize, u64>, Failure> {
    let mut pools = Pools::default();
    let pool = pools.get(Drive::Tasks(tasks), threads)?;
    let counter = Sized {
        counter: Counter::new(0),
        sizes: BTreeMap::new(),
    };
    let batched = pool.install(|| Batched::new(counter).with_batch_limit(limit));
    let batched = Arc::new(batched);
    let (_, sum) = in_tasks(pool, tasks, |task| {
        let batched = Arc::clone(&batched);
        async move {
            let mut sum = 0;
            for _ in share(increments, task, tasks) {
                sum += batched.submit(Plain(CounterOp::Add(1))).await;
            }
            sum
        }
    });
    let batched = Arc::into_inner(batched).expect("all tasks have ended");
    let Sized { counter, sizes } = batched.into_inner().expect("no batch panics");
    counters::check(counter.value(), sum, increments as i64)?;
    Ok(sizes)
}

/// Measures insertions into a skip list, or searches in it.
pub(crate) fn insertions(
    kind: Kind,
    threads: &[usize],
    limits: Limits,
) -> Result<Vec<Record>, Failure> {
    let rows = INSERTIONS.into_iter();
    let places = rows.flat_map(|(who, drive)| on_each(who, drive, threads));
    let places: Vec<Place> = places.collect();
    let mut preset = Arc::new(Preset::new(kind.preset));
    let repeat = |number: usize| -> maps::Repeat {
        match places[number].drive {
            Drive::Alone => alone::<List>,
            Drive::Whole => whole::<List>,
            _ => shared::<Batched<List>>,
        }
    };
    let bench = &mut Bench::default();
    maps::in_rounds(kind, &mut preset, bench, &places, limits, repeat)
}

/// So many operations on a list of so many keys, of which so many in a hundred insert.
pub(crate) fn kind(preset: usize, operations: usize, inserts: u64) -> Kind {
    Kind {
        preset,
        operations,
        inserts,
        ..INSERTS
    }
}

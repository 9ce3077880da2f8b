//! The experiments with maps and sets. Every one is filled once, in random order; each round brings
//! new operations, the same for all, and after each repetition they are taken back, which is not
//! timed.

use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use sumac::batch::{Batched, Combining, IntSet, Plain};

use super::place::{Pools, in_a_loop, in_tasks, in_threads, share};
use super::rounds::rounds;
use super::{Drive, Place};
use crate::experiment::{Failure, Limits, Record};
use crate::structure::work::{Keys, Kind, Preset, Work};
use crate::structure::{
    BTree, Dash, HashMap, InBatches, List, Owned, Papaya, Shards, Shared, Skips, Std, StdHash,
    StdSet, Stock,
};

/// What repetitions use in turns.
#[derive(Debug, Default)]
pub(super) struct Bench {
    stock: Stock,
    pools: Pools,
}

/// A repetition: these operations.
pub(super) type Repeat = fn(&mut Bench, Place, &Arc<Work>) -> Result<Duration, Failure>;

/// A structure, how its operations come in, and what carries them out.
type Row = (&'static str, &'static [Drive], Repeat);

/// Structures that are alike.
pub(crate) struct Family {
    name: &'static str,
    /// Insertions among a hundred operations.
    mixes: &'static [u64],
    /// Whether keys come by Zipf's law, too.
    zipf: bool,
    rows: &'static [Row],
}

const ALONE: &[Drive] = &[Drive::Alone];
const SORTED: &[Drive] = &[Drive::Alone, Drive::Sorted];
const WHOLE: &[Drive] = &[Drive::Whole];
/// In all ways in which many share.
const MANY: &[Drive] = &[];

const MAPS: Family = Family {
    name: "maps",
    mixes: &[100, 50, 5, 0],
    zipf: true,
    rows: &[
        ("skip list", ALONE, alone::<List>),
        ("skip list", WHOLE, whole::<List>),
        ("skip list", MANY, shared::<Batched<List>>),
        ("tree", SORTED, alone::<BTree>),
        ("tree", WHOLE, whole::<BTree>),
        ("tree", MANY, shared::<Batched<BTree>>),
        ("BTreeMap", SORTED, alone::<Std>),
        ("crossbeam SkipMap", ALONE, alone::<Skips>),
        ("Mutex<BTreeMap>", MANY, shared::<Mutex<Std>>),
        ("RwLock<BTreeMap>", MANY, shared::<RwLock<Std>>),
        (
            "parking_lot RwLock",
            MANY,
            shared::<parking_lot::RwLock<Std>>,
        ),
        ("Combining<BTreeMap>", MANY, shared::<Combining<Std>>),
        ("crossbeam SkipMap", MANY, shared::<Skips>),
    ],
};

const HASH_MAPS: Family = Family {
    name: "hash maps",
    mixes: &[100, 50, 5],
    zipf: false,
    rows: &[
        ("hash map", ALONE, alone::<HashMap>),
        ("hash map", WHOLE, whole::<HashMap>),
        ("hash map", MANY, shared::<Batched<HashMap>>),
        ("std HashMap", ALONE, alone::<StdHash>),
        ("Mutex<HashMap>", MANY, shared::<Mutex<StdHash>>),
        ("64 Mutex<HashMap>", MANY, shared::<Shards>),
        ("dashmap", MANY, shared::<Dash>),
        ("papaya", MANY, shared::<Papaya>),
    ],
};

/// Ordered sets of integers. They know no values.
const SETS: Family = Family {
    name: "sets",
    mixes: &[100],
    zipf: false,
    rows: &[
        ("int set", ALONE, alone::<IntSet>),
        ("int set", WHOLE, whole::<IntSet>),
        ("int set", MANY, shared::<Batched<IntSet>>),
        ("Mutex<IntSet>", MANY, shared::<Mutex<IntSet>>),
        ("BTreeSet", SORTED, alone::<StdSet>),
        ("Mutex<BTreeSet>", MANY, shared::<Mutex<StdSet>>),
    ],
};

/// All of them, by what the command calls them.
pub(crate) const FAMILIES: [(&str, Family); 3] =
    [("maps", MAPS), ("hashes", HASH_MAPS), ("sets", SETS)];

/// Insertions of new keys, which are measured most closely.
pub(crate) const INSERTS: Kind = Kind {
    family: MAPS.name,
    preset: 1_000_000,
    operations: 100_000,
    inserts: 100,
    keys: Keys::Uniform,
};

impl Family {
    /// Measures the workloads, which begin with the same keys.
    pub(crate) fn measure(&self, quick: bool, limits: Limits) -> Result<Vec<Record>, Failure> {
        let kind = |(inserts, keys)| Kind {
            family: self.name,
            preset: if quick { 1_000 } else { INSERTS.preset },
            operations: if quick { 500 } else { INSERTS.operations },
            inserts,
            keys,
        };
        let mixes = self.mixes.iter().map(|&inserts| (inserts, Keys::Uniform));
        let kinds = mixes.chain(self.zipf.then_some((50, Keys::Zipf)));
        let kinds: Vec<Kind> = kinds.map(kind).collect();
        let mut preset = Arc::new(Preset::new(kinds[0].preset));
        let (mut bench, mut records) = (Bench::default(), Vec::new());
        for kind in kinds {
            // The most interesting workload gets most of the time.
            let part = if kind == INSERTS { 1 } else { 3 };
            let time = limits.time / part;
            let limits = Limits { time, ..limits };
            let places = places(quick, kind, self.rows);
            records.extend(in_rounds(kind, &mut preset, &mut bench, places, limits)?);
        }
        Ok(records)
    }
}

/// Measures a workload at these places, of which each has its repetition.
pub(super) fn in_rounds(
    kind: Kind,
    preset: &mut Arc<Preset>,
    bench: &mut Bench,
    places: Vec<(Place, Repeat)>,
    limits: Limits,
) -> Result<Vec<Record>, Failure> {
    let (places, repeats): (Vec<Place>, Vec<Repeat>) = places.into_iter().unzip();
    let mut current: Option<(usize, Arc<Work>)> = None;
    rounds(&kind.to_string(), &places, limits, |round, number| {
        // Only one work at a time has the preset keys.
        current.take_if(|(of, _)| *of != round);
        let work = || (round, Arc::new(Work::new(kind, preset, round)));
        let (_, work) = current.get_or_insert_with(work);
        let lasted = repeats[number](bench, places[number], work)?;
        Ok((lasted, work.ops.len()))
    })
}

/// Who, how and on how many threads.
fn places(quick: bool, kind: Kind, rows: &[Row]) -> Vec<(Place, Repeat)> {
    let (counts, tasks): (&[usize], &[usize]) = match kind {
        _ if quick => (&[2], &[10]),
        INSERTS => (&[1, 2], &[1_000, 10_000]),
        _ => (&[2], &[1_000]),
    };
    let mut many = vec![Drive::Loop, Drive::Threads];
    many.extend(tasks.iter().map(|&tasks| Drive::Tasks(tasks)));
    let mut places = Vec::new();
    for &(who, drives, repeat) in rows {
        for &drive in if drives.is_empty() { &many } else { drives } {
            let is_alone = matches!(drive, Drive::Alone | Drive::Sorted);
            let counts = if is_alone { &[1] } else { counts };
            places.extend(drive.on_each(who, counts, repeat));
        }
    }
    places
}

/// One owner, one operation after the other, in order of their keys if that is wanted.
pub(super) fn alone<M: Owned>(
    bench: &mut Bench,
    place: Place,
    work: &Arc<Work>,
) -> Result<Duration, Failure> {
    let mut map = bench.stock.lend::<M>(&work.preset);
    work.forget();
    let numbered = work.ops.iter().enumerate();
    let mut order: Vec<_> = numbered.map(|(number, op)| (op.key, number)).collect();
    let start = Instant::now();
    if place.drive == Drive::Sorted {
        order.sort_unstable();
    }
    for (_, number) in order {
        work.answer(number, map.act(work.ops[number]));
    }
    let lasted = start.elapsed();
    give_back(bench, map, work, true)?;
    Ok(lasted)
}

/// Many who share: in a loop, on threads or in tasks.
pub(super) fn shared<S: Shared>(
    bench: &mut Bench,
    place: Place,
    work: &Arc<Work>,
) -> Result<Duration, Failure> {
    let pool = bench.pools.get(place.drive, place.threads)?;
    let map = bench.stock.lend::<S::Owned>(&work.preset);
    let map = Arc::new(pool.install(|| S::of(map)));
    work.forget();
    let count = work.ops.len();
    let act = |number: usize| {
        work.answer(number, map.act(work.ops[number]));
        0
    };
    let (lasted, _) = match place.drive {
        Drive::Tasks(tasks) => in_tasks(pool, tasks, |task| {
            let (map, work) = (Arc::clone(&map), Arc::clone(work));
            async move {
                for number in share(count, task, tasks) {
                    work.answer(number, map.submit(work.ops[number]).await);
                }
                0
            }
        }),
        Drive::Threads => in_threads(place.threads, count, act),
        _ => in_a_loop(pool, count, act),
    };
    let map = Arc::into_inner(map).expect("all tasks have ended");
    give_back(bench, map.into_owned(), work, false)?;
    Ok(lasted)
}

/// All operations as one batch.
pub(super) fn whole<M: InBatches + 'static>(
    bench: &mut Bench,
    place: Place,
    work: &Arc<Work>,
) -> Result<Duration, Failure> {
    let pool = bench.pools.get(place.drive, place.threads)?;
    let map = bench.stock.lend::<M>(&work.preset);
    work.forget();
    let ops = work.ops.iter().map(|&op| Plain(M::op(op))).collect();
    let (lasted, answers, map) = pool.install(|| {
        let map = Batched::new(map);
        let start = Instant::now();
        let answers = map.apply_all(ops);
        (start.elapsed(), answers, map)
    });
    for ((number, &op), answer) in work.ops.iter().enumerate().zip(answers) {
        work.answer(number, M::told(op, answer));
    }
    give_back(bench, Shared::into_owned(map), work, true)?;
    Ok(lasted)
}

/// Checks what has become of a map, and takes the operations back.
fn give_back<M: Owned>(
    bench: &mut Bench,
    mut map: M,
    work: &Work,
    in_order: bool,
) -> Result<(), Failure> {
    work.check(map.entries().into_iter(), in_order)?;
    for (key, first) in work.undo() {
        match first {
            Some(value) => drop(map.put(key, value)),
            None => map.take(key),
        }
    }
    bench.stock.keep(map);
    Ok(())
}

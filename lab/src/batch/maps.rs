//! The experiments with maps and sets. Every one is filled once, in random order; each round brings
//! new operations, the same for all, and after each repetition they are taken back, which is not
//! timed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

use crossbeam_skiplist::SkipMap;
use sumac::batch::{Batched, Combining, IntSet, Plain, SkipList, Tree};

use super::place::{Pools, in_a_loop, in_tasks, in_threads, share};
use super::rounds::{Outcome, rounds};
use super::{Drive, Place};
use crate::experiment::{Failure, Limits, Record};
use crate::progress::tell;
use crate::structure::batched::InBatches;
use crate::structure::hash::{self, Dash, HashMap, Papaya, Shards};
use crate::structure::map::{Owned, Shared, Stock};
use crate::structure::work::{Family, Keys, Kind, Preset, Work, first_value};

/// Insertions of new keys, which are measured most closely.
pub(crate) const INSERTS: Kind = Kind {
    family: Family::Maps,
    preset: 1_000_000,
    operations: 100_000,
    inserts: 100,
    keys: Keys::Uniform,
};
/// The ordered maps.
pub(super) type List = SkipList<u64, u64>;
type BTree = Tree<u64, u64>;
type Std = BTreeMap<u64, u64>;
type Skips = SkipMap<u64, u64>;

/// A repetition: these operations.
pub(super) type Repeat = fn(&mut Stock, &mut Pools, Place, &Arc<Work>) -> Result<Outcome, Failure>;

/// The workloads of a family, which begin with the same keys.
pub(crate) fn kinds(quick: bool, family: Family) -> Vec<Kind> {
    let (preset, operations) = match quick {
        true => (1_000, 500),
        false => (1_000_000, 100_000),
    };
    let kind = |inserts| Kind {
        family,
        preset,
        operations,
        inserts,
        keys: Keys::Uniform,
    };
    let mixes: &[u64] = match family {
        Family::Maps => &[100, 50, 5, 0],
        Family::HashMaps => &[100, 50, 5],
        Family::Sets => &[100],
    };
    let mut kinds: Vec<Kind> = mixes.iter().map(|&inserts| kind(inserts)).collect();
    if family == Family::Maps {
        kinds.push(Kind {
            keys: Keys::Zipf,
            ..kind(50)
        });
    }
    kinds
}

/// Measures the workloads that begin with the same keys.
pub(crate) fn measure(kinds: &[Kind], quick: bool, limits: Limits) -> Result<Vec<Record>, Failure> {
    tell("filling");
    let mut preset = Arc::new(Preset::new(kinds[0].preset));
    let mut stock = Stock::default();
    let fills: &[fn(&mut Stock, &Preset)] = match kinds[0].family {
        Family::Maps => &[fill::<List>, fill::<BTree>, fill::<Std>, fill::<Skips>],
        Family::HashMaps => &[
            fill::<HashMap>,
            fill::<hash::Std>,
            fill::<Shards>,
            fill::<Dash>,
            fill::<Papaya>,
        ],
        Family::Sets => &[fill::<IntSet>, fill::<BTreeSet<u64>>],
    };
    fills.iter().for_each(|fill| fill(&mut stock, &preset));
    let mut pools = Pools::default();
    let mut records = Vec::new();
    for &kind in kinds {
        let (places, repeats): (Vec<Place>, Vec<Repeat>) = places(quick, kind).into_iter().unzip();
        let mut current: Option<(usize, Arc<Work>)> = None;
        let name = kind.to_string();
        let part = if kind == INSERTS { 1 } else { 3 };
        let limits = Limits {
            time: limits.time / part,
            ..limits
        };
        let outcome = rounds(&name, &places, limits, |round, number| {
            let work = match current.take() {
                Some((of, work)) if of == round => work,
                last => {
                    drop(last);
                    Arc::new(Work::new(kind, &mut preset, round))
                }
            };
            let (lasted, _) = repeats[number](&mut stock, &mut pools, places[number], &work)?;
            let operations = work.ops.len();
            current = Some((round, work));
            Ok((lasted, operations))
        });
        records.extend(outcome?);
    }
    Ok(records)
}

/// Who, how and on how many threads.
fn places(quick: bool, kind: Kind) -> Vec<(Place, Repeat)> {
    use Drive::{Alone, Loop, Sorted, Tasks, Threads, Whole};
    let (threads, tasks): (&[usize], &[usize]) = match kind {
        _ if quick => (&[2], &[10]),
        INSERTS => (&[1, 2], &[1_000, 10_000]),
        _ => (&[2], &[1_000]),
    };
    let mut places = Vec::new();
    let mut add = |who, repeat: Repeat, drives: &[Drive]| {
        for &drive in drives {
            let alone = matches!(drive, Alone | Sorted);
            let threads = if alone { &[1] } else { threads };
            places.extend(threads.iter().map(|&threads| {
                let place = Place {
                    who,
                    drive,
                    threads,
                };
                (place, repeat)
            }));
        }
    };
    let mut together = vec![Loop, Threads];
    together.extend(tasks.iter().map(|&tasks| Tasks(tasks)));

    match kind.family {
        Family::Maps => {
            add(List::NAME, alone::<List>, &[Alone]);
            add(List::NAME, whole::<List>, &[Whole]);
            add(List::NAME, shared::<Batched<List>>, &together);
            add(BTree::NAME, alone::<BTree>, &[Alone, Sorted]);
            add(BTree::NAME, whole::<BTree>, &[Whole]);
            add(BTree::NAME, shared::<Batched<BTree>>, &together);
            add(Std::NAME, alone::<Std>, &[Alone, Sorted]);
            add(<Skips as Owned>::NAME, alone::<Skips>, &[Alone]);
            add(Mutex::<Std>::NAME, shared::<Mutex<Std>>, &together);
            add(RwLock::NAME, shared::<RwLock<Std>>, &together);
            add(
                parking_lot::RwLock::NAME,
                shared::<parking_lot::RwLock<Std>>,
                &together,
            );
            add(Combining::NAME, shared::<Combining<Std>>, &together);
            add(<Skips as Shared>::NAME, shared::<Skips>, &together);
        }
        Family::HashMaps => {
            add(HashMap::NAME, alone::<HashMap>, &[Alone]);
            add(HashMap::NAME, whole::<HashMap>, &[Whole]);
            add(HashMap::NAME, shared::<Batched<HashMap>>, &together);
            add(hash::Std::NAME, alone::<hash::Std>, &[Alone]);
            add(
                Mutex::<hash::Std>::NAME,
                shared::<Mutex<hash::Std>>,
                &together,
            );
            add(<Shards as Shared>::NAME, shared::<Shards>, &together);
            add(<Dash as Shared>::NAME, shared::<Dash>, &together);
            add(<Papaya as Shared>::NAME, shared::<Papaya>, &together);
        }
        Family::Sets => {
            type Set = BTreeSet<u64>;
            add(IntSet::NAME, alone::<IntSet>, &[Alone]);
            add(IntSet::NAME, whole::<IntSet>, &[Whole]);
            add(IntSet::NAME, shared::<Batched<IntSet>>, &together);
            add(Mutex::<IntSet>::NAME, shared::<Mutex<IntSet>>, &together);
            add(Set::NAME, alone::<Set>, &[Alone, Sorted]);
            add(Mutex::<Set>::NAME, shared::<Mutex<Set>>, &together);
        }
    }
    places
}

pub(super) fn fill<M: Owned>(stock: &mut Stock, preset: &Preset) {
    let mut map = M::default();
    for &key in &preset.keys {
        map.put(key, first_value(key));
    }
    stock.keep(map);
}

/// One owner, one operation after the other, in order of their keys if that is wanted.
pub(super) fn alone<M: Owned>(
    stock: &mut Stock,
    _pools: &mut Pools,
    place: Place,
    work: &Arc<Work>,
) -> Result<Outcome, Failure> {
    let mut map = stock.lend::<M>();
    work.forget();
    let start = Instant::now();
    let numbered = work.ops.iter().enumerate();
    if place.drive == Drive::Sorted {
        let mut order: Vec<_> = numbered.map(|(number, op)| (op.key, number)).collect();
        order.sort_unstable();
        for (_, number) in order {
            map.act(work.ops[number], number, work);
        }
    } else {
        numbered.for_each(|(number, &op)| map.act(op, number, work));
    }
    let lasted = start.elapsed();
    give_back(stock, map, work, true)?;
    Ok((lasted, None))
}

/// Many who share: in a loop, on threads or in tasks.
pub(super) fn shared<S: Shared>(
    stock: &mut Stock,
    pools: &mut Pools,
    place: Place,
    work: &Arc<Work>,
) -> Result<Outcome, Failure> {
    let pool = pools.get(place.drive, place.threads)?;
    let map = stock.lend::<S::Owned>();
    let map = Arc::new(pool.install(|| S::of(map)));
    work.forget();
    let count = work.ops.len();
    let (lasted, _) = match place.drive {
        Drive::Tasks(tasks) => in_tasks(pool, tasks, |task| {
            let (map, work) = (Arc::clone(&map), Arc::clone(work));
            async move {
                for number in share(count, task, tasks) {
                    map.submit(work.ops[number], number, &work).await;
                }
                0
            }
        }),
        drive => {
            let act = |number: usize| {
                map.act(work.ops[number], number, work);
                0
            };
            match drive {
                Drive::Threads => in_threads(place.threads, count, act),
                _ => in_a_loop(pool, count, act),
            }
        }
    };
    let map = Arc::into_inner(map).expect("all tasks have ended");
    let stats = map.stats();
    give_back(stock, map.into_owned(), work, false)?;
    Ok((lasted, stats))
}

/// All operations as one batch.
pub(super) fn whole<M: InBatches + 'static>(
    stock: &mut Stock,
    pools: &mut Pools,
    place: Place,
    work: &Arc<Work>,
) -> Result<Outcome, Failure> {
    let pool = pools.get(place.drive, place.threads)?;
    let map = stock.lend::<M>();
    work.forget();
    let ops = work.ops.iter().map(|&op| Plain(M::op(op))).collect();
    let (lasted, answers, map) = pool.install(|| {
        let map = Batched::new(map);
        let start = Instant::now();
        let answers = map.apply_all(ops);
        (start.elapsed(), answers, map)
    });
    for ((number, &op), answer) in work.ops.iter().enumerate().zip(answers) {
        work.answer(number, M::value(op, answer));
    }
    let stats = Some(map.stats());
    give_back(stock, Shared::into_owned(map), work, true)?;
    Ok((lasted, stats))
}

/// Checks what has become of a map, and takes the operations back.
fn give_back<M: Owned>(
    stock: &mut Stock,
    mut map: M,
    work: &Work,
    in_order: bool,
) -> Result<(), Failure> {
    work.check(map.entries(), in_order)?;
    for (key, first) in work.undo() {
        match first {
            Some(value) => map.put(key, value),
            None => map.take(key),
        }
    }
    stock.keep(map);
    Ok(())
}

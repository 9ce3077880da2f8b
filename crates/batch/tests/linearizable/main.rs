//! Linearizability: random histories of batched structures, each of which must have an order that
//! explains it.
//!
//! `SUMAC_HISTORIES` says how many histories there are of each structure and each kind of callers.

mod by_hand;
mod checker;
mod faults;
mod record;
mod specs;

use checker::{Spec, linearization};
use fastrand::Rng;
use record::{Callers, Subject, record};
use specs::{OfCounter, OfHashMap, OfIntSet, OfMap, OfPriorityQueue, OfUnionFind};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    marker::PhantomData,
    ops::Bound,
};
use sumac_batch::{
    Counter, CounterOp, HashMap, HashMapOp, IntSet, IntSetOp, MapOp, OrderedMap, PriorityQueue,
    PriorityQueueOp, SkipList, Tree, UnionFind, UnionFindOp,
};
use sumac_core::ThreadPool;
use sumac_test_support::pool;

/// How many histories to record.
fn histories() -> u64 {
    let number = env::var("SUMAC_HISTORIES").ok();
    number.map_or(if cfg!(miri) { 3 } else { 500 }, |number| {
        number.parse().expect("a number")
    })
}

/// Records histories and looks for one that cannot be explained. Returns in how many batches
/// operations met.
fn search<S: Subject>(pool: &ThreadPool, how: Callers, count: u64) -> Result<u64, String> {
    let mut met = 0;
    for seed in 0..count {
        let (mut history, batches) = record::<S>(pool, how, seed);
        met += batches;
        if linearization::<S>(&S::initial(), &history).is_none() {
            history.sort_by_key(|event| event.start);
            return Err(format!(
                "no order explains this ({how:?}, seed {seed}): {history:#?}"
            ));
        }
    }
    Ok(met)
}

fn all_are_explained<S: Subject>() {
    for (how, threads) in [
        (Callers::Threads, 1),
        (Callers::Workers, 3),
        (Callers::Futures, 2),
    ] {
        match search::<S>(&pool(threads), how, histories()) {
            // Else this has tested nothing.
            Ok(met) => assert!(met > 0 || histories() < 100, "callers have met ({how:?})"),
            Err(history) => panic!("{history}"),
        }
    }
}

impl Subject for OfCounter {
    type Structure = Counter;

    fn structure() -> Counter {
        Counter::new(0)
    }

    fn initial() -> i64 {
        0
    }

    fn op(random: &mut Rng) -> CounterOp {
        match random.u64(..3) {
            0 => CounterOp::Get,
            _ => CounterOp::Add(random.i64(..3) - 1),
        }
    }
}

#[test]
fn counters() {
    all_are_explained::<OfCounter>();
}

/// A kind of map.
struct MapSubject<M>(PhantomData<M>);

impl<M> Spec for MapSubject<M> {
    type State = <OfMap as Spec>::State;
    type Op = <OfMap as Spec>::Op;
    type Answer = <OfMap as Spec>::Answer;

    fn step(state: &Self::State, op: &Self::Op) -> (Self::State, Self::Answer) {
        OfMap::step(state, op)
    }
}

impl<M: OrderedMap<Key = u8, Value = u8> + Default + 'static> Subject for MapSubject<M> {
    type Structure = M;

    fn structure() -> M {
        M::default()
    }

    fn initial() -> BTreeMap<u8, u8> {
        BTreeMap::new()
    }

    fn op(random: &mut Rng) -> MapOp<u8, u8> {
        let key = random.u8(..4);
        match random.u64(..17) {
            0..5 => MapOp::Insert(key, random.u8(..100)),
            5..8 => MapOp::Remove(key),
            8..10 => MapOp::Get(key),
            10 => MapOp::Contains(key),
            11 => MapOp::Successor(key),
            12 => MapOp::Predecessor(key),
            13 => MapOp::Range(Box::new((
                Bound::Included(key),
                Bound::Excluded(key + random.u8(..3)),
            ))),
            14 => {
                let bounds = (Bound::Included(key), Bound::Unbounded);
                MapOp::TakeRange(2, Box::new(bounds))
            }
            15 if key > 1 => MapOp::First,
            15 => MapOp::Last,
            _ => MapOp::Len,
        }
    }
}

#[test]
fn skip_lists() {
    all_are_explained::<MapSubject<SkipList<u8, u8>>>();
}

#[test]
fn trees() {
    all_are_explained::<MapSubject<Tree<u8, u8>>>();
}

impl Subject for OfHashMap {
    type Structure = HashMap<u8, u8>;

    fn structure() -> HashMap<u8, u8> {
        HashMap::new()
    }

    fn initial() -> BTreeMap<u8, u8> {
        BTreeMap::new()
    }

    fn op(random: &mut Rng) -> HashMapOp<u8, u8> {
        let key = random.u8(..3);
        match random.u64(..12) {
            0..4 => HashMapOp::Insert(key, random.u8(..100)),
            4..7 => HashMapOp::Remove(key),
            7..9 => HashMapOp::Get(key),
            9 => HashMapOp::Contains(key),
            _ => HashMapOp::Len,
        }
    }
}

#[test]
fn hash_maps() {
    all_are_explained::<OfHashMap>();
}

impl Subject for OfIntSet {
    type Structure = IntSet;

    fn structure() -> IntSet {
        IntSet::new()
    }

    fn initial() -> BTreeSet<u64> {
        BTreeSet::new()
    }

    fn op(random: &mut Rng) -> IntSetOp {
        let key = [0, 1, 64, 1 << 60][random.usize(..4)];
        let bounds = (Bound::Included(key), Bound::Unbounded);
        match random.u64(..16) {
            0..5 => IntSetOp::Insert(key),
            5..9 => IntSetOp::Remove(key),
            9 => IntSetOp::Contains(key),
            10 => IntSetOp::Successor(key),
            11 => IntSetOp::Predecessor(key),
            12 => IntSetOp::Range(Box::new(bounds)),
            13 => IntSetOp::TakeRange(2, Box::new(bounds)),
            14 if key > 1 => IntSetOp::First,
            14 => IntSetOp::Last,
            _ => IntSetOp::Len,
        }
    }
}

#[test]
fn int_sets() {
    all_are_explained::<OfIntSet>();
}

impl Subject for OfUnionFind {
    type Structure = UnionFind;

    fn structure() -> UnionFind {
        UnionFind::new(8)
    }

    fn initial() -> Vec<usize> {
        (0..8).collect()
    }

    fn op(random: &mut Rng) -> UnionFindOp {
        let mut element = || random.usize(..8);
        let (a, b) = (element(), element());
        match random.u64(..6) {
            0..3 => UnionFindOp::Union(a, b),
            3..5 => UnionFindOp::Same(a, b),
            _ => UnionFindOp::Sets,
        }
    }
}

#[test]
fn union_finds() {
    all_are_explained::<OfUnionFind>();
}

impl Subject for OfPriorityQueue {
    type Structure = PriorityQueue<u8>;

    /// A short run, and a heap that will soon become another.
    fn structure() -> PriorityQueue<u8> {
        let mut queue = PriorityQueue::from(vec![1; 256]);
        (0..240).for_each(|_| assert_eq!(queue.pop(), Some(1)));
        queue.extend([0; 250]);
        queue
    }

    fn initial() -> Vec<u8> {
        Self::structure().into_sorted_vec()
    }

    fn op(random: &mut Rng) -> PriorityQueueOp<u8> {
        match random.u64(..8) {
            0..3 => PriorityQueueOp::Push(random.u8(..100)),
            3..6 => PriorityQueueOp::Pop,
            6 => PriorityQueueOp::Peek(u8::clone),
            _ => PriorityQueueOp::Len,
        }
    }
}

#[test]
fn priority_queues() {
    all_are_explained::<OfPriorityQueue>();
}

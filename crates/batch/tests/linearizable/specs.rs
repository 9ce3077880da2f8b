//! What the structures do, one operation at a time.

#[path = "../oracle/hash_map.rs"]
mod hash_map;
#[path = "../oracle/int_set.rs"]
mod int_set;
#[path = "../oracle/mod.rs"]
mod oracle;

use crate::checker::Spec;
use std::collections::{BTreeMap, BTreeSet};
use sumac_batch::{
    CounterOp, HashMapAnswer, HashMapOp, IntSetAnswer, IntSetOp, MapAnswer, MapOp,
    PriorityQueueAnswer, PriorityQueueOp, UnionFindAnswer, UnionFindOp,
};

pub(crate) enum OfCounter {}

impl Spec for OfCounter {
    type State = i64;
    type Op = CounterOp;
    type Answer = i64;

    fn step(state: &i64, op: &CounterOp) -> (i64, i64) {
        match op {
            CounterOp::Add(addend) => (state.wrapping_add(*addend), *state),
            CounterOp::Get => (*state, *state),
            _ => unreachable!("an operation that the oracle does not know"),
        }
    }
}

pub(crate) enum OfMap {}

impl Spec for OfMap {
    type State = BTreeMap<u8, u8>;
    type Op = MapOp<u8, u8>;
    type Answer = MapAnswer<u8, u8>;

    fn step(map: &Self::State, op: &Self::Op) -> (Self::State, Self::Answer) {
        let mut next = map.clone();
        let answer = oracle::answer(&mut next, op);
        (next, answer)
    }
}

pub(crate) enum OfHashMap {}

impl Spec for OfHashMap {
    type State = BTreeMap<u8, u8>;
    type Op = HashMapOp<u8, u8>;
    type Answer = HashMapAnswer<u8>;

    fn step(map: &Self::State, op: &Self::Op) -> (Self::State, Self::Answer) {
        let mut next = map.clone();
        let answer = hash_map::answer(&mut next, op);
        (next, answer)
    }
}

pub(crate) enum OfIntSet {}

impl Spec for OfIntSet {
    type State = BTreeSet<u64>;
    type Op = IntSetOp;
    type Answer = IntSetAnswer;

    fn step(set: &Self::State, op: &Self::Op) -> (Self::State, Self::Answer) {
        let mut next = set.clone();
        let answer = int_set::answer(&mut next, op);
        (next, answer)
    }
}

/// All operations but `Find`, whose answer depends on how unions were made.
pub(crate) enum OfUnionFind {}

impl Spec for OfUnionFind {
    /// For each element the smallest one of its set.
    type State = Vec<usize>;
    type Op = UnionFindOp;
    type Answer = UnionFindAnswer;

    fn step(sets: &Vec<usize>, op: &UnionFindOp) -> (Vec<usize>, UnionFindAnswer) {
        let answer = match *op {
            UnionFindOp::Union(a, b) => {
                let (from, to) = (sets[a].max(sets[b]), sets[a].min(sets[b]));
                let unite = |&set: &usize| if set == from { to } else { set };
                let united = sets.iter().map(unite).collect();
                return (united, UnionFindAnswer::Yes(from != to));
            }
            UnionFindOp::Same(a, b) => UnionFindAnswer::Yes(sets[a] == sets[b]),
            UnionFindOp::Sets => {
                let smallest = sets.iter().enumerate().filter(|&(a, set)| a == *set);
                UnionFindAnswer::Number(smallest.count())
            }
            UnionFindOp::Find(_) => unreachable!("its answer depends on how unions were made"),
            _ => unreachable!("an operation that the oracle does not know"),
        };
        (sets.clone(), answer)
    }
}

pub(crate) enum OfPriorityQueue {}

impl Spec for OfPriorityQueue {
    /// Ascending.
    type State = Vec<u8>;
    type Op = PriorityQueueOp<u8>;
    type Answer = PriorityQueueAnswer<u8>;

    fn step(items: &Vec<u8>, op: &Self::Op) -> (Vec<u8>, Self::Answer) {
        let mut next = items.clone();
        let answer = match op {
            PriorityQueueOp::Push(item) => {
                next.insert(items.partition_point(|other| other < item), *item);
                PriorityQueueAnswer::Pushed
            }
            PriorityQueueOp::Pop => PriorityQueueAnswer::Item(next.pop()),
            PriorityQueueOp::Peek(_) => PriorityQueueAnswer::Item(items.last().copied()),
            PriorityQueueOp::Len => PriorityQueueAnswer::Len(items.len()),
            _ => unreachable!("an operation that the oracle does not know"),
        };
        (next, answer)
    }
}

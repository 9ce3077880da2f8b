//! Planted faults: maps whose batches are wrong in one way each. Recording histories and checking
//! them must find that.

use crate::{
    checker::Spec,
    pool,
    record::{Callers, Subject},
    search,
    specs::OfMap,
};
use fastrand::Rng;
use std::collections::{BTreeMap, HashSet};
use sumac_batch::{BatchedStructure, MapAnswer, MapOp, Request};
use sumac_core::Scope;

/// No fault: the others are this map but for one thing.
const NONE: u8 = 0;
/// Reads are answered from a copy that is one batch old.
const STALE: u8 = 1;
/// Of several inserts of a key in a batch, only the first is done; all are answered as if done.
const DUPLICATES: u8 = 2;
/// All operations of a batch are answered as if each had been the first.
const ALL_FIRST: u8 = 3;
/// Removes of a key are done after the batch has been answered: in the next one.
const LATE: u8 = 4;
/// Neighbours of the same kind in a batch get each other's answers.
const EXCHANGED: u8 = 5;

#[derive(Default)]
struct Faulty<const FAULT: u8> {
    map: BTreeMap<u8, u8>,
    /// The map as it was before the last batch.
    before: BTreeMap<u8, u8>,
    /// Keys to be removed.
    late: Vec<u8>,
}

type MapRequest = Request<MapOp<u8, u8>, MapAnswer<u8, u8>>;

impl<const FAULT: u8> BatchedStructure for Faulty<FAULT> {
    type Op = MapOp<u8, u8>;
    type Answer = MapAnswer<u8, u8>;

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [MapRequest]) {
        for key in self.late.drain(..) {
            self.map.remove(&key);
        }
        let first = self.map.clone();
        let mut inserted = HashSet::new();
        let mut answers = Vec::new();
        for request in batch.iter() {
            let op = request.op();
            let seen = match (FAULT, op) {
                (STALE, MapOp::Get(_)) => &self.before,
                (ALL_FIRST, _) => &first,
                _ => &self.map,
            };
            answers.push(OfMap::step(seen, op).1);
            match op {
                MapOp::Insert(key, _) if FAULT == DUPLICATES && !inserted.insert(*key) => {}
                MapOp::Remove(key) if FAULT == LATE => self.late.push(*key),
                op => self.map = OfMap::step(&self.map, op).0,
            }
        }
        self.before = first;
        if FAULT == EXCHANGED {
            let is_get = |i: usize| matches!(batch[i].op(), MapOp::Get(_));
            for i in 1..batch.len() {
                if is_get(i - 1) && is_get(i) {
                    answers.swap(i - 1, i);
                }
            }
        }
        for (request, answer) in batch.iter_mut().zip(answers) {
            request.answer(answer);
        }
    }
}

struct FaultyMap<const FAULT: u8>;

impl<const FAULT: u8> Spec for FaultyMap<FAULT> {
    type State = <OfMap as Spec>::State;
    type Op = <OfMap as Spec>::Op;
    type Answer = <OfMap as Spec>::Answer;

    fn step(state: &Self::State, op: &Self::Op) -> (Self::State, Self::Answer) {
        OfMap::step(state, op)
    }
}

impl<const FAULT: u8> Subject for FaultyMap<FAULT> {
    type Structure = Faulty<FAULT>;

    fn structure() -> Faulty<FAULT> {
        Faulty::default()
    }

    fn initial() -> BTreeMap<u8, u8> {
        BTreeMap::new()
    }

    fn op(random: &mut Rng) -> MapOp<u8, u8> {
        let key = random.u8(..2);
        match random.u64(..4) {
            0 => MapOp::Insert(key, random.u8(..100)),
            1 => MapOp::Remove(key),
            _ => MapOp::Get(key),
        }
    }
}

const ENOUGH: u64 = if cfg!(miri) { 20 } else { 1_000 };

fn is_caught<const FAULT: u8>() {
    for how in [Callers::Threads, Callers::Futures] {
        let found = search::<FaultyMap<FAULT>>(&pool(1), how, ENOUGH);
        let report = found.expect_err("a history that no order explains");
        assert!(report.contains("Get("), "{report}");
    }
}

#[test]
fn the_map_without_faults_passes() {
    for how in [Callers::Threads, Callers::Futures] {
        let found = search::<FaultyMap<NONE>>(&pool(1), how, ENOUGH / 5);
        assert!(found.is_ok(), "{found:?}");
    }
}

#[test]
fn stale_reads_are_caught() {
    is_caught::<STALE>();
}

#[test]
fn lost_duplicates_are_caught() {
    is_caught::<DUPLICATES>();
}

#[test]
fn answers_as_if_each_were_the_first_are_caught() {
    is_caught::<ALL_FIRST>();
}

#[test]
fn late_effects_are_caught() {
    is_caught::<LATE>();
}

#[test]
fn exchanged_answers_are_caught() {
    is_caught::<EXCHANGED>();
}

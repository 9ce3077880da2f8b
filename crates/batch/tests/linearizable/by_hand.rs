//! The checker itself: histories made by hand, and small ones that all permutations are tried for.

use crate::{
    checker::{Event, History, Spec, linearization},
    specs::{OfCounter, OfMap},
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeMap;
use sumac_batch::{CounterOp, MapAnswer, MapOp};

fn event<O, A>((op, answer, start, end): (O, Option<A>, usize, usize)) -> Event<O, A> {
    Event {
        op,
        answer,
        start,
        end,
    }
}

fn counter(events: &[(CounterOp, i64, usize, usize)]) -> bool {
    let events = events.iter();
    let history = events.map(|&(op, answer, start, end)| event((op, Some(answer), start, end)));
    linearization::<OfCounter>(&0, &history.collect()).is_some()
}

/// An operation, the value that was its answer, and when it was called and returned.
type MapEvent = (MapOp<u8, u8>, Option<Option<u8>>, usize, usize);

fn map(events: &[MapEvent]) -> bool {
    let events = events.iter().cloned();
    let history = events
        .map(|(op, answer, start, end)| event((op, answer.map(MapAnswer::Value), start, end)));
    linearization::<OfMap>(&BTreeMap::new(), &history.collect()).is_some()
}

use CounterOp::{Add, Get as Read};
use MapOp::{Get, Insert, Remove};

#[test]
fn sequential_histories() {
    assert!(counter(&[]));
    assert!(counter(&[
        (Add(2), 0, 0, 1),
        (Read, 2, 2, 3),
        (Add(-1), 2, 4, 5),
        (Read, 1, 6, 7)
    ]));
    assert!(!counter(&[(Add(2), 0, 0, 1), (Read, 3, 2, 3)]));
}

#[test]
fn operations_at_the_same_time_may_be_in_any_order() {
    assert!(counter(&[(Add(1), 0, 0, 2), (Add(1), 1, 1, 3)]));
    assert!(counter(&[(Add(1), 1, 0, 2), (Add(1), 0, 1, 3)]));
    // A read may lie between two that overlap it.
    assert!(counter(&[
        (Add(1), 0, 0, 3),
        (Add(1), 1, 1, 4),
        (Read, 1, 2, 5)
    ]));
}

#[test]
fn answers_out_of_real_time_order_are_rejected() {
    assert!(!counter(&[(Add(1), 1, 0, 1), (Add(1), 0, 2, 3)]));
    // The third comes after the first; the second overlaps both.
    assert!(!counter(&[
        (Add(1), 2, 0, 2),
        (Add(1), 1, 1, 5),
        (Add(1), 0, 3, 4)
    ]));
    assert!(counter(&[
        (Add(1), 0, 0, 2),
        (Add(1), 2, 1, 5),
        (Add(1), 1, 3, 4)
    ]));
}

#[test]
fn stale_reads_are_rejected() {
    assert!(!map(&[
        (Insert(1, 7), Some(None), 0, 1),
        (Get(1), Some(None), 2, 3)
    ]));
    assert!(map(&[
        (Insert(1, 7), Some(None), 0, 2),
        (Get(1), Some(None), 1, 3)
    ]));
    // Two reads, one after the other, of which the later sees less.
    let insert = (Insert(1, 7), Some(None), 0, 5);
    assert!(!map(&[
        insert.clone(),
        (Get(1), Some(Some(7)), 1, 2),
        (Get(1), Some(None), 3, 4)
    ]));
    assert!(map(&[
        insert,
        (Get(1), Some(None), 1, 2),
        (Get(1), Some(Some(7)), 3, 4)
    ]));
}

#[test]
fn lost_updates_are_rejected() {
    assert!(!counter(&[(Add(1), 0, 0, 2), (Add(1), 0, 1, 3)]));
    assert!(!counter(&[
        (Add(1), 0, 0, 2),
        (Add(1), 1, 1, 3),
        (Read, 1, 4, 5)
    ]));
    let inserts = [
        (Insert(1, 7), Some(None), 0, 2),
        (Insert(1, 8), Some(None), 1, 3),
    ];
    assert!(!map(&inserts));
    // Removed twice.
    let insert = (Insert(1, 7), Some(None), 0, 1);
    let removes = [
        (Remove(1), Some(Some(7)), 2, 4),
        (Remove(1), Some(Some(7)), 3, 5),
    ];
    assert!(!map(&[insert, removes[0].clone(), removes[1].clone()]));
}

#[test]
fn what_nobody_waited_for_happens_once_or_not_at_all() {
    let insert = (Insert(1, 7), None, 0, 0);
    assert!(map(&[insert.clone(), (Get(1), Some(None), 2, 3)]));
    assert!(map(&[insert.clone(), (Get(1), Some(Some(7)), 2, 3)]));
    assert!(map(&[
        insert.clone(),
        (Get(1), Some(None), 2, 3),
        (Get(1), Some(Some(7)), 4, 5)
    ]));
    assert!(!map(&[
        insert.clone(),
        (Get(1), Some(Some(7)), 2, 3),
        (Get(1), Some(None), 4, 5)
    ]));
    // Not before it was called.
    let late = (Insert(1, 7), None, 4, 0);
    assert!(!map(&[late, (Get(1), Some(Some(7)), 2, 3)]));
}

/// Fourteen reads in any order, then an answer that no order explains: there are 2^14 sets of them,
/// but 14! orders.
#[test]
fn the_search_remembers_where_it_has_been() {
    const READS: usize = 14;
    let mut events: Vec<_> = (0..READS)
        .map(|i| (Get(1), Some(None), i, READS + i))
        .collect();
    assert!(map(&events));
    events.push((Get(2), Some(Some(9)), 2 * READS, 2 * READS + 1));
    assert!(!map(&events));
}

/// Tries all orders.
fn naive<S: Spec>(state: &S::State, rest: &[&Event<S::Op, S::Answer>]) -> bool {
    if rest.iter().all(|event| event.answer.is_none()) {
        return true;
    }
    let mut which = 0..rest.len();
    which.any(|i| {
        let mut others = rest.to_vec();
        let first = others.remove(i);
        let may_be_first = others
            .iter()
            .all(|other| other.answer.is_none() || other.end > first.start);
        let (state, answer) = S::step(state, &first.op);
        may_be_first
            && first.answer.as_ref().is_none_or(|given| *given == answer)
            && naive::<S>(&state, &others)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn the_checker_agrees_with_all_permutations(
        ops in vec((prop_oneof![(1..3_i64).prop_map(Add), Just(Read)], prop_oneof![9 => (0..6_i64).prop_map(Some), 1 => Just(None)]), 0..6),
        times in Just((0..12_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let history: History<OfCounter> = ops
            .iter()
            .zip(times.chunks(2))
            .map(|(&(op, answer), at)| event((op, answer, at[0].min(at[1]), at[0].max(at[1]))))
            .collect();
        let order = linearization::<OfCounter>(&0, &history);
        prop_assert_eq!(order.is_some(), naive::<OfCounter>(&0, &history.iter().collect::<Vec<_>>()));
        // The order does explain it.
        let mut state = 0;
        let order = order.unwrap_or_default();
        for (place, &i) in order.iter().enumerate() {
            let answer;
            (state, answer) = OfCounter::step(&state, &history[i].op);
            prop_assert_eq!(history[i].answer.unwrap_or(answer), answer);
            for &later in &order[place + 1..] {
                prop_assert!(history[later].answer.is_none() || history[later].end > history[i].start);
            }
        }
    }
}

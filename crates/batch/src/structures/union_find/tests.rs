//! Union-find against sets that are labels, in batches on pools of one to three threads.

use super::*;
use crate::{Batched, Operation, run_alone};
use proptest::{collection::vec, prelude::*};
use std::{
    iter,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};
use sumac_test_support::{cases, pools, sized};

/// So many elements.
const SOME: usize = sized(60, 10);
/// So many where each is compared with each.
const FEW: usize = sized(20, 6);

/// Each element has the label of its set.
#[derive(Clone)]
struct Labels(Vec<usize>);

impl Labels {
    fn union(&mut self, a: usize, b: usize) -> bool {
        let (from, to) = (self.0[a], self.0[b]);
        for label in &mut self.0 {
            if *label == from {
                *label = to;
            }
        }
        from != to
    }

    fn sets(&self) -> usize {
        let mut labels = self.0.clone();
        labels.sort_unstable();
        labels.dedup();
        labels.len()
    }
}

/// Runs a batch and checks it against the labels, which it changes likewise.
fn batch(sets: &mut UnionFind, labels: &mut Labels, ops: &[UnionFindOp]) {
    let before = labels.clone();
    let len = sets.len();
    let roots: Vec<usize> = (0..len).map(|a| sets.find(a)).collect();
    let answers = run_alone(sets, ops.to_vec());
    // First what looks, then the unions that did something, then the others.
    for (op, answer) in iter::zip(ops, &answers) {
        let right = match *op {
            _ if op.outside(len).is_some() => {
                let element = op.outside(len).unwrap();
                UnionFindAnswer::NoElement { element, len }
            }
            UnionFindOp::Same(a, b) => UnionFindAnswer::Yes(before.0[a] == before.0[b]),
            UnionFindOp::Find(a) => UnionFindAnswer::Number(roots[a]),
            UnionFindOp::Sets => UnionFindAnswer::Number(before.sets()),
            UnionFindOp::Union(..) => continue,
        };
        assert_eq!(*answer, right, "{op:?}");
    }
    let unions = iter::zip(ops, &answers).filter_map(|(op, answer)| match (*op, answer) {
        (UnionFindOp::Union(a, b), UnionFindAnswer::Yes(united)) => Some((a, b, *united)),
        _ => None,
    });
    let (done, not_done): (Vec<_>, Vec<_>) = unions.partition(|(_, _, united)| *united);
    for (a, b, united) in done.into_iter().chain(not_done) {
        assert_eq!(labels.union(a, b), united, "{a} {b}");
    }
    sets.forest.check();
    assert_eq!(sets.sets(), labels.sets());
    for a in 0..len {
        let root = sets.find(a);
        assert_eq!(labels.0[a], labels.0[root]);
        assert_eq!(root, sets.find(root));
    }
}

/// Operations on elements below `n` and some beyond.
fn ops(n: usize, beyond: usize) -> impl Strategy<Value = Vec<UnionFindOp>> {
    let element = || 0..n + beyond;
    let op = prop_oneof![
        6 => (element(), element()).prop_map(|(a, b)| UnionFindOp::Union(a, b)),
        2 => (element(), element()).prop_map(|(a, b)| UnionFindOp::Same(a, b)),
        1 => element().prop_map(UnionFindOp::Find),
        1 => Just(UnionFindOp::Sets),
    ];
    vec(op, 0..2 * n)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(100)) })]

    #[test]
    fn batches_are_as_if_in_some_order(batches in vec(ops(SOME, 1), 0..4)) {
        for pool in pools() {
            pool.install(|| {
                let (mut sets, mut labels) = (UnionFind::new(SOME), Labels((0..SOME).collect()));
                for ops in &batches {
                    batch(&mut sets, &mut labels, ops);
                }
            });
        }
    }

    #[test]
    fn one_by_one(unions in vec((0..FEW, 0..FEW), 0..3 * FEW)) {
        let (mut sets, mut labels) = (UnionFind::new(FEW), Labels((0..FEW).collect()));
        for (a, b) in unions {
            prop_assert_eq!(sets.union(a, b), labels.union(a, b));
            prop_assert_eq!(sets.sets(), labels.sets());
            for (a, b) in (0..FEW).flat_map(|a| (0..FEW).map(move |b| (a, b))) {
                prop_assert_eq!(sets.same(a, b), labels.0[a] == labels.0[b]);
            }
        }
    }
}

/// A batch large enough for all threads to be at it at once: unions in a random order, twice each,
/// of which just n - 1 are answered with true.
#[test]
fn unions_of_many_threads_make_a_spanning_forest() {
    const N: usize = sized(20_000, 30);
    for pool in pools() {
        pool.install(|| {
            for round in 1..=sized(5, 1) {
                let mut sets = UnionFind::new(N);
                let far = |a: usize| (a * 7_919 * round) % N;
                let chain = (1..N).map(|a| UnionFindOp::Union(a - 1, a));
                let across = (0..N).map(|a| UnionFindOp::Union(far(a), far(a + 1)));
                let ops: Vec<_> = chain
                    .clone()
                    .zip(across)
                    .flat_map(|(a, b)| [a, b])
                    .collect();
                let answers = run_alone(&mut sets, ops.clone());
                assert_eq!(sets.sets(), 1);
                // What was answered with true unites all, one by one.
                let mut again = UnionFind::new(N);
                for (op, answer) in iter::zip(ops, answers) {
                    if let (UnionFindOp::Union(a, b), UnionFindAnswer::Yes(true)) = (op, answer) {
                        assert!(again.union(a, b), "a cycle");
                    }
                }
                assert_eq!(again.sets(), 1);
                sets.forest.check();
            }
        });
    }
}

#[test]
fn small_ones() {
    let mut none = UnionFind::new(0);
    assert!(none.is_empty());
    assert_eq!((none.len(), none.sets()), (0, 0));
    assert_eq!(run_alone(&mut none, vec![]), []);
    let answers = run_alone(&mut none, vec![UnionFindOp::Sets, UnionFindOp::Find(0)]);
    let no_element = UnionFindAnswer::NoElement { element: 0, len: 0 };
    assert_eq!(answers, [UnionFindAnswer::Number(0), no_element]);

    let mut one = UnionFind::new(1);
    assert!(!one.union(0, 0));
    assert!(one.same(0, 0));
    assert_eq!((one.find(0), one.sets(), one.is_empty()), (0, 1, false));
    assert_eq!(format!("{one:?}"), "UnionFind { len: 1, sets: 1 }");
}

#[test]
fn elements_that_do_not_exist_are_named_to_whoever_asks() {
    let message = |f: fn()| {
        let payload = catch_unwind(f).unwrap_err();
        payload.downcast_ref::<String>().unwrap().clone()
    };
    let expected = "7 is not an element of a union-find of 5";
    assert_eq!(message(|| _ = UnionFind::new(5).union(7, 1)), expected);
    assert_eq!(message(|| _ = UnionFind::new(5).same(1, 7)), expected);
    assert_eq!(message(|| _ = UnionFind::new(5).find(7)), expected);

    let mut sets = UnionFind::new(5);
    let ops = vec![
        Union(0, 1).into_op(),
        Union(1, 7).into_op(),
        Union(1, 2).into_op(),
    ];
    let answers = run_alone(&mut sets, ops);
    assert!(Union::answer(answers[0]) && Union::answer(answers[2]));
    assert_eq!(sets.sets(), 3);

    let message = message(|| {
        let sets = Batched::new(UnionFind::new(5));
        let outside = AssertUnwindSafe(|| sets.apply(Union(1, 7)));
        let payload = catch_unwind(outside).unwrap_err();
        assert!(!sets.is_poisoned() && sets.apply(Union(1, 2)));
        assert_eq!(sets.apply(Sets), 4);
        resume_unwind(payload)
    });
    assert_eq!(message, expected);
}

#[test]
fn clones_are_independent() {
    let mut sets = UnionFind::new(3);
    sets.union(0, 1);
    let mut clone = sets.clone();
    assert!(clone.union(1, 2));
    assert_eq!((sets.sets(), clone.sets()), (2, 1));
    assert!(sets.same(0, 1) && !sets.same(0, 2) && clone.same(0, 2));
}

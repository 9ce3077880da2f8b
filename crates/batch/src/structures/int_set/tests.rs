//! Sets with short lists, whose shape is checked after each step.

use super::{
    IntSet, IntSetOp,
    node::{LIST, Node, base_of, digit, level_of},
    oracle::{answer, answers, key, op},
};
use crate::run_alone;
use fastrand::Rng;
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;
use sumac_test_support::{cases, pools, sized};

/// Checks the invariants of a node, whose numbers are added to `keys`.
fn check_node(node: &Node, keys: &mut Vec<u64>) {
    let first = keys.len();
    match node {
        Node::Word { base, bits } => {
            assert_ne!(*bits, 0, "an empty node");
            assert_eq!(*base, base_of(*base, 0));
            keys.extend(
                (0..64)
                    .filter(|bit| bits >> bit & 1 != 0)
                    .map(|bit| base + bit),
            );
        }
        Node::List(list) => {
            assert!((2..=LIST).contains(&list.len()), "{} in a list", list.len());
            assert_ne!(level_of(list[0], list[list.len() - 1]), 0, "it is a word");
            keys.extend(list);
        }
        Node::Row(row) => {
            assert!((1..11).contains(&row.level));
            assert!(row.nodes.len() > 1, "a row of {}", row.nodes.len());
            assert_eq!(row.nodes.len(), row.digits.count_ones() as usize);
            let digits = (0..64).filter(|digit| row.digits >> digit & 1 != 0);
            for (node, this) in row.nodes.iter().zip(digits) {
                let first = keys.len();
                check_node(node, keys);
                assert!(
                    keys[first..]
                        .iter()
                        .all(|&key| digit(key, row.level) == this)
                );
            }
            let same = |&key: &u64| base_of(key, row.level) == row.base;
            assert!(keys[first..].iter().all(same));
        }
    }
}

fn check(set: &IntSet, oracle: &BTreeSet<u64>) {
    let mut keys = Vec::new();
    if !set.root.is_empty() {
        check_node(&set.root, &mut keys);
    }
    assert!(keys.iter().eq(oracle), "{keys:?} instead of {oracle:?}");
    assert_eq!(set.len(), oracle.len());
    assert!(set.iter().eq(keys));
}

fn batches() -> impl Strategy<Value = Vec<Vec<IntSetOp>>> {
    let batch = |removals| vec(op(removals), 0..sized(150, 12));
    vec(prop_oneof![batch(1), batch(5), batch(9)], 1..sized(8, 3))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60)))]

    #[test]
    fn batches_are_as_if_one_by_one(
        preset in prop::collection::btree_set(key(), 0..sized(300, 12)),
        batches in batches(),
    ) {
        for pool in pools() {
            let mut oracle = preset.clone();
            let mut set: IntSet = preset.iter().copied().collect();
            check(&set, &oracle);
            for batch in &batches {
                let expected = answers(&mut oracle, batch);
                let found = pool.install(|| run_alone(&mut set, batch.clone()));
                prop_assert_eq!(found, expected);
                check(&set, &oracle);
            }
        }
    }

    #[test]
    fn single_operations_are_a_sets(batches in batches()) {
        let (mut set, mut oracle) = (IntSet::new(), BTreeSet::new());
        for op in batches.into_iter().flatten() {
            let expected = answer(&mut oracle, &op);
            prop_assert_eq!(crate::BatchedStructure::run_one(&mut set, op), Ok(expected));
            check(&set, &oracle);
        }
    }

    /// What is taken out leaves nothing behind.
    #[test]
    fn to_the_last_one(keys in prop::collection::btree_set(key(), 0..sized(300, 20)), seed: u64) {
        let mut oracle = keys;
        let mut set = IntSet::from_sorted(&oracle.iter().copied().collect::<Vec<_>>());
        let mut random = Rng::with_seed(seed);
        while !oracle.is_empty() {
            let nth = random.usize(..oracle.len());
            let key = *oracle.iter().nth(nth).unwrap();
            prop_assert!(oracle.remove(&key) && set.remove(key));
            check(&set, &oracle);
        }
        prop_assert!(set.root.is_empty() && set.is_empty());
    }
}

/// Batches that go to one word, to one list and to many rows, and one that empties the set.
#[test]
fn large_batches() {
    const N: u64 = sized(10_000, 30);
    for pool in pools() {
        let (mut set, mut oracle) = (IntSet::new(), BTreeSet::new());
        let far = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let close: Vec<_> = (0..N).map(|n| IntSetOp::Insert(n * 7 % N)).collect();
        let apart: Vec<_> = (0..N).map(|n| IntSetOp::Insert(far(n))).collect();
        let same: Vec<_> = (0..N).map(|n| IntSetOp::Insert(N + n % 3)).collect();
        let looks: Vec<_> = (0..N).map(|n| IntSetOp::Successor(far(n))).collect();
        let gone = (0..N).flat_map(|n| [n, far(n), N + n % 3, n << 50]);
        let gone: Vec<_> = gone.map(IntSetOp::Remove).collect();
        for batch in [
            &same, &gone, &close, &apart, &same, &looks, &gone, &gone, &apart,
        ] {
            let expected = answers(&mut oracle, batch);
            let found = pool.install(|| run_alone(&mut set, batch.clone()));
            assert_eq!(found, expected);
            check(&set, &oracle);
        }
    }
}

#[test]
fn what_does_not_come_makes_no_rows() {
    let mut set: IntSet = (0..LIST as u64).map(|n| n << 9).collect();
    let removals = (0..100).map(|n| IntSetOp::Remove(n << 40 | 1));
    let again = (0..100).map(|n| IntSetOp::Insert((n % LIST as u64) << 9));
    run_alone(&mut set, removals.collect());
    assert!(matches!(set.root, Node::List(_)));
    run_alone(&mut set, again.collect());
    let mut keys = Vec::new();
    check_node(&set.root, &mut keys);
    assert_eq!(keys.len(), LIST);
}

#[test]
fn neighbours_take_a_word() {
    let n = sized(4096, 128);
    let set: IntSet = (0..n).collect();
    let Node::Row(row) = &set.root else {
        panic!("no row: {:?}", set.root);
    };
    let full = |node: &Node| matches!(node, Node::Word { bits: u64::MAX, .. });
    assert!(row.nodes.len() as u64 == n / 64 && row.nodes.iter().all(full));
}

//! Sets of integers as users see them, against std's.

#![forbid(unsafe_code)]

#[path = "oracle/int_set.rs"]
mod oracle;

use fastrand::Rng;
use oracle::{answers, key, op};
use proptest::{collection::vec, prelude::*};
use std::{collections::BTreeSet, ops::Bound, thread};
use sumac_batch::{
    Batched, BatchedStructure, Contains, First, InsertKey, IntSet, IntSetAnswer, IntSetOp, Last,
    Len, Plain, Predecessor, Range, Remove, Successor, run_alone,
};
use sumac_test_support::{cases, pool, pools, sized};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60)))]

    #[test]
    fn batches_of_all_operations(
        history in vec(vec(op(3), 0..sized(900, 20)), 1..sized(5, 3)),
        threads in 1..sized(4, 2_usize),
    ) {
        let pool = pool(threads);
        let (mut set, mut expected) = (IntSet::new(), BTreeSet::new());
        for ops in history {
            let right = answers(&mut expected, &ops);
            prop_assert_eq!(pool.install(|| run_alone(&mut set, ops)), right);
            prop_assert!(set.iter().eq(expected.iter().copied()));
        }
    }

    #[test]
    fn ranges(keys in prop::collection::btree_set(key(), 0..sized(400, 20)), from in key(), to in key()) {
        let set: IntSet = keys.iter().copied().collect();
        let inside = |range: (Bound<u64>, Bound<u64>)| {
            let right = keys.iter().copied().filter(|key| std::ops::RangeBounds::contains(&range, key));
            set.range(range).eq(right)
        };
        let (included, excluded) = (Bound::Included, Bound::Excluded);
        prop_assert!(inside((included(from), included(to))));
        prop_assert!(inside((excluded(from), excluded(to))));
        prop_assert!(inside((excluded(from), Bound::Unbounded)));
        prop_assert!(inside((Bound::Unbounded, excluded(to))));
        prop_assert!(inside((included(from), included(from))));
    }
}

#[test]
fn many_numbers() {
    const N: u64 = sized(20_000, 60);
    for pool in pools() {
        for mask in [u64::MAX, 0xF_FFFF, 0xFFFF_FFC0_0000_003F] {
            let mut random = Rng::with_seed(7);
            let (mut set, mut oracle) = (IntSet::new(), BTreeSet::new());
            for step in 0..4 {
                let mut ops = Vec::new();
                for _ in 0..N {
                    let key = random.u64(..) & mask;
                    ops.push(match random.u64(..10) {
                        0 => IntSetOp::Contains(key),
                        1..3 if step > 0 => IntSetOp::Successor(key),
                        n if n < 3 + 2 * step => {
                            IntSetOp::Remove(set.predecessor(key).unwrap_or(key))
                        }
                        _ => IntSetOp::Insert(key),
                    });
                }
                let expected = answers(&mut oracle, &ops);
                let found = pool.install(|| run_alone(&mut set, ops));
                assert_eq!(found, expected);
                assert!(set.iter().eq(oracle.iter().copied()));
                let keys: Vec<_> = oracle.iter().copied().collect();
                assert_eq!(pool.install(|| IntSet::from_sorted(&keys)), set);
            }
        }
    }
}

#[test]
fn each_operation_has_its_answer() {
    let set = Batched::new_in(&pool(2), IntSet::from_sorted(&[10, 20, 30]));
    assert!(set.apply(InsertKey(u64::MAX)) && !set.apply(InsertKey(10)));
    assert!(set.apply(Remove(20)) && !set.apply(Remove(20)));
    assert!(set.apply(Contains(30)) && !set.apply(Contains(20)));
    assert_eq!(set.apply(Successor(10)), Some(30));
    assert_eq!(set.apply(Successor(u64::MAX)), None);
    assert_eq!(set.apply(Predecessor(10)), None);
    assert_eq!(set.apply(Predecessor(u64::MAX)), Some(30));
    assert_eq!(
        (set.apply(First), set.apply(Last)),
        (Some(10), Some(u64::MAX))
    );
    assert_eq!(set.apply(Len), 3);
    assert_eq!(set.apply(Range::new(..)), [10, 30, u64::MAX]);
    assert_eq!(set.apply(Range::new(11..)), [30, u64::MAX]);
    assert_eq!(set.apply(Range::new(..).take(1)), [10]);
    // What looks sees the set as it was; the others come in order.
    let mixed = [
        IntSetOp::Insert(5),
        IntSetOp::Contains(5),
        IntSetOp::Remove(5),
        IntSetOp::Remove(5),
        IntSetOp::Len,
    ];
    assert_eq!(
        set.apply_all(mixed.map(Plain).to_vec()),
        [
            IntSetAnswer::Yes(true),
            IntSetAnswer::Yes(false),
            IntSetAnswer::Yes(true),
            IntSetAnswer::Yes(false),
            IntSetAnswer::Len(3),
        ]
    );
    assert_eq!(
        format!("{:?}", set.into_inner().unwrap()),
        format!("{{10, 30, {}}}", u64::MAX)
    );
}

#[test]
fn nothing() {
    let mut set = IntSet::new();
    assert_eq!(run_alone(&mut set, vec![]), []);
    assert!(!set.remove(0) && !set.contains(0));
    assert_eq!(
        (set.first(), set.last(), set.iter().next()),
        (None, None, None)
    );
    assert_eq!((set.successor(0), set.predecessor(9)), (None, None));
    assert_eq!(set, IntSet::from_sorted(&[]));
    assert_eq!(set, IntSet::from_iter([]));
    set.extend([3, 1, 3]);
    assert_eq!(set, IntSet::from_sorted(&[1, 3]));
    assert_ne!(set, IntSet::from_sorted(&[1, 4]));
    assert!(IntSet::READS.is_some());
}

#[test]
#[should_panic(expected = "ascend")]
fn bulk_loads_must_ascend() {
    let _ = IntSet::from_sorted(&[1, 3, 3]);
}

/// Each of many threads takes free numbers, as programs do with ids.
#[test]
fn numbers_are_given_to_one_thread_each() {
    const EACH: usize = sized(300, 5);
    let free = Batched::new(IntSet::from_iter(0..4 * EACH as u64));
    let taken = thread::scope(|s| {
        let take = || {
            let mut mine = Vec::new();
            while mine.len() < EACH {
                let Some(first) = free.apply(First) else {
                    break;
                };
                if free.apply(Remove(first)) {
                    mine.push(first);
                }
            }
            mine
        };
        let threads: Vec<_> = (0..4).map(|_| s.spawn(take)).collect();
        let taken = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        taken.collect::<BTreeSet<u64>>()
    });
    assert!(taken.into_iter().eq(0..4 * EACH as u64));
    assert_eq!(free.apply(First), None);
}

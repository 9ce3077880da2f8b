//! Hash maps as users see them, against std's ordered map: with good hashers and bad ones.

#![forbid(unsafe_code)]

mod hashers;
#[path = "../oracle/hash_map.rs"]
mod oracle;
mod panics;
#[path = "../maps/world.rs"]
mod world;

use fastrand::Rng;
use hashers::{Alike, Folding, Low};
use oracle::{answers, op};
use proptest::{collection::vec, prelude::*};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    hash::{BuildHasher, Hash, RandomState},
    thread,
};
use sumac_batch::{
    Batched, BatchedStructure, Contains, Get, HashMap, HashMapAnswer, HashMapOp, Insert, Len,
    Plain, Remove, Request, run_alone,
};
use sumac_core::Scope;
use sumac_test_support::{cases, pool, pools, sized};

/// The entries are those of the oracle, and each is found where it is looked for.
fn check<K: Hash + Ord + Debug, V: PartialEq + Debug, S: BuildHasher>(
    map: &HashMap<K, V, S>,
    oracle: &BTreeMap<K, V>,
) {
    assert_eq!(map.len(), oracle.len());
    assert_eq!(map.is_empty(), oracle.is_empty());
    assert_eq!(map.iter().len(), oracle.len());
    assert_eq!(
        map.iter().collect::<BTreeMap<_, _>>(),
        oracle.iter().collect()
    );
    for (key, value) in oracle {
        assert_eq!(map.get(key), Some(value));
    }
}

type History = Vec<Vec<HashMapOp<u32, String>>>;

/// Batches that are dealt out, and smaller ones.
fn history() -> impl Strategy<Value = History> {
    let keys = prop_oneof![Just(4_u32), Just(50), Just(3_000)];
    let ops = prop_oneof![Just(sized(200, 6)), Just(sized(3_000, 40))];
    (keys, ops).prop_flat_map(|(keys, ops)| vec(vec(op(keys, |n| n.to_string()), 0..ops), 1..5))
}

fn replay<S: BuildHasher + Default + Send + Sync>(history: &History, threads: usize) {
    let pool = pool(threads);
    let (mut map, mut oracle) = (HashMap::with_hasher(S::default()), BTreeMap::new());
    for ops in history {
        let right = answers(&mut oracle, ops);
        assert_eq!(pool.install(|| run_alone(&mut map, ops.clone())), right);
        check(&map, &oracle);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60)))]

    #[test]
    fn batches_of_all_operations(history in history(), threads in 1..sized(4, 2_usize)) {
        replay::<RandomState>(&history, threads);
    }

    /// All entries in one shard, at one place there; in one shard, at several; in all shards, where
    /// many hashes are equal.
    #[test]
    fn batches_with_bad_hashers(history in history(), threads in 1..sized(4, 2_usize)) {
        replay::<Alike>(&history, threads);
        replay::<Low>(&history, threads);
        replay::<Folding>(&history, threads);
    }

    #[test]
    fn single_operations(ops in vec(op(100, |n| n), 0..sized(2_000, 40))) {
        let (mut map, mut oracle) = (HashMap::<_, _>::new(), BTreeMap::new());
        for op in ops {
            let right = oracle::answer(&mut oracle, &op);
            prop_assert_eq!(map.run_one(op), Ok(right));
        }
        check(&map, &oracle);
    }
}

/// Few keys get most of the operations, as Zipf's law has it, with insertions and removals of each
/// next to each other.
#[test]
fn popular_keys() {
    const N: u64 = sized(20_000, 60);
    for pool in pools() {
        let mut random = Rng::with_seed(5);
        let (mut map, mut oracle) = (HashMap::<_, _>::new(), BTreeMap::new());
        for _ in 0..4 {
            let ops: Vec<_> = (0..N)
                .map(|i| {
                    let below = 1 + random.u64(..N);
                    let key = random.u64(..below) / (1 + random.u64(..50));
                    match random.u64(..4) {
                        0 => HashMapOp::Remove(key),
                        1 => HashMapOp::Get(key),
                        _ => HashMapOp::Insert(key, i),
                    }
                })
                .collect();
            let right = answers(&mut oracle, &ops);
            assert_eq!(pool.install(|| run_alone(&mut map, ops)), right);
            check(&map, &oracle);
        }
    }
}

/// A structure around the map may permute a batch; the order of arrival is still the map's.
#[test]
fn the_order_of_arrival_counts() {
    struct Turned(HashMap<u64, u64>);
    impl BatchedStructure for Turned {
        type Op = HashMapOp<u64, u64>;
        type Answer = HashMapAnswer<u64>;
        fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Self::Op, Self::Answer>]) {
            batch.reverse();
            self.0.run(scope, batch);
        }
    }
    for n in [10, sized(1_000, 50)] {
        let ops: Vec<_> = (0..n).map(|i| HashMapOp::Insert(i % 3, i)).collect();
        let mut oracle = BTreeMap::new();
        let mut turned = Turned(HashMap::new());
        let found = pool(2).install(|| run_alone(&mut turned, ops.clone()));
        assert_eq!(found, answers(&mut oracle, &ops));
        check(&turned.0, &oracle);
    }
}

#[test]
fn each_operation_has_its_answer() {
    let map = Batched::new_in(&pool(2), HashMap::<_, _>::from_iter([(1, 'a'), (2, 'b')]));
    assert_eq!(map.apply(Insert(3, 'c')), None);
    assert_eq!(map.apply(Insert(3, 'd')), Some('c'));
    assert_eq!((map.apply(Get(3)), map.apply(Get(4))), (Some('d'), None));
    assert_eq!(
        (map.apply(Remove(1)), map.apply(Remove(1))),
        (Some('a'), None)
    );
    assert!(map.apply(Contains(2)) && !map.apply(Contains(1)));
    assert_eq!(map.apply(Len), 2);
    let mixed = [
        HashMapOp::Insert(7, 'x'),
        HashMapOp::Len,
        HashMapOp::Remove(7),
        HashMapOp::Contains(7),
    ];
    assert_eq!(
        map.apply_all(mixed.map(Plain).to_vec()),
        [
            HashMapAnswer::Value(None),
            HashMapAnswer::Len(2),
            HashMapAnswer::Value(Some('x')),
            HashMapAnswer::Found(false),
        ]
    );
    assert!(HashMap::<u8, u8>::READS.is_some());
}

#[test]
fn nothing_and_one() {
    let mut map = HashMap::<u32, u32>::new();
    assert_eq!(run_alone(&mut map, vec![]), []);
    assert_eq!(
        (map.remove(&1), map.get(&1), map.iter().next()),
        (None, None, None)
    );
    assert_eq!(format!("{map:?}"), "{}");
    map.extend([(1, 2), (1, 3)]);
    let copy = map.clone();
    assert_eq!(map.remove(&1), Some(3));
    assert_eq!(format!("{copy:?} {:?}", copy.iter()), "{1: 3} [(1, 3)]");
    assert!(map.is_empty() && HashMap::<u8, u8>::with_capacity(100).is_empty());
}

#[test]
fn iterators_know_their_length() {
    const N: usize = sized(1_000, 50);
    let map: HashMap<_, _> = (0..N).map(|n| (n, n)).collect();
    let mut iter = map.iter();
    for left in (0..N).rev() {
        let again = iter.clone().next();
        assert!(again.is_some() && again == iter.next());
        assert_eq!((iter.len(), iter.clone().count()), (left, left));
    }
    assert_eq!((iter.next(), iter.next()), (None, None));
}

/// Threads count in a map: each takes a number out and puts the next one in.
#[test]
fn threads_hand_on() {
    const EACH: u64 = sized(2_000, 10);
    let map = Batched::new(HashMap::<_, _>::from_iter([("count", 0)]));
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..EACH {
                    let number = loop {
                        match map.apply(Remove("count")) {
                            Some(number) => break number,
                            None => thread::yield_now(),
                        }
                    };
                    assert_eq!(map.apply(Insert("count", number + 1)), None);
                }
            });
        }
    });
    assert_eq!(map.apply(Get("count")), Some(4 * EACH));
}

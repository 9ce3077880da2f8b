//! `Tree` from outside: batches of all operations against `BTreeMap`, bulk loads, ranges, and panics of keys.

use proptest::prelude::*;
use std::{
    cmp::Ordering,
    collections::BTreeMap,
    ops::Bound,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        atomic::{AtomicIsize, Ordering::Relaxed},
    },
    thread,
};
use sumac_batch::{MapAnswer, MapOp, Tree, run_alone};
use sumac_core::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap()
}

type Op = MapOp<u32, String>;
type Answer = MapAnswer<u32, String>;

/// What the operations of a batch answer: those that look at many keys first.
fn model(map: &mut BTreeMap<u32, String>, ops: &[Op]) -> Vec<Answer> {
    let owned = |entry: Option<(&u32, &String)>| entry.map(|(k, v)| (*k, v.clone()));
    let before = map.clone();
    let answer = |op: &Op| match op {
        MapOp::Insert(key, value) => MapAnswer::Value(map.insert(*key, value.clone())),
        MapOp::Remove(key) => MapAnswer::Value(map.remove(key)),
        MapOp::Get(key) => MapAnswer::Value(map.get(key).cloned()),
        MapOp::Contains(key) => MapAnswer::Found(map.contains_key(key)),
        MapOp::Successor(key) => {
            let range = (Bound::Excluded(*key), Bound::Unbounded);
            MapAnswer::Entry(owned(before.range(range).next()))
        }
        MapOp::Predecessor(key) => MapAnswer::Entry(owned(before.range(..key).next_back())),
        MapOp::Range(range) => {
            let inside = before.iter().filter(|&(key, _)| contains(range, key));
            MapAnswer::Entries(inside.map(|(k, v)| (*k, v.clone())).collect())
        }
        MapOp::First => MapAnswer::Entry(owned(before.first_key_value())),
        MapOp::Last => MapAnswer::Entry(owned(before.last_key_value())),
        MapOp::Len => MapAnswer::Len(before.len()),
    };
    ops.iter().map(answer).collect()
}

fn contains((from, to): &(Bound<u32>, Bound<u32>), key: &u32) -> bool {
    let above = match from {
        Bound::Included(from) => key >= from,
        Bound::Excluded(from) => key > from,
        Bound::Unbounded => true,
    };
    let below = match to {
        Bound::Included(to) => key <= to,
        Bound::Excluded(to) => key < to,
        Bound::Unbounded => true,
    };
    above && below
}

fn bound(keys: u32) -> impl Strategy<Value = Bound<u32>> {
    prop_oneof![
        (0..keys).prop_map(Bound::Included),
        (0..keys).prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

fn op(keys: u32) -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (0..keys, any::<u16>()).prop_map(|(key, value)| MapOp::Insert(key, value.to_string())),
        5 => (0..keys).prop_map(MapOp::Remove),
        2 => (0..keys).prop_map(MapOp::Get),
        2 => (0..keys).prop_map(MapOp::Contains),
        1 => (0..keys).prop_map(MapOp::Successor),
        1 => (0..keys).prop_map(MapOp::Predecessor),
        1 => (bound(keys), bound(keys)).prop_map(|bounds| MapOp::Range(Box::new(bounds))),
        1 => prop_oneof![Just(MapOp::First), Just(MapOp::Last), Just(MapOp::Len)],
    ]
}

fn history() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let keys = prop_oneof![Just(4_u32), Just(50), Just(3_000)];
    keys.prop_flat_map(|keys| prop::collection::vec(prop::collection::vec(op(keys), 0..500), 1..5))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 100 }))]

    #[test]
    fn batches_of_all_operations(history in history(), threads in 1..4_usize) {
        let pool = pool(threads);
        let (mut map, mut expected) = (Tree::new(), BTreeMap::new());
        for ops in history {
            let answers = model(&mut expected, &ops);
            prop_assert_eq!(pool.install(|| run_alone(&mut map, ops)), answers);
            prop_assert!(map.iter().eq(&expected));
            prop_assert_eq!(map.len(), expected.len());
        }
    }

    #[test]
    fn panics_of_keys_lose_keys_at_most(
        preset in prop::collection::btree_set(0..1_500_u32, 0..600),
        ops in prop::collection::vec((0..1_500_u32, 0..4_u8), 1..400),
        fuse in 0..6_000_isize,
        alone: bool,
        threads in 1..4_usize,
    ) {
        let pool = pool(threads);
        let world = Arc::new(World::default());
        let mut map: Tree<_, _> = preset.iter().map(|&k| world.entry(k)).collect();
        prop_assert_eq!(map.len(), preset.len());
        let ops = ops.into_iter().map(|(key, kind)| {
            let (key, value) = world.entry(key);
            match kind {
                0 => MapOp::Get(key),
                1 => MapOp::Remove(key),
                _ => MapOp::Insert(key, value),
            }
        });
        let ops: Vec<_> = ops.collect();
        world.fuse.store(fuse, Relaxed);
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            if alone {
                for op in ops {
                    match op {
                        MapOp::Get(key) => drop(map.get(&key).cloned()),
                        MapOp::Remove(key) => drop(map.remove(&key)),
                        MapOp::Insert(key, value) => drop(map.insert(key, value)),
                        _ => unreachable!(),
                    }
                }
            } else {
                drop(pool.install(|| run_alone(&mut map, ops)));
            }
        }));
        let burnt = world.fuse.swap(-1, Relaxed) <= 0;
        prop_assert!(burnt || outcome.is_ok());
        // What is left is a map, of entries that belong together.
        prop_assert_eq!(map.iter().count(), map.len());
        prop_assert!(map.iter().is_sorted_by(|a, b| a.0 < b.0));
        prop_assert!(map.iter().all(|(key, value)| key.0.key == value.0.key));
        prop_assert!(map.iter().all(|(key, _)| map.contains_key(key)));
        if alone && outcome.is_err() {
            // A single operation changes one entry at most.
            prop_assert!(map.len() + 400 >= preset.len());
        }
        let all: Vec<_> = (0..1_500).map(|k| world.entry(k)).collect();
        let ops = all.iter().cloned().map(|(key, value)| MapOp::Insert(key, value));
        drop(pool.install(|| run_alone(&mut map, ops.collect())));
        prop_assert_eq!(map.len(), 1_500);
        for (key, _) in &all {
            prop_assert!(map.remove(key).is_some());
        }
        prop_assert!(map.is_empty());
        drop((all, map));
        prop_assert_eq!(world.alive.load(Relaxed), 0);
    }
}

/// Counts what lives, and lets something panic.
#[derive(Default)]
struct World {
    alive: AtomicIsize,
    /// The comparison, clone or drop that counts it down to nothing panics.
    fuse: AtomicIsize,
}

impl World {
    fn part(self: &Arc<Self>, key: u32) -> Part {
        self.alive.fetch_add(1, Relaxed);
        Part {
            key,
            world: self.clone(),
        }
    }

    fn entry(self: &Arc<Self>, key: u32) -> (Key, Value) {
        (Key(self.part(key)), Value(self.part(key)))
    }

    fn burn(&self) {
        if self.fuse.fetch_sub(1, Relaxed) == 1 {
            // Without the hook's message.
            panic::resume_unwind(Box::new("burnt"));
        }
    }
}

struct Part {
    key: u32,
    world: Arc<World>,
}

impl Clone for Part {
    fn clone(&self) -> Self {
        self.world.burn();
        self.world.part(self.key)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.world.alive.fetch_sub(1, Relaxed);
        if !thread::panicking() {
            self.world.burn();
        }
    }
}

#[derive(Clone)]
struct Key(Part);

#[derive(Clone)]
struct Value(Part);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.world.burn();
        self.0.key.cmp(&other.0.key)
    }
}

#[test]
fn a_key_that_is_there_already_hides_none() {
    let mut map: Tree<_, _> = [(2, 'a'), (3, 'b')].into_iter().collect();
    let answers = run_alone(&mut map, vec![MapOp::Insert(1, 'c'), MapOp::Insert(2, 'd')]);
    assert_eq!(
        answers,
        [MapAnswer::Value(None), MapAnswer::Value(Some('a'))]
    );
    assert_eq!(map.get(&3), Some(&'b'));
    assert_eq!(format!("{map:?}"), "{1: 'c', 2: 'd', 3: 'b'}");
}

#[test]
fn nothing_and_one() {
    let mut map = Tree::<u32, u32>::new();
    assert_eq!(run_alone(&mut map, vec![]), []);
    assert_eq!(
        run_alone(&mut map, vec![MapOp::Remove(1), MapOp::First, MapOp::Len]),
        [
            MapAnswer::Value(None),
            MapAnswer::Entry(None),
            MapAnswer::Len(0)
        ]
    );
    assert_eq!((map.first_key_value(), map.last_key_value()), (None, None));
    assert_eq!(
        (
            map.remove(&1),
            map.range(..).count(),
            map.range(..=3).count()
        ),
        (None, 0, 0)
    );
    assert_eq!(
        run_alone(&mut map, vec![MapOp::Insert(1, 2)]),
        [MapAnswer::Value(None)]
    );
    assert_eq!(map, Tree::from_sorted(vec![(1, 2)]));
    assert_ne!(map, Tree::from_sorted(vec![(1, 3)]));
    assert_eq!(map.into_iter().collect::<Vec<_>>(), [(1, 2)]);
}

#[test]
fn ranges_may_be_empty_or_inverted() {
    let map = Tree::from_sorted((0..1_000).map(|k| (2 * k, k)).collect());
    let keys = |from, to| map.range((from, to)).map(|(k, _)| *k).collect::<Vec<_>>();
    assert_eq!(keys(Bound::Included(10), Bound::Excluded(14)), [10, 12]);
    assert_eq!(keys(Bound::Excluded(10), Bound::Included(14)), [12, 14]);
    assert_eq!(keys(Bound::Excluded(10), Bound::Excluded(10)), []);
    assert_eq!(keys(Bound::Included(11), Bound::Excluded(12)), []);
    assert_eq!(keys(Bound::Included(1_500), Bound::Excluded(3)), []);
    assert_eq!(keys(Bound::Included(5_000), Bound::Unbounded), []);
    assert_eq!(map.range(..).count(), 1_000);
    let mut iter = map.iter();
    iter.nth(99);
    assert_eq!(
        (iter.len(), iter.clone().count(), iter.next()),
        (900, 900, Some((&200, &100)))
    );
}

#[test]
fn the_last_of_equal_keys_counts() {
    let entries = (0..3_000).map(|i| (i % 1_000, i));
    let mut map: Tree<_, _> = entries.clone().collect();
    assert!(
        map.iter()
            .map(|(k, v)| (*k, *v))
            .eq((0..1_000).map(|k| (k, k + 2_000)))
    );
    map.extend([(1_000, 0), (0, 7)]);
    assert_eq!((map.len(), map.get(&0)), (1_001, Some(&7)));
    let copy = map.clone();
    map.remove(&500);
    assert_eq!((copy.len(), copy.get(&500)), (1_001, Some(&2_500)));
    assert_ne!(copy, map);
}

#[test]
#[should_panic(expected = "the keys of a bulk load must ascend")]
fn bulk_loads_must_ascend() {
    let _ = Tree::from_sorted(vec![(1, ()), (3, ()), (3, ())]);
}

#[test]
fn large_maps() {
    let n: u64 = if cfg!(miri) { 500 } else { 200_000 };
    let mut map = Tree::from_sorted((0..n).map(|k| (k * 3, k)).collect());
    let inserts = (0..n).map(|k| MapOp::Insert(k * 3 + 1, k));
    let removals = (0..n).map(|k| MapOp::Remove(k * 3));
    run_alone(&mut map, inserts.chain(removals).collect());
    assert_eq!(map.len() as u64, n);
    assert!(map.into_iter().eq((0..n).map(|k| (k * 3 + 1, k))));
}

//! Tests of what only this module sees: the invariants, after each step of random histories. Values
//! here are so large that leaves have eight entries at most, and rows eight nodes: trees are high.

use super::{Tree, leaf::Leaf, node::Node, row::Row};
use crate::{
    BatchedStructure, Request,
    structures::map::{
        op::{MapAnswer, MapOp},
        oracle::{Key, answer, answers, plain},
    },
};
use proptest::prelude::*;
use std::{collections::BTreeMap, fmt::Debug, iter, ops::Bound};
use sumac_core::ThreadPool;
use sumac_test_support::{OnlyOrd, cases, pool, sized};

/// A large value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wide(u64, [u64; 40]);

fn wide(value: u64) -> Wide {
    Wide(value, [0; 40])
}

type Map<K = u32> = Tree<K, Wide>;
type Op<K = u32> = MapOp<K, Wide>;

/// Where the order, the height, the sizes or the length is not as they must be, it panics.
fn check<K: Ord>(map: &Map<K>) {
    let mut keys = Vec::new();
    let bounds = (Bound::Unbounded, Bound::Unbounded);
    depth(&map.root, true, bounds, &mut keys);
    assert!(keys.is_sorted_by(|a, b| a.cmp(b).is_lt()), "order");
    assert_eq!(map.len, keys.len(), "length");
}

/// The height of a node; its keys are added to `keys`.
fn depth<'m, K: Ord>(
    node: &'m Node<K, Wide>,
    alone: bool,
    (from, to): (Bound<&K>, Bound<&K>),
    keys: &mut Vec<&'m K>,
) -> usize {
    match node {
        Node::Leaf(leaf) => {
            assert!(leaf.len() <= Leaf::<K, Wide>::MAX, "large leaf");
            assert!(alone || leaf.len() >= Leaf::<K, Wide>::MIN, "small leaf");
            assert_eq!(leaf.keys.len(), leaf.values.len());
            for key in &leaf.keys {
                let below = matches!(from, Bound::Included(from) if key.cmp(from).is_lt());
                let above = matches!(to, Bound::Excluded(to) if key.cmp(to).is_ge());
                assert!(!above && !below, "separators");
            }
            keys.extend(&leaf.keys);
            0
        }
        Node::Inner(row) => {
            let least = if alone { 2 } else { Row::<K, Wide>::MIN };
            let len = row.nodes.len();
            assert!(
                (least..=Row::<K, Wide>::MAX).contains(&len),
                "{len} in a row"
            );
            assert_eq!(row.separators.len() + 1, len);
            let starts = iter::once(from).chain(row.separators.iter().map(Bound::Included));
            let ends = row.separators.iter().map(Bound::Excluded);
            let bounds = starts.zip(ends.chain([to]));
            let depths: Vec<_> = row
                .nodes
                .iter()
                .zip(bounds)
                .map(|(node, bounds)| depth(node, false, bounds, keys))
                .collect();
            assert!(depths.iter().all(|&d| d == depths[0]), "height");
            depths[0] + 1
        }
    }
}

fn batch<K>(pool: &ThreadPool, map: &mut Map<K>, ops: Vec<Op<K>>) -> Vec<MapAnswer<K, Wide>>
where
    K: Ord + Clone + Send + Sync,
{
    let requests = ops.into_iter().enumerate();
    let mut requests: Vec<_> = requests.map(|(i, op)| Request::new(op, i)).collect();
    pool.install(|| map.run(&mut pool.scope(), &mut requests));
    requests.sort_by_key(Request::index);
    let answers = requests.iter_mut().map(|r| r.take_answer().unwrap());
    answers.collect()
}

fn op(keys: u32, removals: u32) -> impl Strategy<Value = Op<Key>> {
    ((0..keys).prop_map(OnlyOrd), 0..10_u32, any::<u64>()).prop_map(move |(key, kind, value)| {
        match kind {
            0 => MapOp::Get(key),
            1 => MapOp::Contains(key),
            kind if kind < 2 + removals => MapOp::Remove(key),
            _ => MapOp::Insert(key, wide(value)),
        }
    })
}

/// Batches that mostly insert or mostly remove, on few keys or many.
fn history() -> impl Strategy<Value = Vec<Vec<Op<Key>>>> {
    let kind = prop_oneof![Just(10), Just(200), Just(5_000)];
    kind.prop_flat_map(|keys| {
        let ops = |removals| prop::collection::vec(op(keys, removals), 0..sized(400, 40));
        prop::collection::vec(prop_oneof![ops(1), ops(4), ops(8)], 1..sized(8, 3))
    })
}

fn same<K: Ord + Debug>(map: &Map<K>, model: &BTreeMap<K, Wide>) {
    check(map);
    assert!(map.iter().cmp(model).is_eq(), "contents");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn batches_are_as_if_in_order(history in history(), threads in 1..4_usize) {
        let pool = pool(threads);
        let (mut map, mut expected) = (Map::new(), BTreeMap::new());
        for ops in history {
            let answers = answers(&mut expected, &ops);
            prop_assert_eq!(plain(batch(&pool, &mut map, ops)), plain(answers));
            same(&map, &expected);
        }
    }

    #[test]
    fn single_operations_are_a_maps(history in history()) {
        let (mut map, mut expected) = (Map::new(), BTreeMap::new());
        for op in history.into_iter().flatten() {
            let found = match op.clone() {
                MapOp::Insert(key, value) => MapAnswer::Value(map.insert(key, value)),
                MapOp::Remove(key) => MapAnswer::Value(map.remove(&key)),
                MapOp::Get(key) => MapAnswer::Value(map.get(&key).cloned()),
                MapOp::Contains(key) => MapAnswer::Found(map.contains_key(&key)),
                _ => unreachable!(),
            };
            let right = answer(&mut expected, &op);
            prop_assert_eq!(plain(vec![found]), plain(vec![right]));
            check(&map);
        }
        same(&map, &expected);
    }

    #[test]
    fn bulk_loads_and_ranges(keys in prop::collection::btree_set(0..2_000_u32, 0..sized(600, 60)), from in 0..2_100_u32, to in 0..2_100_u32) {
        let entries: Vec<_> = keys.iter().map(|&key| (key, wide(key.into()))).collect();
        let expected: BTreeMap<_, _> = entries.iter().cloned().collect();
        let map = Tree::from_sorted(entries);
        same(&map, &expected);
        prop_assert_eq!(map.first_key_value(), expected.first_key_value());
        prop_assert_eq!(map.last_key_value(), expected.last_key_value());
        let inside = |key: &&u32| (from..to).contains(*key);
        prop_assert!(map.range(from..to).map(|(key, _)| key).eq(keys.iter().filter(inside)));
        let inside = |key: &&u32| **key > from && **key <= to;
        let bounds = (Bound::Excluded(from), Bound::Included(to));
        prop_assert!(map.range(bounds).map(|(key, _)| key).eq(keys.iter().filter(inside)));
        prop_assert!(map.into_iter().eq(expected));
    }
}

#[test]
fn heights_grow_and_shrink() {
    let pool = pool(2);
    let n = sized(20_000, 50);
    let mut map = Map::new();
    // All at once: one leaf becomes many.
    let answers = batch(
        &pool,
        &mut map,
        (0..n).map(|k| MapOp::Insert(k, wide(0))).collect(),
    );
    assert!(answers.iter().all(|a| *a == MapAnswer::Value(None)));
    check(&map);
    // One node becomes many, in the middle of a large map.
    let mut middle = Map::from_sorted(
        (0..n)
            .map(|k| (if k < n / 2 { k } else { k + n }, wide(0)))
            .collect(),
    );
    batch(
        &pool,
        &mut middle,
        (n / 2..n).map(|k| MapOp::Insert(k, wide(0))).collect(),
    );
    check(&middle);
    assert_eq!(middle.len() as u32, n + n / 2);
    // Whole subtrees vanish, and what is left is joined.
    batch(&pool, &mut map, (10..n - 10).map(MapOp::Remove).collect());
    check(&map);
    assert_eq!(map.len(), 20);
    batch(&pool, &mut map, (0..n).map(MapOp::Remove).collect());
    check(&map);
    assert!(map.is_empty() && map.iter().next().is_none());
    assert!(matches!(map.root, Node::Leaf(_)));
    // Sparse survivors: neighbours are joined on all levels.
    let mut map = Map::from_sorted((0..n).map(|k| (k, wide(0))).collect());
    batch(
        &pool,
        &mut map,
        (0..n).filter(|k| k % 37 != 0).map(MapOp::Remove).collect(),
    );
    check(&map);
    assert!(map.iter().map(|(k, _)| *k).eq((0..n).step_by(37)));
}

#[test]
fn ascending_keys_fill_leaves() {
    let n = sized(2_000, 100);
    let mut map = Tree::new();
    for key in 0..n {
        map.insert(key, wide(0));
    }
    check(&map);
    let leaves = leaves(&map).len();
    assert!(leaves <= 1 + n as usize / 6, "{leaves} leaves");
}

/// The lengths of the leaves.
fn leaves(map: &Map) -> Vec<usize> {
    let mut leaves = Vec::new();
    let mut nodes = vec![&map.root];
    while let Some(node) = nodes.pop() {
        match node {
            Node::Leaf(leaf) => leaves.push(leaf.len()),
            Node::Inner(row) => nodes.extend(&row.nodes),
        }
    }
    leaves
}

#[test]
fn looking_changes_no_leaf() {
    let pool = pool(2);
    let n = sized(300, 20);
    let mut map = Tree::new();
    for key in 0..n {
        map.insert(key * 7 % n, wide(0));
    }
    let before = leaves(&map);
    // Many more requests than a leaf would carry out one after the other, and values replaced.
    let look = |key| {
        [
            MapOp::Get(key),
            MapOp::Contains(key),
            MapOp::Insert(key, wide(1)),
        ]
    };
    let ops = (0..sized(20, 4) * n).flat_map(|i| look(i % n));
    batch(&pool, &mut map, ops.collect());
    check(&map);
    assert_eq!(leaves(&map), before);
}

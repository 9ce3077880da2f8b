//! Small programs with the structures: for Miri, which is too slow for the rest.

#![forbid(unsafe_code)]

use std::thread;
use sumac_batch::{
    Add, Batched, BatchedStructure, Counter, FastCounter, HashMap, Insert, InsertKey, IntSet,
    Operation, OrderedMap, Plain, PriorityQueue, Push, Remove, SkipList, Tree, Union, UnionFind,
};
use sumac_test_support::stopped;

fn fill<M: OrderedMap<Key = i32, Value = i32>>(map: M) -> M {
    let map = Batched::new(map);
    let before = map.apply_all((0..40).map(|i| Insert(i % 30, i)).collect());
    assert_eq!((before[9], before[39]), (None, Some(9)));
    assert_eq!(map.apply_all(vec![Remove(5), Remove(5)]), [Some(35), None]);
    map.into_inner().expect("no panic")
}

#[test]
fn maps() {
    stopped(2).install(|| {
        assert_eq!(fill(SkipList::new()).len(), 29);
        assert_eq!(fill(Tree::new()).len(), 29);
    });
}

#[test]
fn hash_maps() {
    stopped(2).install(|| {
        let map = Batched::new(HashMap::<_, _>::new());
        let before = map.apply_all((0..40).map(|i| Insert((i % 30).to_string(), i)).collect());
        assert_eq!((before[9], before[39]), (None, Some(9)));
        assert_eq!(map.apply(Remove("5".to_string())), Some(35));
        assert_eq!(map.into_inner().expect("no panic").len(), 29);
    });
}

#[test]
fn sets_and_queues() {
    stopped(2).install(|| {
        let sets = Batched::new(UnionFind::new(8));
        assert_eq!(sets.apply_all(vec![Union(0, 1), Union(2, 3)]), [true, true]);
        let numbers = Batched::new(IntSet::new());
        let inserts = (0..40).map(|i| InsertKey((i % 30) << (i % 3 * 20)));
        let new = numbers.apply_all(inserts.collect());
        assert_eq!((new[9], new[39]), (true, false));
        assert_eq!(numbers.apply_all(vec![Remove(9), Remove(9)]), [true, false]);
        let queue = Batched::new(PriorityQueue::new());
        queue.apply_all((0..10).map(Push).collect());
        assert_eq!(queue.into_inner().expect("no panic").len(), 10);
    });
}

#[test]
fn counters() {
    let fast = FastCounter::new(0);
    thread::scope(|s| (0..3).for_each(|_| drop(s.spawn(|| fast.add(1)))));
    assert_eq!(fast.get(), 3);
    let counter = Batched::new(Counter::new(0));
    let all = (0..5).map(|n| Plain(op(Add(n))));
    assert_eq!(counter.apply_all(all.collect()), [0, 0, 1, 3, 6]);
}

fn op(add: Add) -> <Counter as BatchedStructure>::Op {
    Operation::<Counter>::into_op(add)
}

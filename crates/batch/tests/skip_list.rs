//! Skip lists as users see them: panics, drops, ranges, the methods of `BTreeMap`.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed},
};
use sumac_batch::{MapAnswer, MapOp, SkipList, run_alone};
use sumac_core::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().unwrap()
}

/// The numbers below `n` in an order that looks random.
fn scattered(n: u64) -> impl Iterator<Item = u64> {
    (0..n).map(move |i| i * 7919 % n)
}

#[test]
fn many_keys() {
    let n = 50_000;
    for pool in [pool(1), pool(2), pool(3)] {
        let preset: BTreeMap<u64, u64> = scattered(n).map(|key| (2 * key, key)).collect();
        let mut list = pool.install(|| SkipList::from_sorted(preset.clone().into_iter().collect()));
        let mut oracle = preset;
        let ops = scattered(n).map(|key| match key % 4 {
            0 => MapOp::Remove(key),
            _ => MapOp::Insert(key, key + 1),
        });
        let ops: Vec<_> = ops.collect();
        let answers = pool.install(|| run_alone(&mut list, ops.clone()));
        for (op, answer) in ops.into_iter().zip(answers) {
            let expected = match op {
                MapOp::Remove(key) => oracle.remove(&key),
                MapOp::Insert(key, value) => oracle.insert(key, value),
                _ => unreachable!(),
            };
            assert_eq!(answer, MapAnswer::Value(expected));
        }
        assert_eq!(list.len(), oracle.len());
        assert!(list.iter().eq(&oracle));
        // Few requests for each block, and single ones.
        let gets: Vec<_> = oracle
            .keys()
            .step_by(17)
            .map(|key| MapOp::Get(*key))
            .collect();
        let answers = pool.install(|| run_alone(&mut list, gets));
        let values = oracle
            .values()
            .step_by(17)
            .map(|value| MapAnswer::Value(Some(*value)));
        assert!(values.eq(answers));
        for key in 0..2 * n {
            assert_eq!(list.get(&key), oracle.get(&key));
            if key % 3 == 0 {
                assert_eq!(list.insert(key, 0), oracle.insert(key, 0));
            }
        }
        assert!(list.iter().eq(&oracle));
        let removes: Vec<_> = list.iter().map(|(key, _)| MapOp::Remove(*key)).collect();
        pool.install(|| run_alone(&mut list, removes));
        assert!(list.is_empty());
        assert_eq!(list.first_key_value(), None);
    }
}

#[test]
fn ranges() {
    let list: SkipList<i32, ()> = (0..1000).map(|n| (3 * n, ())).collect();
    let map: BTreeMap<i32, ()> = list.clone().into_iter().collect();
    assert!(list.range(..).eq(&map));
    for from in (-5..3010).step_by(7) {
        for to in [from, from + 1, from + 2, from + 3, from + 500] {
            assert!(list.range(from..to).eq(map.range(from..to)));
            assert!(list.range(from..=to).eq(map.range(from..=to)));
        }
        assert!(list.range(..from).eq(map.range(..from)));
        assert!(list.range(from..).eq(map.range(from..)));
        assert_eq!(
            list.range((Bound::Included(from + 1), Bound::Excluded(from)))
                .next(),
            None
        );
        assert_eq!(
            list.range((Bound::Excluded(from), Bound::Excluded(from)))
                .next(),
            None
        );
    }
    assert_eq!(SkipList::<i32, ()>::new().range(..).next(), None);
}

#[test]
fn iterators_know_their_length() {
    let list: SkipList<u64, u64> = scattered(1000).map(|n| (n, n)).collect();
    let mut iter = list.iter();
    let mut into_iter = list.clone().into_iter();
    for left in (0..1000).rev() {
        assert_eq!(iter.next().map(|(k, v)| (*k, *v)), into_iter.next());
        assert_eq!((iter.len(), into_iter.len()), (left, left));
    }
    assert_eq!((iter.next(), into_iter.next()), (None, None));
    assert_eq!(format!("{:?}", SkipList::from_iter([(1, 'a')])), "{1: 'a'}");
}

static ALIVE: AtomicIsize = AtomicIsize::new(0);

/// Counts how many of it there are.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Counted(u64);

impl Counted {
    fn new(n: u64) -> Self {
        ALIVE.fetch_add(1, Relaxed);
        Counted(n)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Counted::new(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Relaxed);
    }
}

#[test]
fn everything_is_dropped_once() {
    let n = 5_000;
    let ops = |salt: u64| {
        let keys = scattered(n).map(move |key| (key * salt) % n);
        let ops = keys.enumerate().map(|(i, key)| match i % 5 {
            0 => MapOp::Remove(Counted::new(key)),
            1 => MapOp::Get(Counted::new(key)),
            _ => MapOp::Insert(Counted::new(key), Counted::new(key)),
        });
        ops.collect::<Vec<_>>()
    };
    for pool in [pool(1), pool(2)] {
        pool.install(|| {
            let mut list = SkipList::new();
            for salt in [1, 3, 7, 100] {
                drop(run_alone(&mut list, ops(salt)));
                assert_eq!(ALIVE.load(Relaxed), 2 * list.len() as isize);
            }
            for key in scattered(n).take(1000) {
                list.insert(Counted::new(key), Counted::new(1));
                list.remove(&Counted::new(key / 2));
            }
            assert_eq!(ALIVE.load(Relaxed), 2 * list.len() as isize);
            let mut iter = list.into_iter();
            iter.next();
            drop(iter);
            assert_eq!(ALIVE.load(Relaxed), 0);
        });
    }
}

/// After so many steps, comparing, cloning or dropping panics.
static FUSE: AtomicUsize = AtomicUsize::new(usize::MAX);

fn step() {
    let left = FUSE.load(Relaxed);
    if left == usize::MAX {
        return;
    }
    if FUSE.fetch_sub(1, Relaxed) == 0 {
        FUSE.store(usize::MAX, Relaxed);
        panic!("the fuse has burnt down");
    }
}

#[derive(Debug)]
struct Touchy(u64);

impl Clone for Touchy {
    fn clone(&self) -> Self {
        step();
        Touchy(self.0)
    }
}

impl Drop for Touchy {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            step();
        }
    }
}

impl PartialEq for Touchy {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Touchy {}

impl PartialOrd for Touchy {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Touchy {
    fn cmp(&self, other: &Self) -> Ordering {
        step();
        self.0.cmp(&other.0)
    }
}

#[test]
fn a_list_stays_usable_after_panics() {
    let pools = [pool(1), pool(2)];
    let n = 600;
    let mut burnt = 0;
    for (fuse, pool) in (0..9_000).step_by(29).zip(pools.iter().cycle()) {
        let mut list: SkipList<Touchy, Touchy> = scattered(n)
            .step_by(2)
            .map(|key| (Touchy(key), Touchy(key)))
            .collect();
        let ops = scattered(n).enumerate().map(|(i, key)| match i % 3 {
            0 => MapOp::Remove(Touchy(key)),
            1 => MapOp::Get(Touchy(key)),
            _ => MapOp::Insert(Touchy(key), Touchy(i as u64)),
        });
        let ops: Vec<_> = ops.collect();
        FUSE.store(fuse, Relaxed);
        let run = AssertUnwindSafe(|| {
            pool.install(|| drop(run_alone(&mut list, ops)));
            for key in scattered(n).take(50) {
                list.insert(Touchy(key), Touchy(key));
                list.remove(&Touchy(key / 3));
            }
        });
        burnt += usize::from(catch_unwind(run).is_err());
        FUSE.store(usize::MAX, Relaxed);
        let keys: Vec<_> = list.iter().map(|(key, _)| key.0).collect();
        assert_eq!(keys.len(), list.len());
        assert!(keys.is_sorted_by(|a, b| a < b));
        for key in &keys {
            assert!(list.contains_key(&Touchy(*key)));
            assert!(list.remove(&Touchy(*key)).is_some());
        }
        assert!(list.is_empty());
        list.extend((0..n).map(|key| (Touchy(key), Touchy(key))));
        assert_eq!(list.range(..).count(), n as usize);
    }
    assert!(burnt > 100, "{burnt}");
}

/// An order that contradicts itself may confuse a list, nothing more.
#[test]
fn a_bad_order_does_no_harm() {
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Bad(u64);
    impl PartialOrd for Bad {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Bad {
        fn cmp(&self, other: &Self) -> Ordering {
            (self.0.wrapping_mul(other.0 | 5) % 7).cmp(&(other.0 % 5))
        }
    }
    let mut list = SkipList::new();
    let ops = |n: u64| {
        let ops = scattered(n).map(|key| match key % 3 {
            0 => MapOp::Remove(Bad(key)),
            _ => MapOp::Insert(Bad(key), key),
        });
        ops.collect::<Vec<_>>()
    };
    for n in [10, 100, 3000, 500] {
        // Sorting may complain.
        drop(catch_unwind(AssertUnwindSafe(|| {
            run_alone(&mut list, ops(n))
        })));
        for key in 0..n {
            list.remove(&Bad(key));
            list.insert(Bad(key / 2), key);
        }
        let list = &list;
        list.range(Bad(1)..Bad(3)).count();
        assert_eq!(list.iter().count(), list.len());
    }
}

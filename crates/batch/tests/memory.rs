//! What maps take: in the end, and while a large batch is carried out.

#![allow(unsafe_code)]

use fastrand::Rng;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use sumac_batch::{Batched, BatchedStructure, HashMap, Insert, IntSet, Operation, SkipList, Tree};
use sumac_test_support::pool;

/// The system's, and how many bytes are allocated.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;
static BYTES: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn add(size: usize) {
    MOST.fetch_max(BYTES.fetch_add(size, Relaxed) + size, Relaxed);
}

// SAFETY: all is done by the system's allocator; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size < layout.size() {
            // Large blocks shrink where they are.
            BYTES.fetch_sub(layout.size() - size, Relaxed);
        } else {
            // They may grow by being copied.
            add(size);
            BYTES.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: the caller's contract.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

/// The bytes that are allocated when `f` has returned, and the most at any time, both more than
/// before.
fn measure<R>(f: impl FnOnce() -> R) -> (R, f64, f64) {
    let before = BYTES.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = f();
    let [now, most] = [&BYTES, &MOST].map(|bytes| bytes.load(Relaxed) as f64 - before as f64);
    (result, now, most)
}

/// Keys without any order.
fn keys(n: usize) -> Vec<u64> {
    let key = |i: usize| {
        (i as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    };
    (1..=n)
        .map(|i| key(i).wrapping_mul(0xBF58_476D_1CE4_E5B9))
        .collect()
}

/// Bytes for each entry, after insertions in so many batches; and at most during one, for each
/// operation: with the operations themselves, and with the entries that it adds.
fn in_batches<M: BatchedStructure>(map: M, keys: &[u64], batches: usize) -> (f64, f64)
where
    Insert<u64, u64>: Operation<M, Answer = Option<u64>>,
{
    let map = Batched::new(map);
    let (mut bytes, mut peak) = (0.0, 0.0_f64);
    for keys in keys.chunks(keys.len() / batches) {
        let ((), more, most) = measure(|| {
            let ops = keys.iter().map(|&key| Insert(key, key)).collect();
            drop(map.apply_all(ops));
        });
        bytes += more;
        peak = peak.max(most / keys.len() as f64);
    }
    drop(map);
    (bytes / keys.len() as f64, peak)
}

/// A number for each, as if at random.
fn random(i: u64) -> u64 {
    Rng::with_seed(i).u64(..)
}

/// Bytes for each number of a set.
fn in_a_set(numbers: impl Iterator<Item = u64>) -> f64 {
    let mut set = IntSet::new();
    let ((), bytes, _) = measure(|| numbers.for_each(|number| _ = set.insert(number)));
    bytes / set.len() as f64
}

/// One test, since all the process is counted.
#[test]
#[cfg_attr(miri, ignore = "it would take hours")]
fn batches_leave_what_single_insertions_leave() {
    let pool = pool(1);
    pool.install(|| {
        let apart = in_a_set((0..1_000_000).map(random));
        let neighbours = in_a_set(0..1_000_000);
        println!("IntSet: {apart:.1} bytes, neighbours {neighbours:.1}");
        assert!(apart <= 14.0, "IntSet: {apart:.1}");
        assert!(neighbours <= 0.5, "IntSet, neighbours: {neighbours:.1}");
        // The second number makes halves of halves that fill leaves to little more than a half.
        for n in [100_000, 33 << 12] {
            let keys = keys(n);
            let single = |insert: &mut dyn FnMut(u64)| {
                let ((), bytes, _) = measure(|| keys.iter().for_each(|&key| insert(key)));
                bytes / n as f64
            };
            let (mut tree, mut list, mut hash) = (Tree::new(), SkipList::new(), HashMap::new());
            let tree = single(&mut |key| _ = tree.insert(key, key));
            let list = single(&mut |key| _ = list.insert(key, key));
            let hash = single(&mut |key| _ = hash.insert(key, key));
            println!(
                "{n} keys one by one: Tree {tree:.1}, SkipList {list:.1}, HashMap {hash:.1} bytes"
            );
            assert!(tree <= 28.0, "Tree: {tree:.1}");
            assert!(list <= 26.0, "SkipList: {list:.1}");
            // Sixteen and one, and half of the places may be free, or nearly.
            assert!(hash <= 40.0, "HashMap: {hash:.1}");
            let mut roomy = HashMap::with_capacity(n);
            let ((), more, _) = measure(|| roomy.extend(keys.iter().map(|&key| (key, key))));
            assert!(more == 0.0, "HashMap: {more} bytes beyond its capacity");
            for batches in [1, 4] {
                let trees = in_batches(Tree::new(), &keys, batches);
                let lists = in_batches(SkipList::new(), &keys, batches);
                let hashes = in_batches(HashMap::new(), &keys, batches);
                // Hash tables double, so the one that a batch fills beyond its size has twice that.
                for (what, single, (bytes, peak), most) in [
                    ("Tree", tree, trees, 76.0),
                    ("SkipList", list, lists, 76.0),
                    ("HashMap", hash, hashes, 130.0),
                ] {
                    println!("{what}, {batches} batches: {bytes:.1} bytes, peak {peak:.1}");
                    assert!(bytes <= 1.15 * single, "{what}: {bytes:.1} bytes an entry");
                    assert!(peak <= most, "{what}: {peak:.1} bytes an operation");
                }
            }
        }
    });
}

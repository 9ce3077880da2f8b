//! Batched structures under sumac's own tasks.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use sumac::{
    batch::{Batched, Get, Insert, Len, Remove, SkipList, Tree},
    prelude::*,
    spawn_async_in,
};
use sumac_test_support::{LONG, pool, within};

const SIZES: [usize; 4] = [1, 2, 3, 8];

/// Thousands of operations are under way on a few workers: batches become as large.
#[test]
fn tasks_that_wait_hold_no_worker() {
    within(LONG, "many tasks", || {
        for threads in SIZES {
            let pool = pool(threads);
            let map = Arc::new(Batched::new_in(&pool, SkipList::new()));
            let tasks: Vec<_> = (0..1000)
                .map(|i| {
                    let map = Arc::clone(&map);
                    spawn_async_in(&pool, async move {
                        assert_eq!(map.submit(Insert(i, 1)).await, None);
                        assert_eq!(map.submit(Insert(i, 2)).await, Some(1));
                        map.submit(Get(i)).await
                    })
                })
                .collect();
            for task in tasks {
                assert_eq!(task.join(), Some(2));
            }
            let stats = map.stats();
            // Those that look form no batch where none runs.
            assert!((2000..=3000).contains(&stats.operations), "{stats:?}");
            assert!(stats.largest >= 50, "{stats:?}");
            assert!(stats.longest_wait_turns <= 2, "{stats:?}");
            assert_eq!(map.apply(Len), 1000);
        }
    });
}

/// A program of its own pool blocks in loops, futures and joins at once.
#[test]
fn all_kinds_of_callers() {
    within(LONG, "all kinds of callers", || {
        for threads in SIZES {
            let pool = pool(threads);
            let map = Arc::new(Batched::new_in(&pool, Tree::new()));
            let mirror = Mutex::new(BTreeMap::new());
            let task = {
                let map = Arc::clone(&map);
                spawn_async_in(&pool, async move {
                    for i in 0..300 {
                        map.submit(Insert(10_000 + i, i)).await;
                    }
                })
            };
            pool.install(|| {
                (0..500).into_par_iter().for_each(|i: i32| {
                    map.apply(Insert(i, i));
                    mirror.lock().unwrap().insert(i, i);
                    if i % 3 == 0 {
                        sumac::join(
                            || map.apply(Remove(i)),
                            || mirror.lock().unwrap().remove(&i),
                        );
                    }
                });
            });
            task.join();
            let mut mirror = mirror.into_inner().unwrap();
            mirror.extend((0..300).map(|i| (10_000 + i, i)));
            let entries: Vec<_> = map.with_mut(|tree| tree.iter().map(|(k, v)| (*k, *v)).collect());
            assert!(entries.into_iter().eq(mirror));
        }
    });
}

/// Cancelled tasks take their operations back.
#[test]
fn tasks_are_cancelled() {
    within(LONG, "cancelled tasks", || {
        for threads in SIZES {
            let pool = pool(threads);
            let map = Arc::new(Batched::new_in(&pool, Tree::new()));
            let tasks: Vec<_> = (0..200)
                .map(|i| {
                    let map = Arc::clone(&map);
                    spawn_async_in(&pool, async move {
                        for j in 0..10 {
                            map.submit(Insert((i, j), ())).await;
                        }
                    })
                })
                .collect();
            for (i, task) in tasks.into_iter().enumerate() {
                if i % 2 == 0 {
                    task.cancel();
                } else {
                    task.join();
                }
            }
            let len = map.apply(Len);
            assert!((1000..=2000).contains(&len), "{len}");
        }
    });
}

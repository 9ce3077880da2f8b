//! Batched structures under sumac's own tasks.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use sumac::{
    Scope,
    batch::{
        Add, Batched, BatchedStructure, Counter, Insert, Len, MapAnswer, MapOp, Plain, Read,
        Remove, Request, Tree,
    },
    prelude::*,
    spawn_async_in,
};
use sumac_test_support::{LONG, pool, within};

const SIZES: [usize; 4] = [1, 2, 3, 8];

/// A list whose operations all come in batches.
struct InBatches(Tree<i32, i32>);

impl BatchedStructure for InBatches {
    type Op = MapOp<i32, i32>;
    type Answer = MapAnswer<i32, i32>;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Self::Op, Self::Answer>]) {
        self.0.run(scope, batch);
    }
}

/// Thousands of operations are under way on a few workers: batches become as large.
#[test]
fn tasks_that_wait_hold_no_worker() {
    within(LONG, "many tasks", || {
        for threads in SIZES {
            let pool = pool(threads);
            let map = Arc::new(Batched::new_in(&pool, InBatches(Tree::new())));
            let tasks: Vec<_> = (0..1000)
                .map(|i| {
                    let map = Arc::clone(&map);
                    spawn_async_in(&pool, async move {
                        let insert = |value| map.submit(Plain(MapOp::Insert(i, value)));
                        assert_eq!(insert(1).await, MapAnswer::Value(None));
                        assert_eq!(insert(2).await, MapAnswer::Value(Some(1)));
                        map.submit(Plain(MapOp::Get(i))).await
                    })
                })
                .collect();
            for task in tasks {
                assert_eq!(task.join(), MapAnswer::Value(Some(2)));
            }
            let stats = map.stats();
            assert_eq!(stats.operations, 3000, "{stats:?}");
            assert!(stats.largest >= 50, "{stats:?}");
            assert!(stats.longest_wait_turns <= 2, "{stats:?}");
            assert_eq!(map.with_mut(|map| map.0.len()), 1000);
        }
    });
}

/// A program of its own pool blocks in loops, futures and joins at once.
/// Also where each of its operations is carried out at once.
#[test]
fn a_task_that_never_waits_gives_way() {
    within(LONG, "a task that increments for ever", || {
        let pool = pool(2);
        let counter = Arc::new(Batched::new_in(&pool, Counter::new(0)));
        let here = Arc::clone(&counter);
        let task = spawn_async_in(&pool, async move {
            loop {
                here.submit(Add(1)).await;
            }
        });
        while counter.apply(Read) < 100 {
            std::thread::yield_now();
        }
        assert!(task.cancel());
        // The task owns the other reference until its last step.
        while Arc::strong_count(&counter) > 1 {
            std::thread::yield_now();
        }
    });
}

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

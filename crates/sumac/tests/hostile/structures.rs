//! Batched structures.

use std::{
    future::Future,
    sync::Arc,
    task::{Context, Waker},
    thread,
};

use crate::{
    Place,
    value::{Hostile, Key, OnDrop},
    visit,
};
use sumac::{
    Scope, ThreadPool,
    batch::{
        Batched, BatchedStructure, Combining, Insert, Operation, Plain, PriorityQueue, Push,
        Request, Tree,
    },
};

#[test]
fn user_code_in_structures() {
    visit(STRUCTURES);
}

/// A structure that acts in each batch, whose operations and answers act when they are dropped.
struct Acts(Hostile);

impl BatchedStructure for Acts {
    type Op = OnDrop;
    type Answer = OnDrop;

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<OnDrop, OnDrop>]) {
        self.0.act();
        for request in batch {
            drop(request.take_op());
            request.answer(self.0.on_drop());
        }
    }
}

/// A structure that only answers, with answers that act when they are dropped.
struct Quiet(Hostile);

impl BatchedStructure for Quiet {
    type Op = u32;
    type Answer = OnDrop;

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<u32, OnDrop>]) {
        for request in batch {
            request.answer(self.0.on_drop());
        }
    }
}

const STRUCTURES: &[Place] = &[
    ("single operations", |h, pool| {
        let structure = Batched::new_in(pool, Acts(h.clone()));
        let _ = structure.try_apply(Plain(h.on_drop()));
        let _ = structure.try_apply(Plain(h.on_drop()));
    }),
    ("operations from many threads", |h, pool| {
        let structure = Batched::new_in(pool, Acts(h.clone()));
        thread::scope(|threads| {
            for _ in 0..4 {
                let apply = || {
                    for _ in 0..4 {
                        let _ = structure.try_apply(Plain(h.on_drop()));
                    }
                };
                threads.spawn(apply);
            }
        });
    }),
    ("operations from tasks", |h, pool| {
        let structure = Arc::new(Batched::new_in(pool, Acts(h.clone())));
        pool.task_scope(|s| {
            for _ in 0..8 {
                s.spawn(|_| drop(structure.try_apply(Plain(h.on_drop()))));
            }
        });
    }),
    ("answers", |h, pool| {
        let structure = Batched::new_in(pool, Quiet(h.clone()));
        drop(structure.try_apply(Plain(1)));
    }),
    ("answers that are not taken", |h, pool| {
        let structure = Batched::new_in(pool, Quiet(h.clone()));
        let mut submitted = Box::pin(structure.try_submit(Plain(1)));
        let _ = submitted
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        drop(submitted);
        drop(structure.try_apply(Plain(1)));
    }),
    ("all at once", |h, pool| {
        let structure = Batched::new_in(pool, Acts(h.clone()));
        let ops = (0..100).map(|_| Plain(h.on_drop())).collect();
        drop(structure.try_apply_all(ops));
    }),
    ("wakers, woken", |h, pool| {
        submit_to_a_busy_one(h, pool, h.on_wake())
    }),
    ("wakers, dropped", |h, pool| {
        submit_to_a_busy_one(h, pool, h.on_waker_drop());
    }),
    ("keys of a tree", |h, pool| {
        let map = Batched::new_in(pool, Tree::<Key, u32>::new());
        insert_all(&map, h);
    }),
    ("priorities", |h, pool| {
        let queue = Batched::new_in(pool, PriorityQueue::<Key>::new());
        thread::scope(|threads| {
            for i in 0..3 {
                let queue = &queue;
                threads.spawn(move || {
                    for j in 0..20 {
                        let _ = queue.try_apply(Push(h.key(i + 3 * j)));
                    }
                });
            }
        });
    }),
    ("closures of a combining mutex", |h, _| {
        let combining = Combining::new(0);
        thread::scope(|threads| {
            for _ in 0..3 {
                let _ = threads
                    .spawn(|| combining.try_with(|_| h.act()).is_ok())
                    .join();
            }
        });
    }),
];

fn insert_all<D>(map: &Batched<D>, h: &Hostile)
where
    D: BatchedStructure,
    Insert<Key, u32>: Operation<D, Answer: Send>,
{
    thread::scope(|threads| {
        for i in 0..3 {
            threads.spawn(move || {
                for j in 0..20 {
                    let _ = map.try_apply(Insert(h.key(i + 3 * j), 0));
                }
            });
        }
    });
    let inserts = (0..200).map(|i| Insert(h.key(i), 1)).collect();
    let _ = map.try_apply_all(inserts);
}

/// A future's operation that finds the structure busy, so that its waker is left.
fn submit_to_a_busy_one(h: &Hostile, pool: &ThreadPool, waker: Waker) {
    let structure = Batched::new_in(pool, Quiet(h.clone()));
    let mut submitted = Box::pin(structure.try_submit(Plain(1)));
    let poll = || {
        let poll = submitted.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(poll.is_pending());
        drop(waker);
    };
    structure.with_mut(|_| thread::scope(|threads| threads.spawn(poll).join()).expect("pending"));
    assert!(h.was_seen());
    drop(structure.try_apply(Plain(2)));
}

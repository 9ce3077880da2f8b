//! Small programs with batches: for Miri, which is too slow for the rest, and sees wrong aliasing, races and leaks.

#![forbid(unsafe_code)]

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
};
use sumac_batch::{
    Add, Batched, Combining, Counter, FastCounter, Get, Insert, Plain, PriorityQueue, Push, Read,
    Remove, SkipList, Tree, Union, UnionFind,
};
use sumac_core::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("a pool")
}

struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn poll<F: Future>(future: Pin<&mut F>, woken: &Arc<Woken>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(&Waker::from(Arc::clone(woken))))
}

#[test]
fn callers_that_block() {
    for threads in [1, 2] {
        let pool = pool(threads);
        let counter = Batched::new_in(&pool, Counter::new(0));
        thread::scope(|s| {
            for _ in 0..3 {
                s.spawn(|| (0..5).for_each(|_| drop(counter.try_apply(Add(1)))));
            }
            s.spawn(|| counter.with_mut(|counter| assert!(counter.value() <= 15)));
        });
        assert_eq!(counter.apply(Read), 15);
    }
}

#[test]
fn futures_that_end_and_that_do_not() {
    let pool = pool(2);
    let map = Batched::new_in(&pool, SkipList::new());
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let mut futures: Vec<_> = (0..6)
        .map(|i| Box::pin(map.submit(Insert(i, Box::new(i)))))
        .collect();
    for future in &mut futures {
        let _ = poll(future.as_mut(), &woken);
    }
    drop(futures.remove(3));
    drop(futures.remove(0));
    for mut future in futures {
        while poll(future.as_mut(), &woken).is_pending() {
            thread::yield_now();
        }
    }
    assert_eq!(map.apply(Get(4)), Some(Box::new(4)));
    drop(map.submit(Insert(9, Box::new(9))));
}

#[test]
fn maps_and_the_rest() {
    let pool = pool(2);
    pool.install(|| {
        let tree = Batched::new(Tree::new());
        tree.apply_all((0..40).map(|i| Insert(i % 30, i)).collect());
        assert_eq!(tree.apply_all(vec![Remove(5), Remove(5)]), [Some(35), None]);
        assert_eq!(tree.into_inner().unwrap().len(), 29);
        let list = Batched::new(SkipList::new());
        list.apply_all((0..40).map(|i| Insert(i % 30, i)).collect());
        assert_eq!(list.apply_all(vec![Remove(5), Remove(5)]), [Some(35), None]);
        assert_eq!(list.into_inner().unwrap().len(), 29);
        let sets = Batched::new(UnionFind::new(8));
        assert_eq!(sets.apply_all(vec![Union(0, 1), Union(2, 3)]), [true, true]);
        let queue = Batched::new(PriorityQueue::new());
        queue.apply_all((0..10).map(Push).collect());
        assert_eq!(queue.into_inner().unwrap().len(), 10);
    });
}

#[test]
fn closures_for_others() {
    let list = Combining::new(Vec::new());
    let fast = FastCounter::new(0);
    thread::scope(|s| {
        for i in 0..3 {
            let (list, fast) = (&list, &fast);
            s.spawn(move || {
                let name = format!("{i}");
                list.with(|list| list.push(name.clone()));
                fast.add(1);
            });
        }
    });
    assert_eq!(list.with(|list| list.len()), 3);
    assert_eq!(fast.get(), 3);
    let failed = catch_unwind(AssertUnwindSafe(|| {
        list.with(|_| resume_unwind(Box::new(())))
    }));
    assert!(failed.is_err() && list.is_poisoned());
}

#[test]
fn explicit_batches() {
    let counter = Batched::new(Counter::new(0));
    let all = (0..5)
        .map(Add)
        .map(sumac_batch::Operation::<Counter>::into_op);
    assert_eq!(counter.apply_all(all.map(Plain).collect()), [0, 0, 1, 3, 6]);
}

//! Small programs with batches: for Miri, which is too slow for the rest, and sees wrong aliasing,
//! races and leaks.

#![forbid(unsafe_code)]

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
};
use sumac_batch::{Batched, BatchedStructure, Combining, FastCounter, Plain, Request};
use sumac_core::{Scope, ThreadPool};
use sumac_test_support::pool;

/// A sum of boxes, added up in parallel. Negative ones make it panic.
struct Sum(Box<i64>);

impl BatchedStructure for Sum {
    type Op = Box<i64>;
    type Answer = Box<i64>;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Box<i64>, Box<i64>>]) {
        batch.reverse();
        *self.0 += add(scope, batch);
    }
}

fn add(scope: &mut Scope<'_>, batch: &mut [Request<Box<i64>, Box<i64>>]) -> i64 {
    match batch {
        [] => 0,
        [request] => {
            let n = request.take_op();
            if *n < 0 {
                resume_unwind(Box::new("a batch"));
            }
            request.answer(Box::new(*n + 1));
            *n
        }
        _ => {
            let (left, right) = batch.split_at_mut(batch.len() / 2);
            let (left, right) = scope.join(|s| add(s, left), |s| add(s, right));
            left + right
        }
    }
}

fn sum(pool: &ThreadPool) -> Batched<Sum> {
    Batched::new_in(pool, Sum(Box::new(0)))
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

fn finish<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let waker = Waker::from(Arc::new(Count::default()));
    loop {
        if let Poll::Ready(value) = poll(future.as_mut(), &waker) {
            return value;
        }
        thread::yield_now();
    }
}

#[test]
fn callers_that_block() {
    for threads in [1, 2] {
        let pool = pool(threads);
        let batched = sum(&pool);
        thread::scope(|s| {
            for i in 0..3 {
                let batched = &batched;
                s.spawn(move || {
                    for j in 0..3 {
                        assert_eq!(*batched.apply(Plain(Box::new(i))), i + 1);
                        if j == i {
                            batched.with_mut(|sum| *sum.0 += 100);
                        }
                    }
                });
            }
        });
        let all = batched.apply_all((0..5).map(|i| Plain(Box::new(i))).collect());
        assert!(all.iter().map(|answer| **answer).eq(1..6));
        assert_eq!(*batched.into_inner().unwrap().0, 9 + 300 + 10);
    }
}

#[test]
fn forks_that_block() {
    let pool = pool(2);
    let batched = sum(&pool);
    fn go(scope: &mut Scope<'_>, depth: u32, batched: &Batched<Sum>) {
        if depth == 0 {
            assert_eq!(*batched.apply(Plain(Box::new(1))), 2);
        } else {
            scope.join(|s| go(s, depth - 1, batched), |s| go(s, depth - 1, batched));
        }
    }
    go(&mut pool.scope(), 4, &batched);
    assert_eq!(*batched.into_inner().unwrap().0, 16);
}

#[test]
fn futures() {
    for threads in [1, 2] {
        let pool = pool(threads);
        let batched = sum(&pool);
        thread::scope(|s| {
            for i in 0..2 {
                let batched = &batched;
                s.spawn(move || {
                    let mut futures: Vec<_> = (0..4)
                        .map(|_| Box::pin(batched.submit(Plain(Box::new(i)))))
                        .collect();
                    for future in &mut futures {
                        assert!(poll(future.as_mut(), Waker::noop()).is_pending());
                    }
                    // One is taken back, or dropped in its batch, or when it is done.
                    drop(futures.remove(1));
                    for future in &mut futures {
                        assert_eq!(*finish(future.as_mut()), i + 1);
                    }
                });
            }
        });
        let total = *batched.into_inner().unwrap().0;
        assert!(total == 3 || total == 4);
    }
}

/// Wakers that drop other futures of the same batch.
#[test]
fn futures_that_wakers_drop() {
    type Stored = Mutex<Vec<Pin<Box<dyn Future<Output = Box<i64>> + Send>>>>;
    struct Drops(Arc<Stored>);
    impl Wake for Drops {
        fn wake(self: Arc<Self>) {
            let all = std::mem::take(&mut *self.0.lock().unwrap());
            drop(all);
        }
    }
    for threads in [1, 2] {
        let pool = pool(threads);
        let batched = Arc::new(sum(&pool));
        let stored = Arc::new(Stored::default());
        let waker = Waker::from(Arc::new(Drops(Arc::clone(&stored))));
        batched.with_mut(|_| {
            thread::scope(|s| {
                s.spawn(|| {
                    let mut futures = stored.lock().unwrap();
                    for i in 0..4 {
                        let mut future: Pin<Box<dyn Future<Output = Box<i64>> + Send>> =
                            Box::pin({
                                let batched = Arc::clone(&batched);
                                async move { batched.submit(Plain(Box::new(i))).await }
                            });
                        assert!(poll(future.as_mut(), &waker).is_pending());
                        futures.push(future);
                    }
                });
            });
        });
        while !stored.lock().unwrap().is_empty() {
            thread::yield_now();
        }
        assert_eq!(*batched.apply(Plain(Box::new(5))), 6);
        drop(batched.with_mut(|sum| std::mem::replace(&mut sum.0, Box::new(0))));
    }
}

#[test]
fn panics() {
    let pool = pool(2);
    let batched = sum(&pool);
    thread::scope(|s| {
        for i in -1..2 {
            let batched = &batched;
            s.spawn(move || {
                let result = batched.try_apply(Plain(Box::new(i)));
                drop(result);
                drop(catch_unwind(AssertUnwindSafe(|| {
                    finish(Box::pin(batched.submit(Plain(Box::new(i)))).as_mut())
                })));
            });
        }
    });
    assert!(batched.is_poisoned());
    assert!(batched.into_inner().is_err());
}

/// The structure, and a future that is still waiting, outlive the pool.
#[test]
fn the_pool_ends() {
    let batched;
    let mut future;
    {
        let pool = pool(1);
        batched = sum(&pool);
        future = Box::pin(batched.submit(Plain(Box::new(1))));
        assert!(poll(future.as_mut(), Waker::noop()).is_pending());
    }
    assert_eq!(*finish(future.as_mut()), 2);
    assert_eq!(*batched.apply(Plain(Box::new(1))), 2);
    drop(future);
    assert_eq!(*batched.into_inner().unwrap().0, 2);
}

/// The global pool leads for a pool that has ended.
#[test]
#[cfg_attr(
    miri,
    ignore = "the global pool does not end, and Miri calls that a leak"
)]
fn the_pool_has_ended() {
    let batched = sum(&pool(1));
    let mut late = Box::pin(batched.submit(Plain(Box::new(1))));
    assert_eq!(*finish(late.as_mut()), 2);
    drop(late);
    assert_eq!(*batched.into_inner().unwrap().0, 1);
}

#[test]
fn combining() {
    let mut text = String::new();
    let words = Combining::new(&mut text);
    thread::scope(|s| {
        for word in ["a", "b", "c"] {
            let words = &words;
            s.spawn(move || {
                for _ in 0..3 {
                    let len = words.with(|words| {
                        words.push_str(word);
                        words.len().to_string()
                    });
                    assert!(!len.is_empty());
                }
            });
        }
    });
    drop(words);
    assert_eq!(text.len(), 9);
    let counter = FastCounter::new(0);
    thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| (0..3).map(|_| counter.add(1)).max());
        }
    });
    assert_eq!(counter.get(), 9);
}

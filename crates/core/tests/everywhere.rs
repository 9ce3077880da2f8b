//! What every platform must do, with and without threads, clock and unwinding: each test takes
//! pools of one, two and four threads. So none of them starts threads, catches panics or looks at
//! the time.

use std::{
    future::poll_fn,
    ops::ControlFlow,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{
            AtomicUsize,
            Ordering::{AcqRel, Acquire, Relaxed, Release},
        },
    },
    task::Poll,
};
use sumac::{
    Callers, Scope, ScopeLoops, ThreadPool, ThreadPoolBuilder,
    batch::{Batched, FastCounter, Get, Insert, Tree},
    block_on, broadcast, join, join3,
    prelude::*,
    promise, scope, spawn, spawn_async,
};

/// Calls `test` inside of pools of several sizes, and beside them: in the global pool.
fn everywhere(test: impl Fn() + Send + Sync) {
    for threads in [1, 2, 4] {
        for callers in [Callers::TakePart, Callers::Wait] {
            if callers == Callers::Wait && threads == 1 {
                // Its only thread must not wait for tasks that it does not run itself.
                continue;
            }
            let builder = ThreadPoolBuilder::new().num_threads(threads);
            let pool = builder.callers(callers).build().expect("a pool");
            let alone = cfg!(all(
                target_family = "wasm",
                target_os = "unknown",
                not(target_feature = "atomics")
            ));
            let expected = if alone { 1 } else { threads };
            assert_eq!(pool.current_num_threads(), expected);
            pool.install(&test);
            pool.install(&test);
        }
    }
    test();
}

fn fibonacci(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fibonacci(n - 1), || fibonacci(n - 2));
    a + b
}

fn leaves(scope: &mut Scope<'_>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (a, b) = scope.join(|s| leaves(s, depth - 1), |s| leaves(s, depth - 1));
    a + b
}

/// Where tests cannot print, what runs them must be seen to notice one that fails.
#[test]
fn this_one_fails_on_request() {
    assert!(option_env!("SUMAC_PLANT_FAILURE").is_none());
}

#[test]
fn joins() {
    everywhere(|| {
        assert_eq!(fibonacci(16), 987);
        assert_eq!(join3(|| 1, || fibonacci(7), || "c"), (1, 13, "c"));
        assert_eq!(leaves(&mut Scope::global(), 10), 1024);
    });
    let pool = ThreadPool::new();
    assert_eq!(leaves(&mut pool.scope(), 10), 1024);
}

#[test]
fn loops() {
    everywhere(|| {
        for len in [0, 1, 7, 20_000] {
            let sum = AtomicUsize::new(0);
            sumac::for_each(0..len, |i| _ = sum.fetch_add(i, Relaxed));
            assert_eq!(sum.into_inner(), len * len.saturating_sub(1) / 2);
            let most = sumac::map_reduce(0..len, 0, |i| i ^ 5, usize::max);
            assert_eq!(most, (0..len).map(|i| i ^ 5).max().unwrap_or(0));
        }
        let found = sumac::find_any(0..100_000, |i| (i % 4097 == 4096).then_some(i));
        assert_eq!(found.expect("one of many") % 4097, 4096);
    });
}

#[test]
fn iterators() {
    everywhere(|| {
        let numbers: Vec<u64> = (0..10_000).into_par_iter().map(|i| i * 7 % 1009).collect();
        let mut sorted = numbers.clone();
        sorted.par_sort_unstable();
        assert!(sorted.is_sorted());
        let sum: u64 = numbers.par_iter().sum();
        assert_eq!(sum, sorted.iter().sum());
        let even = numbers.par_iter().filter(|n| **n % 2 == 0).count();
        assert_eq!(even, sorted.iter().filter(|n| **n % 2 == 0).count());
        let first = numbers.par_iter().position_first(|n| *n == 1008);
        assert_eq!(first, numbers.iter().position(|n| *n == 1008));
        let any = numbers.par_iter().find_any(|n| **n == 3);
        assert_eq!(any, Some(&3));
        let bridged: usize = (0..1000).par_bridge().map(|i| i + 1).sum();
        assert_eq!(bridged, 500_500);
        let stopped = numbers.par_iter().try_for_each(|n| match n {
            5 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        assert!(stopped.is_break());
    });
}

#[test]
fn scans() {
    everywhere(|| {
        let mut sums = vec![1_u64; 10_000];
        sums.par_iter_mut()
            .enumerate()
            .for_each(|(i, n)| *n += i as u64 % 3);
        let before = sums.clone();
        sumac::scan(&mut sums, |a, b| a + b);
        let mut sum = 0;
        for (now, before) in sums.iter().zip(&before) {
            sum += before;
            assert_eq!(*now, sum);
        }
    });
}

#[test]
fn scopes() {
    everywhere(|| {
        let (sum, text) = (AtomicUsize::new(0), String::from("borrowed"));
        scope(|s| {
            for i in 0..100 {
                let (sum, text) = (&sum, &text);
                s.spawn(move |s| {
                    s.spawn(move |_| _ = sum.fetch_add(text.len() * i, Relaxed));
                });
            }
        });
        assert_eq!(sum.into_inner(), 8 * 4950);
    });
}

#[test]
fn promises() {
    everywhere(|| {
        let tasks: Vec<_> = (0..100).map(|i| spawn(move || fibonacci(i % 10))).collect();
        let sum: u64 = tasks.into_iter().map(|task| task.join()).sum();
        assert_eq!(sum, 10 * 88);
        // A value that a task gives which nothing waits for.
        let (resolver, awaited) = promise();
        drop(spawn(move || resolver.resolve(String::from("given"))));
        assert_eq!(awaited.join(), "given");
        let (resolver, nothing) = promise::<u8>();
        drop(resolver);
        assert!(nothing.try_join().is_err());
    });
}

#[test]
fn detached_tasks() {
    everywhere(|| {
        let (resolver, last) = promise();
        let (left, resolver) = (AtomicUsize::new(50), Mutex::new(Some(resolver)));
        let shared = Arc::new((left, resolver));
        for _ in 0..50 {
            let shared = Arc::clone(&shared);
            drop(spawn(move || {
                let (left, resolver) = &*shared;
                if left.fetch_sub(1, AcqRel) == 1 {
                    let resolver = resolver.lock().expect("no panic").take();
                    resolver.expect("one is the last").resolve(());
                }
            }));
        }
        last.join();
        assert_eq!(shared.0.load(Acquire), 0);
        // Tasks run, too, while this thread gives way.
        let ran = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&ran);
        drop(spawn(move || counter.fetch_add(1, Release)));
        while ran.load(Acquire) == 0 {
            sumac::yield_now();
        }
    });
}

#[test]
fn futures() {
    everywhere(|| {
        let sum = spawn_async(async {
            let mut sum = 0;
            for i in 0..20 {
                sum += spawn(move || i).await;
                let mut turns = 2;
                let turn = poll_fn(|context| {
                    turns -= 1;
                    context.waker().wake_by_ref();
                    if turns == 0 {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                });
                pin!(turn).await;
            }
            sum
        });
        assert_eq!(block_on(sum), 190);
        let task = spawn_async(async { spawn(|| 2).await + 1 });
        assert_eq!(task.join(), 3);
    });
}

#[test]
fn broadcasts() {
    everywhere(|| {
        let threads = sumac::current_num_threads();
        let indices = broadcast(|call| (call.index(), call.num_threads()));
        assert_eq!(
            indices,
            (0..threads).map(|i| (i, threads)).collect::<Vec<_>>()
        );
    });
}

#[test]
fn batches() {
    everywhere(|| {
        let (counter, map) = (FastCounter::new(0), Batched::new(Tree::new()));
        sumac::for_each(0..2000, |i| {
            counter.add(1);
            map.apply(Insert(i % 100, i));
        });
        assert_eq!(counter.get(), 2000);
        assert_eq!(map.stats().operations, 2000);
        let last = map.apply(Get(42)).expect("inserted");
        assert_eq!(last % 100, 42);
        assert_eq!(map.into_inner().expect("no panic").len(), 100);
    });
}

#[test]
fn batches_of_tasks() {
    everywhere(|| {
        let map = Arc::new(Batched::new(Tree::new()));
        let tasks: Vec<_> = (0..200)
            .map(|i| {
                let map = Arc::clone(&map);
                spawn_async(async move { map.submit(Insert(i, ())).await })
            })
            .collect();
        tasks.into_iter().for_each(|task| _ = task.join());
        assert_eq!(
            Arc::into_inner(map).map(|map| map.into_inner().expect("no panic").len()),
            Some(200)
        );
    });
}

#[test]
fn loops_in_scopes() {
    everywhere(|| {
        let mut scope = Scope::global();
        let sum = scope.map_reduce(0..10_000, 0, |_, i| i as u64, |a, b| a + b);
        assert_eq!(sum, 49_995_000);
    });
}

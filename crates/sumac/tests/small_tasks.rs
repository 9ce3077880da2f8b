//! Small programs with tasks: for Miri, which is too slow for the rest, and sees wrong aliasing,
//! races and leaks.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use sumac::{Promise, ThreadPool, ThreadPoolBuilder, broadcast, promise, spawn, spawn_async_in};
use sumac_test_support::{Stopped, waited};

fn pool(threads: usize) -> Stopped {
    Stopped::from(unjoined(threads))
}

fn unjoined(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .panic_handler(|_| ())
        .build()
        .expect("a pool")
}

fn tree(depth: u32) -> usize {
    if depth == 0 {
        return 1;
    }
    let left = spawn(move || tree(depth - 1));
    let (right, other) = sumac::join(|| tree(depth - 1), || 1);
    left.join() + right * other
}

#[test]
fn promises() {
    for threads in [1, 3] {
        let pool = pool(threads);
        assert_eq!(pool.spawn(|| tree(3)).join(), 8);
        let promises: Vec<Promise<String>> =
            (0..8).map(|i| pool.spawn(move || format!("{i}"))).collect();
        for (i, promise) in promises.into_iter().enumerate() {
            match i % 4 {
                0 => assert_eq!(promise.join(), format!("{i}")),
                1 => drop(promise),
                2 => drop(promise.cancel()),
                _ => assert!(thread::spawn(|| promise.join()).join().is_ok()),
            }
        }
        drop::<Promise<()>>(pool.spawn(|| resume_unwind(Box::new("unheard"))));
        let (resolver, kept) = promise();
        pool.spawn(move || resolver.resolve(vec![1]));
        assert_eq!(kept.join(), [1]);
    }
}

#[test]
fn scopes() {
    let pool = pool(3);
    let sum = AtomicUsize::new(0);
    let texts: Vec<String> = (0..6).map(|i| i.to_string()).collect();
    pool.task_scope(|s| {
        for text in &texts {
            s.spawn(|s| {
                s.spawn(|_| {
                    let (a, b) = sumac::join(|| text.len(), || 1);
                    sum.fetch_add(a + b, SeqCst);
                });
                thread::yield_now();
            });
        }
    });
    assert_eq!(sum.into_inner(), 12);
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.task_scope(|s| {
            s.spawn(|_| resume_unwind(Box::new(String::from("task"))));
            s.spawn(|s| s.cancel());
            s.spawn(|_| assert_eq!(texts.len(), 6));
        });
    }));
    drop(result);
}

/// Closures that are handed over borrow from their callers' frames. They return or panic, and lead
/// through another pool and back.
#[test]
fn calls() {
    let [one, two] = [1, 2].map(|threads| Stopped::from(waited(threads)));
    thread::scope(|callers| {
        for _ in 0..2 {
            callers.spawn(|| {
                let mut text = String::from("a");
                let leaves = two.install(|| {
                    text.push('b');
                    tree(2)
                });
                assert_eq!((leaves, &*text), (4, "ab"));
                let length = one.install(|| {
                    two.install(|| {
                        one.install(|| text.push('c'));
                        text.len()
                    })
                });
                assert_eq!(length, 3);
                let throw = || two.install(|| resume_unwind(Box::new(text.clone())));
                let thrown = catch_unwind(AssertUnwindSafe(throw)).expect_err("it panics");
                assert_eq!(thrown.downcast_ref(), Some(&text));
            });
        }
    });
}

#[test]
fn broadcasts() {
    let pool = pool(3);
    let heard = Mutex::new(Vec::new());
    pool.broadcast(|context| heard.lock().expect("no poison").push(context.index()));
    assert_eq!(heard.lock().expect("no poison").len(), 3);
    pool.task_scope(|s| {
        s.spawn(|_| drop(broadcast(|_| heard.lock().expect("no poison").push(9))));
        s.spawn(|_| drop(broadcast(|_| heard.lock().expect("no poison").push(9))));
    });
}

#[test]
fn in_order_and_called() {
    for newest_first in [false, true] {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let own = builder.thread_name(|index| index.to_string());
        let pool = Stopped::from(own.newest_first(newest_first).build().expect("a pool"));
        let count = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&count);
        pool.spawn_broadcast(move |_| {
            counts.fetch_add(1, SeqCst);
        });
        let sum: usize = pool.install(|| {
            let tasks: Vec<_> = (0..4).map(|i| sumac::spawn_fifo(move || i)).collect();
            sumac::yield_local();
            tasks.into_iter().rev().map(Promise::join).sum()
        });
        let called = AtomicUsize::new(0);
        pool.task_scope_fifo(|s| {
            s.spawn_fifo(|s| {
                s.spawn_broadcast(|s, context| {
                    called.fetch_add(context.num_threads(), SeqCst);
                    s.spawn_fifo(|_| {
                        called.fetch_add(1, SeqCst);
                    });
                });
                sumac::yield_now();
            });
        });
        assert_eq!((sum, called.into_inner()), (6, 6));
        drop(pool);
        assert_eq!(count.load(SeqCst), 2);
    }
}

#[test]
fn futures() {
    let pool = pool(2);
    let (resolver, kept) = promise();
    let sum = spawn_async_in(&pool, async move { spawn(|| 1).await + kept.await });
    let cancelled = spawn_async_in(&pool, std::future::pending::<()>());
    resolver.resolve(2);
    assert_eq!(sum.join(), 3);
    assert!(cancelled.cancel());
}

/// Panics when it is woken.
struct Bomb;

impl Wake for Bomb {
    fn wake(self: Arc<Self>) {
        resume_unwind(Box::new("woken"));
    }
}

#[test]
fn ends_at_the_same_time() {
    for threads in [1, 2] {
        let kept = Arc::new(unjoined(threads));
        for way in 0..6 {
            let mine = Arc::clone(&kept);
            let mut promise = kept.spawn(move || (mine, String::from("value")));
            if way % 2 == 0 {
                let waker = Waker::from(Arc::new(Bomb));
                if let Poll::Ready(value) =
                    Pin::new(&mut promise).poll(&mut Context::from_waker(&waker))
                {
                    assert_eq!(value.1, "value");
                    continue;
                }
            }
            match way / 2 {
                0 => drop(promise),
                1 => drop(promise.cancel()),
                _ => assert_eq!(promise.join().1, "value"),
            }
        }
        // The last value that owns the pool may be dropped by its own thread.
        drop(kept);
        // Its threads cannot be joined there, and shall have ended with the program.
        thread::sleep(Duration::from_millis(10));
    }
}

/// Joins a promise when it is woken.
struct Joiner(Mutex<Option<Promise<usize>>>);

impl Wake for Joiner {
    fn wake(self: Arc<Self>) {
        let promise = self.0.lock().expect("no poison").take();
        assert_eq!(promise.map(Promise::join), Some(2));
    }
}

/// A task that has polled another joins it, while that ends and wakes.
#[test]
fn wakers_that_join() {
    let (mine, others) = (pool(2), pool(2));
    for round in 0..4 {
        let other = others.spawn(|| tree(1));
        let mut task = mine.spawn(move || {
            for _ in 0..round {
                thread::yield_now();
            }
        });
        let waker = Waker::from(Arc::new(Joiner(Mutex::new(Some(other)))));
        let waiter = others.spawn(move || {
            if Pin::new(&mut task)
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
            {
                task.join();
            }
        });
        assert!(thread::spawn(|| waiter.join()).join().is_ok());
    }
}

/// Two tasks join each other; one of them is told so, and the other goes on.
#[test]
fn tasks_that_join_each_other() {
    let pool = pool(3);
    let (told, is_told) = mpsc::channel();
    let new = || {
        let (send, receive) = mpsc::channel::<Promise<()>>();
        let told = told.clone();
        let promise = pool.spawn(move || {
            let other = receive.recv().expect("the other's promise");
            let joined = catch_unwind(AssertUnwindSafe(|| other.join()));
            told.send(joined.is_ok()).expect("the test waits");
        });
        (send, promise)
    };
    let (first, second) = (new(), new());
    first.0.send(second.1).expect("the first task waits");
    second.0.send(first.1).expect("the second task waits");
    let joined = is_told.iter().take(2).filter(|&joined| joined);
    assert_eq!(joined.count(), 1);
}

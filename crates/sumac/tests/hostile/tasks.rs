//! Tasks, scopes of tasks, promises, futures.

use std::{
    future::{Future, pending, poll_fn},
    pin::Pin,
    sync::mpsc,
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use crate::{Place, forgiving, visit};
use sumac::{Promise, ThreadPool, ThreadPoolBuilder, promise, spawn_async_in};
use sumac_test_support::{held, throw};

#[test]
fn user_code_in_tasks() {
    visit(TASKS);
}

const TASKS: &[Place] = &[
    ("task that is joined", |h, pool| {
        let own = h.clone();
        pool.spawn(move || own.act()).join();
    }),
    ("task that is left to a worker", |h, pool| {
        let own = h.clone();
        let task = pool.spawn(move || own.act());
        while !task.is_finished() {
            thread::yield_now();
        }
    }),
    ("captures of a cancelled task", |h, pool| {
        let (held, end) = held_all(pool);
        let bomb = h.on_drop();
        pool.spawn(move || drop_later(&bomb)).cancel();
        drop(end);
        drop(held);
    }),
    ("captures of a task whose pool is dropped", |h, _| {
        let bomb = h.on_drop();
        let own = forgiving(2);
        let task = own.spawn(move || drop_later(&bomb));
        drop(own);
        let _ = task.try_join();
    }),
    ("value of a detached task", |h, _| {
        let (own, pool) = (h.clone(), forgiving(2));
        drop(pool.spawn(move || own.on_drop()));
        assert!(h.was_seen());
    }),
    ("payload of a detached task", |h, _| {
        let (own, pool) = (h.clone(), forgiving(2));
        drop(pool.spawn(move || throw(own.on_drop())));
        assert!(h.was_seen());
    }),
    ("tasks of a scope", |h, pool| {
        pool.task_scope(|s| {
            for _ in 0..10 {
                s.spawn(|_| h.act());
            }
        });
    }),
    ("scope in place", |h, pool| {
        pool.in_place_scope(|s| {
            s.spawn(|s| s.spawn(|_| h.act()));
            h.act();
        });
    }),
    ("captures in a cancelled scope", |h, pool| {
        pool.task_scope(|s| {
            for _ in 0..10 {
                let bomb = h.on_drop();
                s.spawn(move |_| drop_later(&bomb));
            }
            s.cancel();
            let bomb = h.on_drop();
            s.spawn(move |_| drop_later(&bomb));
        });
    }),
    ("payloads of a scope", |h, pool| {
        pool.task_scope(|s| {
            for _ in 0..3 {
                s.spawn(|_| throw(h.on_drop()));
            }
        });
    }),
    ("result of a scope that panics", |h, pool| {
        pool.task_scope(|s| {
            s.spawn(|_| panic!("inside"));
            h.on_drop()
        });
    }),
];

#[test]
fn user_code_in_order_and_in_calls() {
    visit(CALLS);
}

const CALLS: &[Place] = &[
    ("tasks in order", |h, pool| {
        let spawn = |_| {
            let own = h.clone();
            pool.spawn_fifo(move || own.act())
        };
        (0..10).map(spawn).for_each(Promise::join);
    }),
    (
        "captures of tasks in order whose pool is dropped",
        |h, _| {
            let own = newest_first();
            let spawn = |_| {
                let bomb = h.on_drop();
                own.spawn_fifo(move || drop_later(&bomb))
            };
            let tasks: Vec<_> = (0..10).map(spawn).collect();
            own.install(|| sumac::spawn_fifo(|| ()).join());
            drop(own);
            for task in tasks {
                let _ = task.try_join();
            }
        },
    ),
    ("tasks of a scope in order", |h, pool| {
        pool.task_scope_fifo(|s| {
            for _ in 0..10 {
                let bomb = h.on_drop();
                s.spawn_fifo(move |s| {
                    drop_later(&bomb);
                    s.spawn_fifo(|_| h.act());
                });
            }
        });
    }),
    ("broadcast of a scope", |h, pool| {
        pool.in_place_scope(|s| s.spawn_broadcast(|_, _| h.act()));
    }),
    ("captures of a scope's broadcast", |h, pool| {
        let bomb = h.on_drop();
        pool.task_scope_fifo(|s| {
            s.spawn_broadcast(move |s, _| {
                drop_later(&bomb);
                s.spawn_fifo(|_| throw(h.on_drop()));
            });
        });
    }),
    (
        "captures of a scope's broadcast that is cancelled",
        |h, pool| {
            let (held, end) = held_all(pool);
            let bomb = h.on_drop();
            // On the caller: the pool may have no other thread that is not held.
            pool.in_place_scope(|s| {
                s.spawn_broadcast(move |_, _| drop_later(&bomb));
                s.cancel();
                drop(end);
            });
            drop(held);
        },
    ),
    ("detached broadcast", |h, _| {
        for pool in [forgiving(1), forgiving(3), newest_first()] {
            let own = h.clone();
            pool.spawn_broadcast(move |_| own.act());
            pool.wait_until_stopped();
        }
    }),
    ("captures and payloads of a detached broadcast", |h, _| {
        let (pool, bomb, own) = (forgiving(3), h.on_drop(), h.clone());
        pool.spawn_broadcast(move |_| {
            drop_later(&bomb);
            throw(own.on_drop());
        });
        pool.wait_until_stopped();
    }),
];

/// A pool of one thread of its own that runs the newest first.
fn newest_first() -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(1).panic_handler(drop);
    let builder = builder.newest_first(true).thread_name(|_| "own".into());
    builder.build().expect("a pool")
}

#[test]
fn user_code_in_wakers() {
    visit(WAKERS);
}

/// Each as a waker that acts when it is woken, and as one that acts when it is dropped.
const WAKERS: &[Place] = &[
    ("waker of a task, woken", |h, pool| {
        let (mut promise, end) = held(pool);
        poll(&mut promise, h.on_wake());
        drop(end);
        assert!(h.was_seen());
        assert_eq!(promise.join(), 5);
    }),
    (
        "waker of a task that is then joined by another, woken",
        |h, pool| {
            let other = forgiving(3);
            for _ in 0..20 {
                let (mut promise, end) = held(pool);
                poll(&mut promise, h.on_wake());
                let waiter = other.spawn(move || promise.join());
                drop(end);
                assert_eq!(waiter.join(), 5);
            }
            // Whether a waiter was before the task's end is open.
            h.act();
        },
    ),
    ("waker of a task that is then joined, dropped", |h, pool| {
        let (mut promise, end) = held(pool);
        poll(&mut promise, h.on_waker_drop());
        let waiter = thread::spawn(move || promise.join());
        thread::sleep(Duration::from_millis(5));
        drop(end);
        assert_eq!(waiter.join().expect("no panic"), 5);
    }),
    ("waker of a task, replaced", |h, pool| {
        let (mut promise, end) = held(pool);
        poll(&mut promise, h.on_waker_drop());
        poll(&mut promise, Waker::noop().clone());
        drop(end);
        assert_eq!(promise.join(), 5);
    }),
    ("waker of a promise that is dropped", |h, pool| {
        let (mut promise, end) = held(pool);
        poll(&mut promise, h.on_waker_drop());
        drop(promise);
        drop(end);
    }),
    ("waker of a promise that is resolved", |h, _| {
        let (resolver, mut promise) = promise();
        poll(&mut promise, h.on_wake());
        resolver.resolve(1);
        assert_eq!(promise.join(), 1);
    }),
    ("waker of a promise whose resolver is dropped", |h, _| {
        let (resolver, mut promise) = promise::<u32>();
        poll(&mut promise, h.on_wake());
        drop(resolver);
        assert!(promise.try_join().is_err());
    }),
    ("waker of a task in a pool that is dropped", |h, _| {
        let pool = forgiving(2);
        let (mut promise, end) = held(&pool);
        poll(&mut promise, h.on_wake());
        let dropping = thread::spawn(move || drop(pool));
        let waiter = thread::spawn(move || promise.join());
        thread::sleep(Duration::from_millis(5));
        drop(end);
        assert_eq!(waiter.join().expect("no panic"), 5);
        dropping.join().expect("no panic");
        h.act();
    }),
];

#[test]
fn user_code_in_futures() {
    visit(FUTURES);
}

const FUTURES: &[Place] = &[
    ("poll of a future", |h, pool| {
        let (own, mut polls) = (h.clone(), 0);
        let future = poll_fn(move |context| {
            own.act();
            polls += 1;
            if polls > 3 {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        });
        spawn_async_in(pool, future).join();
    }),
    ("value of a detached future", |h, _| {
        let (own, pool) = (h.clone(), forgiving(2));
        drop(spawn_async_in(&pool, async move { own.on_drop() }));
        assert!(h.was_seen());
    }),
    ("captures of a cancelled future", |h, pool| {
        let bomb = h.on_drop();
        let task = spawn_async_in(pool, async move {
            drop_later(&bomb);
            pending::<()>().await;
            drop(bomb);
        });
        task.cancel();
        assert!(h.was_seen());
    }),
    ("captures of a future whose pool is dropped", |h, _| {
        let (bomb, pool) = (h.on_drop(), forgiving(2));
        let (begin, begun) = mpsc::channel();
        let (resolver, event) = promise();
        let task = spawn_async_in(&pool, async move {
            begin.send(()).expect("the test waits");
            event.await;
            drop(bomb);
        });
        begun.recv().expect("a worker polls it");
        drop(pool);
        // It is due again, and there are no workers.
        resolver.resolve(());
        assert!(task.try_join().is_err());
    }),
];

fn drop_later<T>(_: &T) {}

/// Keeps all workers of `pool` busy until the senders are dropped.
fn held_all(pool: &ThreadPool) -> (Vec<Promise<u32>>, Vec<mpsc::Sender<()>>) {
    let workers = (pool.current_num_threads() - 1).max(1);
    (0..workers).map(|_| held(pool)).unzip()
}

/// Leaves a waker with the promise, which then has it alone.
fn poll<T>(promise: &mut Promise<T>, waker: Waker) {
    let poll = Pin::new(promise).poll(&mut Context::from_waker(&waker));
    assert!(poll.is_pending());
    drop(waker);
}

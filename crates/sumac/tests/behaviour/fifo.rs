//! The order in which a thread begins its tasks: scopes with and without one, `spawn` and
//! `spawn_fifo` in pools that run the newest first, and the steps of futures there.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::Poll,
    thread,
};

use sumac::{
    Promise, ScopeFifo, TaskScope, ThreadPool, ThreadPoolBuilder, in_place_scope_fifo, scope,
    scope_fifo, spawn, spawn_async, spawn_fifo,
};
use sumac_test_support::{LONG, caught, pool, text, throw, wait_until, within};

/// A pool of which all threads are its own, so that one of a single thread does one thing after the
/// other.
fn own_threads(threads: usize, newest_first: bool) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.thread_name(|index| format!("own {index}"));
    let pool = builder.newest_first(newest_first).build();
    pool.expect("a pool")
}

type Spawn = fn(Box<dyn FnOnce() + Send>);

const SPAWN: Spawn = |task| drop(spawn(task));
const SPAWN_FIFO: Spawn = |task| drop(spawn_fifo(task));

/// What tasks send that spawn others, in a pool of one thread.
fn order(newest_first: bool, outer: Spawn, inner: Spawn) -> Vec<usize> {
    within(LONG, "order", move || {
        let (send, receive) = mpsc::channel();
        let pool = own_threads(1, newest_first);
        pool.install(move || {
            for i in 0..10 {
                let send = send.clone();
                outer(Box::new(move || {
                    for j in 0..10 {
                        let send = send.clone();
                        inner(Box::new(move || send.send(10 * i + j).expect("a receiver")));
                    }
                }));
            }
        });
        receive.iter().collect()
    })
}

fn is_in_order(numbers: &[usize]) -> bool {
    numbers.iter().copied().eq(0..100)
}

#[test]
fn a_pool_takes_the_oldest_first() {
    for outer in [SPAWN, SPAWN_FIFO] {
        for inner in [SPAWN, SPAWN_FIFO] {
            assert!(is_in_order(&order(false, outer, inner)));
        }
    }
}

#[test]
fn the_newest_first_and_fifo_tasks_in_order() {
    let falling = (0..100).rev();
    assert!(order(true, SPAWN, SPAWN).into_iter().eq(falling));
    assert!(is_in_order(&order(true, SPAWN_FIFO, SPAWN_FIFO)));
    let tens = (0..10).rev().flat_map(|i| 10 * i..10 * i + 10);
    assert!(order(true, SPAWN, SPAWN_FIFO).into_iter().eq(tens));
    let tens = (0..10).flat_map(|i| (10 * i..10 * i + 10).rev());
    assert!(order(true, SPAWN_FIFO, SPAWN).into_iter().eq(tens));
}

#[test]
fn others_take_the_oldest() {
    within(LONG, "thieves", || {
        let pool = own_threads(2, true);
        let first = pool.install(|| {
            let (send, receive) = mpsc::channel();
            for i in 0..10 {
                let send = send.clone();
                spawn(move || send.send((i, thread::current().id())));
            }
            receive.recv().expect("the other thread runs one")
        });
        assert_eq!(first.0, 0);
    });
}

#[test]
fn fifo_tasks_that_are_joined_or_cancelled_leave_the_order() {
    within(LONG, "joined", || {
        let pool = own_threads(1, true);
        let (send, receive) = mpsc::channel();
        pool.install(move || {
            let spawn = |i| {
                let send = send.clone();
                spawn_fifo(move || send.send(i).expect("a receiver"))
            };
            let mut tasks: Vec<_> = (0..1_000).map(spawn).collect();
            for (i, task) in tasks.drain(..).enumerate().rev() {
                match i % 4 {
                    0 => drop(task),
                    1 => assert!(task.cancel()),
                    _ => task.join(),
                }
            }
        });
        let numbers: Vec<_> = receive.iter().collect();
        let joined = (0..1_000).rev().filter(|i| i % 4 > 1);
        let left = (0..1_000).filter(|i| i % 4 == 0);
        assert!(numbers.into_iter().eq(joined.chain(left)));
    });
}

#[test]
fn a_dropped_pool_runs_its_fifo_tasks() {
    within(LONG, "dropped", || {
        for newest_first in [false, true] {
            for threads in [1, 2] {
                let (pool, count) = (own_threads(threads, newest_first), Arc::default());
                for _ in 0..100 {
                    let count = Arc::<AtomicUsize>::clone(&count);
                    pool.spawn_fifo(move || count.fetch_add(1, SeqCst));
                }
                pool.wait_until_stopped();
                assert_eq!(count.load(SeqCst), 100);
            }
        }
    });
}

/// A future that wakes itself until another task has run gives way to it.
#[test]
fn futures_that_wake_themselves_do_not_keep_the_thread() {
    within(LONG, "self-waking", || {
        for spawns in [SPAWN, SPAWN_FIFO] {
            let pool = own_threads(1, true);
            let waiting = pool.install(|| {
                let flags: [Arc<AtomicBool>; 3] = Default::default();
                let flag = Arc::clone(&flags[0]);
                spawns(Box::new(move || flag.store(true, SeqCst)));
                let wait = |flag: &Arc<AtomicBool>, then: &Arc<AtomicBool>| {
                    let (flag, then) = (Arc::clone(flag), Arc::clone(then));
                    spawn_async(poll_fn(move |context| {
                        if flag.load(SeqCst) {
                            then.store(true, SeqCst);
                            return Poll::Ready(());
                        }
                        context.waker().wake_by_ref();
                        Poll::Pending
                    }))
                };
                let last = wait(&flags[1], &flags[2]);
                let first = wait(&flags[0], &flags[1]);
                [first, last]
            });
            let is_over = || waiting.iter().all(Promise::is_finished);
            assert!(wait_until(LONG / 2, is_over), "a task is starved");
        }
    });
}

fn push(numbers: &Mutex<Vec<usize>>, number: usize) {
    numbers.lock().expect("no poison").push(number);
}

#[test]
fn scopes_with_an_order_and_without() {
    within(LONG, "scopes", || {
        for newest_first in [false, true] {
            let pool = own_threads(1, newest_first);
            let numbers = Mutex::new(Vec::new());
            pool.task_scope_fifo(|s: &ScopeFifo<'_>| {
                for i in 0..10 {
                    let numbers = &numbers;
                    s.spawn_fifo(move |s| {
                        (10 * i..10 * i + 10).for_each(|j| s.spawn_fifo(move |_| push(numbers, j)));
                    });
                }
            });
            assert!(is_in_order(&numbers.into_inner().expect("no poison")));
            let numbers = Mutex::new(Vec::new());
            pool.task_scope(|s: &TaskScope<'_>| {
                for i in 0..10 {
                    let numbers = &numbers;
                    s.spawn(move |_| {
                        scope_fifo(|s| {
                            (10 * i..10 * i + 10)
                                .for_each(|j| s.spawn_fifo(move |_| push(numbers, j)));
                        });
                    });
                }
            });
            let tens = (0..10).rev().flat_map(|i| 10 * i..10 * i + 10);
            assert!(tens.eq(numbers.into_inner().expect("no poison")));
        }
    });
}

#[test]
fn fifo_scopes_in_place_and_elsewhere() {
    within(LONG, "in place", || {
        for threads in [1, 2, 4] {
            for pool in [pool(threads), own_threads(threads, true)] {
                let count = AtomicUsize::new(0);
                let here = thread::current().id();
                let same = pool.in_place_scope_fifo(|s| {
                    (0..100).for_each(|_| {
                        s.spawn_fifo(|s| {
                            s.spawn_fifo(|_| {
                                count.fetch_add(1, SeqCst);
                            });
                        });
                    });
                    thread::current().id()
                });
                assert_eq!((same, count.load(SeqCst)), (here, 100));
                let sum = pool.install(|| {
                    in_place_scope_fifo(|s| {
                        s.spawn_fifo(|_| {
                            count.fetch_add(1, SeqCst);
                        });
                        scope(|_| 5)
                    })
                });
                assert_eq!((sum, count.into_inner()), (5, 101));
            }
        }
    });
}

#[test]
fn panics_and_cancellation_of_fifo_scopes() {
    within(LONG, "panics", || {
        for threads in [1, 3] {
            let pool = own_threads(threads, false);
            let count = AtomicUsize::new(0);
            let payload = caught(|| {
                pool.task_scope_fifo(|s| {
                    s.spawn_fifo(|_| throw("the task"));
                    s.spawn_fifo(|_| {
                        count.fetch_add(1, SeqCst);
                    });
                });
            });
            assert_eq!(text(&*payload), "the task");
            let payload = caught(|| {
                pool.task_scope_fifo(|s| {
                    s.spawn_fifo(|_| {
                        count.fetch_add(1, SeqCst);
                    });
                    throw("the operation");
                });
            });
            assert_eq!(text(&*payload), "the operation");
            assert_eq!(count.load(SeqCst), 2, "all tasks are run");
            pool.task_scope_fifo(|s| {
                s.cancel();
                assert!(s.is_cancelled());
                s.spawn_fifo(|_| unreachable!("cancelled"));
                s.spawn_broadcast(|_, _| unreachable!("cancelled"));
            });
        }
    });
}

/// Ten pools of one thread, each with a scope in the one before.
#[test]
fn scopes_nested_over_ten_pools() {
    fn nested(pools: &[ThreadPool], count: &AtomicUsize) {
        let Some((first, others)) = pools.split_first() else {
            count.fetch_add(1, SeqCst);
            return;
        };
        first.task_scope_fifo(|s| {
            s.spawn_fifo(|s| {
                s.spawn_broadcast(|_, context| assert_eq!(context.num_threads(), 1));
                nested(others, count);
            });
            s.spawn_broadcast(|_, _| nested(others, count));
        });
    }
    within(LONG, "ten pools", || {
        let builders: [fn() -> ThreadPool; 2] = [|| pool(1), || own_threads(1, true)];
        for build in builders {
            let pools: Vec<_> = (0..10).map(|_| build()).collect();
            let count = AtomicUsize::new(0);
            nested(&pools, &count);
            assert_eq!(count.into_inner(), 1 << 10);
        }
    });
}

#[test]
fn pending_tasks_are_seen() {
    within(LONG, "pending", || {
        let pending = sumac::current_thread_has_pending_tasks;
        assert_eq!(thread::spawn(pending).join().expect("no panic"), None);
        for pool in [own_threads(1, false), own_threads(1, true)] {
            assert_eq!(pool.current_thread_has_pending_tasks(), None);
            pool.install(|| {
                assert_eq!(pending(), Some(false));
                let task = spawn_fifo(|| ());
                assert_eq!(pool.current_thread_has_pending_tasks(), Some(true));
                task.join();
                while sumac::yield_local() == Some(sumac::Yield::Executed) {}
                assert_eq!(pending(), Some(false));
                let ((a, b), c) = sumac::join(|| sumac::join(pending, pending), pending);
                assert_eq!((a, b, c), (Some(true), Some(true), Some(false)));
                scope(|s| {
                    s.spawn(|_| ());
                    assert_eq!(pending(), Some(true));
                });
                assert_eq!(
                    own_threads(1, true).install(|| pool.current_thread_has_pending_tasks()),
                    None
                );
            });
        }
        assert!(sumac::max_num_threads() >= 1 << 10);
    });
}

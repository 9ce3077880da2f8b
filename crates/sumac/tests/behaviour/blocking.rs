//! `blocking`: spares work in place of threads that block.

use std::{
    cell::Cell,
    collections::HashSet,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread::sleep,
    time::Duration,
};
use sumac::{
    Callers, ThreadPool, ThreadPoolBuilder, block_on, blocking, broadcast, current_num_threads,
    current_thread_index, join, prelude::*, spawn, spawn_async_in,
};
use sumac_test_support::{LONG, caught, spin, throw, wait_until, within};

/// Small pools of both kinds, with so many spares.
fn each_pool(spares: usize, f: impl Fn(&ThreadPool)) {
    for (threads, callers) in [1, 2, 3]
        .into_iter()
        .flat_map(|n| [(n, Callers::TakePart), (n, Callers::Wait)])
    {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let builder = builder.callers(callers).spares(spares);
        let pool = builder.build().expect("a pool");
        f(&pool);
        pool.wait_until_stopped();
    }
}

#[test]
fn tasks_that_block_meet() {
    within(LONG, "tasks", || {
        each_pool(8, |pool| {
            let barrier = Arc::new(Barrier::new(9));
            let tasks: Vec<_> = (0..8)
                .map(|i| {
                    let barrier = Arc::clone(&barrier);
                    pool.spawn(move || {
                        blocking(|| barrier.wait());
                        i
                    })
                })
                .collect();
            // The caller does not take part.
            barrier.wait();
            let sum: usize = tasks.into_iter().map(|task| task.join()).sum();
            assert_eq!(sum, 28);
        });
    });
}

#[test]
fn joins_and_loops_that_block_meet() {
    within(LONG, "joins", || {
        each_pool(8, |pool| {
            let barrier = Barrier::new(4);
            let wait = || {
                blocking(|| barrier.wait());
            };
            pool.install(|| join(|| join(wait, wait), || join(wait, wait)));
            pool.install(|| (0..4).into_par_iter().for_each(|_| wait()));
            pool.task_scope(|s| (0..4).for_each(|_| s.spawn(|_| wait())));
        });
    });
}

#[test]
fn futures_that_block_meet() {
    within(LONG, "futures", || {
        each_pool(4, |pool| {
            let barrier = Arc::new(Barrier::new(4));
            let futures: Vec<_> = (0..4)
                .map(|_| {
                    let barrier = Arc::clone(&barrier);
                    spawn_async_in(pool, async move { blocking(|| barrier.wait()).is_leader() })
                })
                .collect();
            let leaders = futures.into_iter().map(block_on).filter(|leads| *leads);
            assert_eq!(leaders.count(), 1);
        });
    });
}

/// The greatest number of threads that run tasks at once.
#[test]
fn at_most_so_many_spares() {
    within(LONG, "spares", || {
        each_pool(2, |pool| {
            let [now, most] = [0; 2].map(|_| Arc::new(AtomicUsize::new(0)));
            let tasks: Vec<_> = (0..12)
                .map(|_| {
                    let (now, most) = (Arc::clone(&now), Arc::clone(&most));
                    pool.spawn(move || {
                        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                        blocking(|| sleep(Duration::from_millis(5)));
                        now.fetch_sub(1, SeqCst);
                    })
                })
                .collect();
            sleep(Duration::from_millis(1));
            tasks.into_iter().for_each(|task| task.join());
            // Of the pool, the spares, and a caller beside its stand-in.
            let most = most.load(SeqCst);
            let limit = pool.current_num_threads() + 2 + 1;
            assert!((3..=limit).contains(&most), "{most} threads");
        });
    });
}

#[test]
fn indices_of_spares_follow_those_of_the_pool() {
    within(LONG, "indices", || {
        each_pool(3, |pool| {
            let barrier = Barrier::new(4);
            let indices = Mutex::new(HashSet::new());
            let note = || {
                let index = current_thread_index().expect("inside");
                indices.lock().expect("no panic").insert(index);
                blocking(|| barrier.wait());
            };
            pool.install(|| join(|| join(note, note), || join(note, note)));
            let threads = pool.current_num_threads();
            let indices = indices.into_inner().expect("no panic");
            assert!(indices.iter().any(|&index| index >= threads));
            assert!(indices.iter().all(|&index| index < threads + 3));
            assert_eq!(
                pool.broadcast(|context| context.num_threads()),
                vec![threads; threads]
            );
        });
    });
}

/// A spare is none of the threads that a broadcast calls, and stands for a caller.
#[test]
fn a_spare_broadcasts() {
    within(LONG, "a broadcast", || {
        each_pool(2, |pool| {
            let barrier = Barrier::new(2);
            let call = || {
                blocking(|| barrier.wait());
                (broadcast(|context| context.index()), current_num_threads())
            };
            let (a, b) = pool.install(|| join(call, call));
            for (indices, threads) in [a, b] {
                // A worker leaves the index of callers out.
                let all = indices.len().max(threads - 1);
                assert_eq!(indices, Vec::from_iter(0..all));
                assert_eq!(threads, pool.current_num_threads());
            }
        });
    });
}

#[test]
fn a_panic_ends_the_blocking() {
    within(LONG, "a panic", || {
        each_pool(2, |pool| {
            for _ in 0..3 {
                let panics = || blocking(|| throw(7));
                caught(|| pool.install(panics));
            }
            // As many spares as before.
            let barrier = Barrier::new(2);
            let wait = || blocking(|| barrier.wait()).is_leader();
            let (a, b) = pool.install(|| join(wait, wait));
            assert!(a != b);
        });
    });
}

#[test]
fn outside_and_inside_of_another() {
    assert_eq!(blocking(|| blocking(|| 7)), 7);
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .spares(0)
        .build()
        .expect("a pool");
    assert_eq!(
        pool.install(|| blocking(|| blocking(|| join(|| 1, || 2)))),
        (1, 2)
    );
}

/// Each spare calls both handlers, and they are dropped with the pool.
#[test]
fn spares_call_the_handlers() {
    within(LONG, "handlers", || {
        let [started, ended] = [0; 2].map(|_| Arc::new(Mutex::new(Vec::new())));
        let note = |list: &Arc<Mutex<Vec<usize>>>| {
            let list = Arc::clone(list);
            move |index| list.lock().expect("no panic").push(index)
        };
        let builder = ThreadPoolBuilder::new().num_threads(1).spares(3);
        let builder = builder
            .start_handler(note(&started))
            .exit_handler(note(&ended));
        let pool = builder.build().expect("a pool");
        let barrier = Barrier::new(4);
        pool.install(|| {
            (0..4).into_par_iter().for_each(|_| {
                blocking(|| barrier.wait());
            })
        });
        pool.wait_until_stopped();
        for list in [started, ended] {
            assert!(
                wait_until(LONG / 2, || Arc::strong_count(&list) == 1),
                "a handler lives on"
            );
            let mut list = Arc::into_inner(list)
                .expect("the only one")
                .into_inner()
                .expect("no panic");
            list.sort_unstable();
            assert_eq!(list, [0, 1, 2, 3]);
        }
    });
}

/// One half waits for the other's message, inside of something else that may block.
#[test]
fn one_inside_of_another() {
    within(LONG, "nested", || {
        each_pool(4, |pool| {
            pool.install(|| {
                blocking(|| {
                    // What the outer one has asked for is given.
                    for _ in 0..1000 {
                        join(|| (), || ());
                    }
                    message_between_halves();
                });
            });
        });
    });
}

fn message_between_halves() {
    let (send, receive) = mpsc::sync_channel(1);
    let receive = Mutex::new(receive);
    let receive = || blocking(|| receive.lock().expect("no panic").recv());
    let (received, sent) = join(receive, || send.send(7));
    assert_eq!((received, sent), (Ok(7), Ok(())));
}

/// The thread is a guest of the inner pool.
#[test]
fn in_a_pool_inside_of_another() {
    within(LONG, "two pools", || {
        each_pool(4, |outer| {
            each_pool(4, |inner| {
                outer.install(|| blocking(|| inner.install(message_between_halves)));
            });
        });
    });
}

/// A pool runs all tasks before it ends, also those that need a spare.
#[test]
fn in_a_pool_that_is_dropped() {
    within(LONG, "a pool's end", || {
        each_pool(2, |pool| {
            let builder = ThreadPoolBuilder::new().num_threads(pool.current_num_threads());
            let ending = builder.callers(Callers::Wait).build().expect("a pool");
            let (send, receive) = mpsc::channel();
            let waits = ending.spawn(move || {
                sleep(Duration::from_millis(5));
                blocking(|| receive.recv())
            });
            let sends = ending.spawn(move || send.send(7));
            ending.wait_until_stopped();
            assert_eq!((waits.join(), sends.join()), (Ok(7), Ok(())));
        });
    });
}

#[test]
fn in_a_start_handler() {
    within(LONG, "a start handler", || {
        let (send, receive) = mpsc::channel();
        let receive = Mutex::new(Some(receive));
        let start = move |_| {
            let first = receive.lock().expect("no panic").take();
            first.inspect(|first: &mpsc::Receiver<u32>| {
                assert_eq!(blocking(|| first.recv()), Ok(7))
            });
        };
        let builder = ThreadPoolBuilder::new().num_threads(1).start_handler(start);
        let pool = builder.build().expect("a pool");
        pool.install(|| send.send(7).expect("the handler waits"));
        pool.wait_until_stopped();
    });
}

/// Sends a message from a task of its own to this one.
fn message_from_a_task() {
    let (send, receive) = mpsc::channel();
    blocking(|| {
        drop(spawn(move || send.send(7)));
        assert_eq!(receive.recv(), Ok(7));
    });
}

/// Of a pool that is dropped, the other workers end, or never start.
#[test]
fn when_other_workers_have_ended() {
    within(LONG, "a pool's end", || {
        for callers in [Callers::TakePart, Callers::Wait] {
            let builder = || ThreadPoolBuilder::new().num_threads(4).callers(callers);
            for builder in [builder(), builder().start_when_needed()] {
                let pool = builder.build().expect("a pool");
                let (runs, run) = mpsc::channel();
                let task = pool.spawn(move || {
                    runs.send(()).expect("it is waited for");
                    sleep(Duration::from_millis(20));
                    message_from_a_task();
                });
                run.recv().expect("it runs");
                drop(pool);
                task.join();
            }
        }
    });
}

/// A spare stands in for the only worker, which is back and ends while the spare needs another one.
#[test]
fn when_the_thread_that_a_spare_stands_in_for_has_ended() {
    within(LONG, "a pool's end", || {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let pool = builder.callers(Callers::Wait).build().expect("a pool");
        let (send, receive) = mpsc::channel();
        let first = pool.spawn(move || blocking(|| receive.recv()));
        let second = pool.spawn(move || {
            send.send(7).expect("it is waited for");
            sleep(Duration::from_millis(20));
            message_from_a_task();
        });
        drop(pool);
        assert_eq!(first.join(), Ok(7));
        second.join();
    });
}

/// A pool of one thread has no worker: when the caller has left, the spare is its only thread.
#[test]
fn when_the_caller_has_left() {
    within(LONG, "a pool without workers", || {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let pool = builder.build().expect("a pool");
        let (runs, run) = mpsc::channel();
        let (leaves, leave) = mpsc::channel();
        let wait = move || {
            // So that the spare is idle, and runs the task.
            sleep(Duration::from_millis(20));
            let task = spawn(move || {
                runs.send(()).expect("it is waited for");
                leave.recv().expect("the caller leaves");
                message_between_halves();
            });
            run.recv().expect("it runs");
            task
        };
        let task = pool.install(|| blocking(wait));
        leaves.send(()).expect("it is waited for");
        // Not by taking part.
        block_on(task);
    });
}

/// No spare takes the place of one that ends, else it would never be the last.
#[test]
fn in_an_exit_handler() {
    within(LONG, "an exit handler", || {
        let ended = Arc::new(AtomicUsize::new(0));
        let ends = Arc::clone(&ended);
        let exit = move |_| {
            ends.fetch_add(1, SeqCst);
            blocking(|| sleep(Duration::from_millis(5)));
        };
        let builder = ThreadPoolBuilder::new().num_threads(1).exit_handler(exit);
        let pool = builder.callers(Callers::Wait).build().expect("a pool");
        pool.install(message_between_halves);
        pool.wait_until_stopped();
        assert_eq!(ended.load(SeqCst), 2);
    });
}

/// A spare that starts while its pool is being dropped calls the handlers like any other.
#[test]
fn a_late_spare_calls_the_handlers() {
    thread_local!(static STARTED: Cell<bool> = const { Cell::new(false) });
    within(LONG, "handlers", || {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let builder = builder.start_handler(|_| STARTED.set(true));
        let pool = builder.callers(Callers::Wait).build().expect("a pool");
        let (goes_on, go_on) = mpsc::channel();
        let task = pool.spawn(move || {
            go_on.recv().expect("the pool is dropped");
            let (send, receive) = mpsc::channel();
            drop(spawn(move || send.send(STARTED.get())));
            blocking(|| receive.recv())
        });
        drop(pool);
        goes_on.send(()).expect("it waits");
        assert_eq!(task.join(), Ok(true));
    });
}

/// Those that are not needed any more take no part of a loop, however they sleep meanwhile.
#[test]
fn spares_rest_when_nothing_blocks_any_more() {
    const ITEMS: usize = 500;
    let round = |pause: u64| {
        let pool = ThreadPoolBuilder::new().num_threads(2).spares(40).build();
        let pool = pool.expect("a pool");
        let nap = || blocking(|| sleep(Duration::from_millis(5)));
        pool.task_scope(|s| (0..40).for_each(|_| s.spawn(|_| nap())));
        sleep(Duration::from_millis(pause));
        let on_spares = AtomicUsize::new(0);
        pool.install(|| {
            (0..ITEMS).into_par_iter().for_each(|_| {
                if current_thread_index().is_some_and(|index| index >= 2) {
                    on_spares.fetch_add(1, SeqCst);
                }
                spin(Duration::from_micros(50));
            });
        });
        on_spares.into_inner()
    };
    for pause in [0, 20] {
        // One that is preempted just before it takes something takes it.
        let least = (0..5).map(|_| round(pause)).min();
        assert_eq!(least, Some(0), "of {ITEMS}, after {pause} ms");
    }
}

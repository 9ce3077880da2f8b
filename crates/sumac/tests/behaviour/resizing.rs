//! Pools that change: their size, and the end and new beginning of their threads.

use std::{
    collections::HashSet,
    fs,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{
    Callers, OnStall, ThreadPool, ThreadPoolBuilder, blocking, broadcast, current_num_threads,
    current_thread_index, prelude::*, scope, spawn,
};
use sumac_test_support::{
    LONG, Style, assert_usable, caught, enter, held, on_a_worker, pool, rounds, sum, text, throw,
    wait_until, waited, within,
};

/// Pools of both kinds that may have four threads, and begin with so many.
fn each_pool(threads: usize, f: impl Fn(&ThreadPool)) {
    for callers in [Callers::TakePart, Callers::Wait] {
        for when_needed in [false, true] {
            let mut builder = ThreadPoolBuilder::new().num_threads(threads).max_threads(4);
            if when_needed {
                builder = builder.start_when_needed();
            }
            f(&builder.callers(callers).build().expect("a pool"));
        }
    }
}

/// Joins, loops, tasks, scopes and broadcasts, some of which panic.
fn exercise(pool: &ThreadPool) {
    assert_usable(pool);
    let squares = pool.install(|| (0..2_000_u64).into_par_iter().map(|i| i * i).sum::<u64>());
    assert_eq!(squares, 2_664_667_000);
    let tasks: Vec<_> = (0..20_u64).map(|i| pool.spawn(move || i * i)).collect();
    let ran = AtomicUsize::new(0);
    pool.install(|| {
        scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|_| {
                    ran.fetch_add(1, SeqCst);
                });
            }
        });
    });
    assert_eq!(ran.load(SeqCst), 20);
    assert_eq!(
        tasks.into_iter().map(|task| task.join()).sum::<u64>(),
        2_470
    );
    let called = pool.broadcast(|call| (call.index(), call.num_threads()));
    assert!(called.iter().map(|call| call.0).is_sorted());
    assert!(!called.is_empty() && called.len() <= called[0].1);
    let panics = || pool.join(|| (), || throw("a half"));
    assert_eq!(text(&*caught(panics)), "a half");
    let panics = || pool.broadcast(|_| throw("a call"));
    assert_eq!(text(&*caught(panics)), "a call");
}

/// Threads of this process with this name.
pub(super) fn named(name: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").expect("the threads of this process");
    let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|found| found.trim() == name).count()
}

#[test]
fn a_pool_has_as_many_threads_as_it_is_given() {
    within(LONG, "sizes", || {
        each_pool(2, |pool| {
            for threads in [4, 1, 3, 2, 4, 4, 1, 1, 2] {
                pool.resize(threads).expect("a size that it can have");
                assert_eq!(pool.current_num_threads(), threads);
                assert_eq!(pool.install(current_num_threads), threads);
                let called = pool.broadcast(|call| call.index());
                assert!(called.into_iter().eq(0..threads));
                exercise(pool);
            }
        });
    });
}

/// Each of them works: so many tasks run at once.
#[test]
fn all_threads_of_a_larger_pool_work() {
    within(LONG, "meeting", || {
        let builder = ThreadPoolBuilder::new().num_threads(1).max_threads(2);
        let pool = builder.callers(Callers::Wait).build().expect("a pool");
        for threads in [2, 1, 2] {
            pool.resize(threads).expect("a size that it can have");
            let barrier = Arc::new(Barrier::new(threads));
            let tasks: Vec<_> = (0..threads)
                .map(|_| {
                    let barrier = Arc::clone(&barrier);
                    pool.spawn(move || {
                        barrier.wait();
                    })
                })
                .collect();
            tasks.into_iter().for_each(|task| task.join());
        }
    });
}

#[test]
fn work_goes_on_while_a_pool_changes() {
    within(LONG, "changes", || {
        for change in [resize_at_random, shut_down, both] {
            each_pool(3, |pool| {
                let over = AtomicBool::new(false);
                thread::scope(|threads| {
                    let users: Vec<_> = (0..2)
                        .map(|_| threads.spawn(|| rounds(15).for_each(|_| exercise(pool))))
                        .collect();
                    threads.spawn(|| {
                        let mut random = fastrand::Rng::new();
                        while !over.load(SeqCst) {
                            change(pool, &mut random);
                            thread::sleep(Duration::from_micros(random.u64(..500)));
                        }
                    });
                    let ended: Vec<_> = users.into_iter().map(|user| user.join()).collect();
                    over.store(true, SeqCst);
                    ended.into_iter().for_each(|user| user.expect("no panic"));
                });
                assert_usable(pool);
            });
        }
    });
}

fn resize_at_random(pool: &ThreadPool, random: &mut fastrand::Rng) {
    pool.resize(random.usize(1..=4)).expect("at most four");
}

fn shut_down(pool: &ThreadPool, _: &mut fastrand::Rng) {
    pool.shutdown();
}

fn both(pool: &ThreadPool, random: &mut fastrand::Rng) {
    if random.bool() {
        shut_down(pool, random);
    } else {
        resize_at_random(pool, random);
    }
}

#[test]
fn a_task_may_resize_its_pool() {
    within(LONG, "from inside", || {
        each_pool(3, |pool| {
            for threads in [1, 4, 2] {
                let resize = move || scope_of_current(threads);
                let pool = &pool;
                thread::scope(|threads_here| {
                    let done = threads_here.spawn(|| {
                        pool.install(|| pool.resize(threads).expect("at most four"));
                        pool.install(resize)
                    });
                    assert_eq!(done.join().expect("no panic"), threads);
                });
                exercise(pool);
            }
        });
    });
}

/// Runs some tasks; the number of threads.
fn scope_of_current(threads: usize) -> usize {
    scope(|scope| (0..8).for_each(|_| scope.spawn(|_| assert_eq!(current_num_threads(), threads))));
    current_num_threads()
}

/// The queue of a thread that ends is left to the others, and to the reserve if it is the last.
#[test]
fn tasks_of_a_thread_that_ends_are_run() {
    within(LONG, "left tasks", || {
        for callers in [Callers::TakePart, Callers::Wait] {
            let builder = ThreadPoolBuilder::new().num_threads(2).callers(callers);
            let pool = Arc::new(builder.build().expect("a pool"));
            let (send, receive) = mpsc::channel();
            let its = Arc::clone(&pool);
            drop(pool.spawn(move || {
                for i in 0..10 {
                    let send = send.clone();
                    drop(spawn(move || send.send(i)));
                }
                its.resize(1).expect("smaller");
            }));
            let mut all: Vec<i32> = receive.iter().collect();
            all.sort();
            assert!(all.into_iter().eq(0..10), "{callers:?}");
        }
    });
}

#[test]
fn threads_that_are_too_many_end_after_their_tasks() {
    within(LONG, "too many", || {
        let name = "too-many";
        let builder = ThreadPoolBuilder::new().num_threads(3);
        let pool = builder
            .thread_name(|_| name.into())
            .build()
            .expect("a pool");
        let ((first, end), (second, end_second)) = (held(&pool), held(&pool));
        let third = held(&pool);
        pool.resize(1).expect("smaller");
        assert_eq!(pool.current_num_threads(), 1);
        assert_eq!(named(name), 3, "a thread has left its task");
        drop((end, end_second, third.1));
        assert_eq!([first, second, third.0].map(|task| task.join()), [5; 3]);
        assert!(wait_until(LONG / 4, || named(name) == 1), "{}", named(name));
        assert_eq!(pool.install(|| 1), 1);
    });
}

#[test]
fn threads_that_come_later_are_like_the_first() {
    within(LONG, "handlers", || {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = |what: &'static str| {
            let seen = Arc::clone(&seen);
            move |index: usize| {
                let name = thread::current().name().map(str::to_owned);
                assert_eq!(name, Some(format!("worker-{index}")));
                seen.lock().expect("no panic").push((what, index));
            }
        };
        let builder = ThreadPoolBuilder::new().num_threads(1).max_threads(3);
        let builder = builder.thread_name(|index| format!("worker-{index}"));
        let builder = builder
            .start_handler(note("start"))
            .exit_handler(note("exit"));
        let pool = builder.build().expect("a pool");
        let count = |what| {
            let seen = seen.lock().expect("no panic");
            seen.iter().filter(|(found, _)| *found == what).count()
        };
        pool.resize(3).expect("three");
        assert_eq!(pool.broadcast(|call| call.index()), [0, 1, 2]);
        assert_eq!((count("start"), count("exit")), (3, 0));
        pool.resize(1).expect("one");
        assert!(wait_until(LONG / 4, || count("exit") == 2));
        pool.shutdown();
        assert_eq!((count("start"), count("exit")), (3, 3));
        let place = pool.install(current_thread_index);
        assert_eq!((place, count("start")), (Some(0), 4));
        pool.wait_until_stopped();
        assert_eq!(count("exit"), 4);
    });
}

#[test]
fn a_pool_says_what_it_cannot_be() {
    let error = |pool: &ThreadPool, threads| pool.resize(threads).map_err(|e| e.to_string());
    let builder = ThreadPoolBuilder::new().num_threads(2).max_threads(3);
    let three = builder.build().expect("a pool");
    let too_many = || Err("the pool was built for at most 3 threads".to_owned());
    assert_eq!(error(&three, 4), too_many());
    assert_eq!(error(&three, usize::MAX), too_many());
    assert_eq!(three.current_num_threads(), 2);
    assert_eq!(error(&three, 3), Ok(()));
    let builder = ThreadPoolBuilder::new().num_threads(2);
    let custom = builder.spawn_handler(|thread| {
        thread::spawn(|| thread.run());
        Ok(())
    });
    let custom = custom.build().expect("a pool");
    assert!(error(&custom, 1).is_err_and(|why| why.contains("spawn handler")));
    custom.shutdown();
    assert_usable(&custom);
    // The default.
    let most = thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(error(&three, 0), Ok(()));
    if std::env::var_os("SUMAC_NUM_THREADS").is_none() {
        assert_eq!(three.current_num_threads(), most.min(3));
    }
    let named = ThreadPoolBuilder::new().num_threads(1);
    let named = named.thread_name(|index| ["the only one"][index].into());
    assert!(error(&named.build().expect("a pool"), 2).is_err());
}

/// A thread of the pool may be blocked when the pool becomes smaller, and so may its spare.
#[test]
fn blocked_threads_may_be_too_many() {
    within(LONG, "blocked", || {
        each_pool(3, |pool| {
            let barrier = Arc::new(Barrier::new(5));
            let tasks: Vec<_> = (0..4)
                .map(|_| {
                    let barrier = Arc::clone(&barrier);
                    pool.spawn(move || {
                        blocking(|| barrier.wait());
                    })
                })
                .collect();
            pool.resize(1).expect("one");
            assert_eq!(pool.spawn(|| 3).join(), 3);
            pool.resize(2).expect("two");
            barrier.wait();
            tasks.into_iter().for_each(|task| task.join());
            pool.shutdown();
            assert_usable(pool);
        });
    });
}

#[test]
fn a_pool_that_stalls_may_change() {
    within(LONG, "stalls", || {
        let builder = ThreadPoolBuilder::new()
            .num_threads(2)
            .callers(Callers::Wait);
        let builder = builder.stall_handler(Duration::from_millis(4), |_| OnStall::AddThread);
        let pool = builder.build().expect("a pool");
        for threads in [1, 2] {
            pool.resize(threads).expect("at most two");
            let barrier = Arc::new(Barrier::new(3));
            let tasks: [_; 3] = std::array::from_fn(|_| {
                let barrier = Arc::clone(&barrier);
                pool.spawn(move || {
                    barrier.wait();
                })
            });
            tasks.into_iter().for_each(|task| task.join());
            pool.shutdown();
            // Its thread may be seen for a moment after its join; and other tests have some.
            assert!(wait_until(LONG / 4, || named("sumac-watch") == 0));
        }
        pool.wait_until_stopped();
    });
}

#[test]
fn a_shutdown_waits_for_all_tasks_and_threads() {
    within(LONG, "shutdown", || {
        each_pool(3, |pool| {
            let ran = Arc::new(AtomicUsize::new(0));
            for round in 1..=3 {
                for _ in 0..5 {
                    let its = Arc::clone(&ran);
                    // Each queues another one.
                    drop(pool.spawn(move || {
                        its.fetch_add(1, SeqCst);
                        drop(spawn(move || its.fetch_add(1, SeqCst)));
                    }));
                }
                pool.shutdown();
                assert_eq!(ran.load(SeqCst), round * 10);
                pool.shutdown();
                assert_eq!(pool.current_num_threads(), 3);
            }
            exercise(pool);
        });
    });
}

/// A leader without a thread may be one that is lost.
#[test]
fn a_pool_without_threads_may_become_smaller() {
    within(LONG, "smaller", || {
        each_pool(4, |pool| {
            for round in rounds(60) {
                pool.resize(4).expect("four");
                pool.broadcast(|_| ());
                pool.shutdown();
                pool.resize(1 + round % 3).expect("fewer");
                let (send, receive) = mpsc::channel();
                drop(pool.spawn(move || send.send(round)));
                assert_eq!(receive.recv_timeout(LONG / 2), Ok(round));
            }
        });
    });
}

#[test]
fn several_shut_down_at_once() {
    within(LONG, "at once", || {
        each_pool(3, |pool| {
            for _ in rounds(20) {
                let ended = AtomicUsize::new(0);
                let (task, end) = held(pool);
                thread::scope(|threads| {
                    for _ in 0..3 {
                        threads.spawn(|| {
                            pool.shutdown();
                            ended.fetch_add(1, SeqCst);
                        });
                    }
                    thread::yield_now();
                    assert_eq!(ended.load(SeqCst), 0, "it has not waited");
                    drop(end);
                });
                assert_eq!(task.join(), 5);
            }
        });
    });
}

#[test]
fn a_thread_does_not_wait_for_itself() {
    within(LONG, "itself", || {
        let expected = "a pool waits for itself";
        each_pool(2, |pool| {
            let waits = || text(&*caught(|| pool.shutdown())).to_owned();
            assert_eq!(on_a_worker(pool, waits), expected);
            let other = waited(1);
            // A thread of another pool may, but not in a task of this one.
            other.install(|| pool.shutdown());
            let called = pool.broadcast(|call| (call.index() == 0).then(waits));
            assert_eq!(called[0].as_deref(), Some(expected));
        });
    });
}

/// Broadcasts call threads that are about to end, and each answers once.
#[test]
fn no_call_is_lost() {
    within(LONG, "calls", || {
        each_pool(4, |pool| {
            let (calls, over) = (AtomicUsize::new(0), AtomicBool::new(false));
            thread::scope(|threads| {
                threads.spawn(|| {
                    while !over.load(SeqCst) {
                        pool.resize(1).expect("one");
                        pool.resize(4).expect("four");
                    }
                });
                for _ in rounds(300) {
                    let called = pool.install(|| {
                        broadcast(|call| {
                            calls.fetch_add(1, SeqCst);
                            call.index()
                        })
                    });
                    assert_eq!(calls.swap(0, SeqCst), called.len());
                    let all: HashSet<_> = called.iter().collect();
                    assert_eq!(all.len(), called.len(), "{called:?}");
                }
                over.store(true, SeqCst);
            });
        });
    });
}

/// Joins that were begun before go on, in both styles.
#[test]
fn joins_survive_a_shutdown() {
    within(LONG, "joins", || {
        let four = pool(4);
        let over = AtomicBool::new(false);
        thread::scope(|threads| {
            threads.spawn(|| {
                while !over.load(SeqCst) {
                    four.shutdown();
                }
            });
            for style in Style::ALL {
                for _ in rounds(50) {
                    assert_eq!(enter(style, &four, |cx| sum(cx, 0, 5_000)), 12_497_500);
                }
            }
            over.store(true, SeqCst);
        });
    });
}

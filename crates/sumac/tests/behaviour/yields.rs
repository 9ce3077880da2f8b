//! Yields run queued tasks, and in a pool of one thread halves of joins, on the stack of the thread
//! that yields: loops of them wait for those without a free thread.

use std::{
    iter,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};

use sumac::prelude::*;
use sumac::{ThreadPoolBuilder, Yield, broadcast, join, scope, spawn, yield_local, yield_now};
use sumac_test_support::{LONG, held, pool, wait_until, within};

const YIELDS: [fn() -> Option<Yield>; 2] = [yield_now, yield_local];

/// As a program that optimises several files does: each file's task spawns others and waits for
/// them in a loop, so all workers are in such loops.
#[test]
fn all_threads_wait_in_loops_for_tasks_they_spawned() {
    within(LONG, "loops of yields", || {
        for yields in YIELDS {
            for threads in 1..4 {
                let pool = pool(threads);
                let (send, receive) = mpsc::channel();
                for file in 0..8 {
                    let send = send.clone();
                    pool.spawn(move || {
                        let done = Arc::new(AtomicUsize::new(0));
                        for _ in 0..10 {
                            let done = Arc::clone(&done);
                            spawn(move || done.fetch_add(1, SeqCst));
                        }
                        while done.load(SeqCst) < 10 {
                            assert!(yields().is_some());
                        }
                        send.send(file)
                    });
                }
                drop(send);
                let mut files: Vec<_> = receive.iter().collect();
                files.sort_unstable();
                assert!(files.into_iter().eq(0..8));
            }
        }
    });
}

#[test]
fn a_yield_runs_a_task_on_the_callers_stack() {
    within(LONG, "own stack", || {
        for threads in [1, 2] {
            let pool = pool(threads);
            // All threads that run tasks are busy.
            let (_busy, ends): (Vec<_>, Vec<_>) = (0..threads).map(|_| held(&pool)).unzip();
            let here = pool.install(|| {
                let task = spawn(|| thread::current().id());
                assert_eq!(yield_local(), Some(Yield::Executed));
                assert!(task.is_finished());
                assert_eq!(yield_local(), Some(Yield::Idle));
                assert_eq!(yield_now(), Some(Yield::Idle));
                task.join()
            });
            assert_eq!(here, thread::current().id());
            // Another thread's task: only if any may be run.
            let theirs = pool.spawn(|| thread::current().id());
            thread::scope(|threads| {
                let other = threads.spawn(|| {
                    pool.install(|| {
                        assert_eq!(yield_local(), Some(Yield::Idle));
                        assert_eq!(pool.yield_now(), Some(Yield::Executed));
                        thread::current().id()
                    })
                });
                assert_eq!(other.join().expect("no panic"), theirs.join());
            });
            drop(ends);
        }
        thread::spawn(|| assert_eq!((yield_now(), yield_local()), (None, None)))
            .join()
            .expect("no panic");
    });
}

/// The first half of a join, and of one inside of it, waits in a loop of yields for the outer
/// second half; the first item of a loop for the last.
#[test]
fn a_yield_runs_what_the_thread_has_forked() {
    within(LONG, "halves and items", || {
        for yields in YIELDS {
            for threads in [1, 2] {
                let pool = pool(threads);
                let until = |is_set: &AtomicBool| {
                    while !is_set.load(SeqCst) {
                        assert!(yields().is_some());
                    }
                };
                for depth in 0..3 {
                    fn nested(depth: u32, waits: &(dyn Fn() + Sync)) {
                        match depth {
                            0 => waits(),
                            _ => _ = join(|| nested(depth - 1, waits), || ()),
                        }
                    }
                    let is_set = AtomicBool::new(false);
                    let first = || nested(depth, &|| until(&is_set));
                    pool.install(|| join(first, || is_set.store(true, SeqCst)));
                }
                let is_set = AtomicBool::new(false);
                pool.install(|| {
                    (0..100).into_par_iter().for_each(|item| match item {
                        0 => until(&is_set),
                        99 => is_set.store(true, SeqCst),
                        _ => {}
                    });
                });
            }
        }
    });
}

/// A loop's iterator, which one thread at a time calls, waits in yields.
#[test]
fn an_iterator_yields_for_long() {
    within(LONG, "an iterator's yields", || {
        for threads in [1, 2] {
            let mut left = 20;
            let next = || {
                (0..3000).for_each(|_| _ = yield_now());
                left -= 1;
                (left >= 0).then_some(left)
            };
            let count = || iter::from_fn(next).par_bridge().count();
            assert_eq!(pool(threads).install(count), 20);
        }
    });
}

/// A loop whose items yield nests no deeper than its thread's stack allows.
#[test]
fn items_yield() {
    within(LONG, "items that yield", || {
        for threads in [1, 2] {
            let count = || {
                let items = (0..30_000).into_par_iter();
                items
                    .map(|_| usize::from(yield_now().is_some()))
                    .sum::<usize>()
            };
            assert_eq!(pool(threads).install(count), 30_000);
        }
    });
}

/// A scope whose tasks spawn more until the loop that yields has seen enough.
#[test]
fn a_yield_comes_back_after_one_task() {
    fn again<'s>(scope: &sumac::TaskScope<'s>, enough: &'s AtomicBool, count: &'s AtomicUsize) {
        count.fetch_add(1, SeqCst);
        if !enough.load(SeqCst) {
            scope.spawn(|scope| again(scope, enough, count));
        }
    }
    within(LONG, "one task", || {
        for yields in YIELDS {
            let pool = pool(1);
            let (enough, count) = (AtomicBool::new(false), AtomicUsize::new(0));
            let (_busy, end) = held(&pool);
            pool.task_scope(|scope| {
                scope.spawn(|scope| again(scope, &enough, &count));
                for round in 1..5 {
                    assert_eq!(yields(), Some(Yield::Executed));
                    assert_eq!(count.load(SeqCst), round);
                }
                enough.store(true, SeqCst);
            });
            assert_eq!(count.into_inner(), 5);
            drop(end);
        }
    });
}

/// Another thread has taken the first task of the scope, and waits for this thread.
#[test]
fn a_yield_runs_tasks_of_its_scopes_wherever_they_are_queued() {
    within(LONG, "scopes", || {
        for yields in YIELDS {
            let two = pool(2);
            let (begun, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
            two.task_scope(|s| {
                for _ in 0..10 {
                    s.spawn(|s| {
                        if begun.fetch_add(1, SeqCst) == 0 {
                            assert!(wait_until(LONG / 4, || all.load(SeqCst) == 11), "no yield");
                        }
                        s.spawn(|_| ());
                        all.fetch_add(1, SeqCst);
                    });
                }
                assert!(wait_until(LONG, || begun.load(SeqCst) > 0));
                while all.load(SeqCst) < 9 {
                    yields();
                }
                all.fetch_add(2, SeqCst);
            });
            // And inside of a task, whose scope's owner waits for it.
            let (go, gone) = mpsc::channel::<()>();
            let count = AtomicUsize::new(0);
            two.in_place_scope(|s| {
                s.spawn(|s| {
                    (0..10).for_each(|_| {
                        s.spawn(|_| {
                            count.fetch_add(1, SeqCst);
                        });
                    });
                    while count.load(SeqCst) < 10 {
                        yields();
                    }
                    drop(go);
                });
                (0..2).for_each(|_| s.spawn(|_| ()));
                let _ = gone.recv();
            });
        }
    });
}

/// Tasks in loops of yields, on top of one another on all threads, with forks and calls from
/// outside in between.
#[test]
fn nested_loops_of_yields_end() {
    fn file(depth: usize, yields: fn() -> Option<Yield>) -> u64 {
        let (begun, done) = (Arc::<AtomicUsize>::default(), mpsc::channel());
        for part in 0..6 {
            let (begun, done) = (Arc::clone(&begun), done.0.clone());
            spawn(move || {
                begun.fetch_add(1, SeqCst);
                let sum = sumac_test_support::sum(&mut sumac_test_support::Cx::Join, 0, 100);
                let below = if depth > 0 && part % 3 == 0 {
                    join(|| file(depth - 1, yields), || file(depth - 1, yields)).0
                } else {
                    0
                };
                done.send(sum + below).expect("the file waits");
            });
        }
        while begun.load(SeqCst) < 6 {
            yields();
        }
        let mut left = 6;
        let mut sum = 0;
        while left > 0 {
            match done.1.try_recv() {
                Ok(part) => (left, sum) = (left - 1, sum + part),
                Err(_) => drop(yields()),
            }
        }
        sum
    }
    within(LONG, "nested", || {
        for yields in YIELDS {
            for threads in 1..4 {
                let own = ThreadPoolBuilder::new().num_threads(threads);
                let own = own.thread_name(|i| i.to_string()).newest_first(true);
                for pool in [pool(threads), own.build().expect("a pool")] {
                    thread::scope(|outside| {
                        for _ in 0..3 {
                            outside.spawn(|| {
                                let sums =
                                    pool.install(|| join(|| file(2, yields), || file(2, yields)));
                                assert_eq!(sums.0, sums.1);
                            });
                        }
                    });
                }
            }
        }
    });
}

/// The task that the loop waits for calls the thread that is in the loop.
#[test]
fn a_yield_answers_broadcasts() {
    within(LONG, "broadcast", || {
        for yields in YIELDS {
            let two = pool(2);
            let (begun, has_begun) = mpsc::channel();
            let done = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&done);
            let looping = two.spawn(move || {
                begun.send(()).expect("the test waits");
                while !flag.load(SeqCst) {
                    yields();
                }
            });
            has_begun.recv().expect("it begins");
            assert_eq!(two.install(|| broadcast(|_| 1)), [1; 2]);
            done.store(true, SeqCst);
            looping.join();
        }
    });
}

/// A task that runs in a yield, in the middle of a join's half, forks, and its forks are taken.
#[test]
fn tasks_in_yields_fork() {
    within(LONG, "forks", || {
        let three = pool(3);
        for _ in 0..200 {
            let sum = three.install(|| {
                let (a, b) = join(
                    || {
                        let task = spawn(|| {
                            sumac_test_support::sum(&mut sumac_test_support::Cx::Join, 0, 500)
                        });
                        while !task.is_finished() {
                            yield_now();
                        }
                        task.join()
                    },
                    || sumac_test_support::sum(&mut sumac_test_support::Cx::Join, 0, 500),
                );
                a + b
            });
            assert_eq!(sum, 2 * 124_750);
        }
    });
}

/// The scope, with what it has spawned, is queued with the worker, which waits for it. The thread
/// that yields has begun its task after the scope's operation, as its owner.
#[test]
fn a_yield_in_a_task_of_the_scopes_owner_finds_its_scope() {
    within(LONG, "the owner's task", || {
        let two = pool(2);
        let (end, ended) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        let busy = two.spawn(move || {
            begun.send(()).expect("the test waits");
            ended.recv()
        });
        has_begun.recv().expect("the worker begins");
        let (waits, done) = (&AtomicBool::new(false), &AtomicBool::new(false));
        two.install(|| {
            scope(|s| {
                s.spawn(|s| {
                    s.spawn(|_| {
                        waits.store(true, SeqCst);
                        while !done.load(SeqCst) {
                            thread::yield_now();
                        }
                    });
                    s.spawn(|_| done.store(true, SeqCst));
                    end.send(()).expect("the worker waits");
                    assert!(wait_until(LONG / 2, || waits.load(SeqCst)));
                    while !done.load(SeqCst) {
                        yield_local();
                    }
                });
            });
        });
        assert_eq!(busy.join(), Ok(()));
    });
}

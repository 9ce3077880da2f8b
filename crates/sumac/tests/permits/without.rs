//! Without any permit, all ends that would end in a pool of one thread.

use super::{Share, builder, tree};
use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{Callers, OnStall, Stall, TaskScope, ThreadPool, prelude::*};
use sumac_test_support::{LONG, wait_until, within, work};

/// Runs `test` on pools of all kinds, without a permit.
fn on_all(what: &'static str, test: fn(&ThreadPool)) {
    for threads in [1, 2, 4] {
        for callers in [Callers::TakePart, Callers::Wait] {
            for when_needed in [false, true] {
                within(LONG, what, move || {
                    let share = Share::of(0);
                    let mut builder = builder(threads, &share).callers(callers);
                    if when_needed {
                        builder = builder.start_when_needed();
                    }
                    let pool = builder.build().expect("a pool");
                    for _ in 0..3 {
                        test(&pool);
                    }
                    pool.wait_until_stopped();
                    assert_eq!(share.taken.load(SeqCst), 0);
                });
            }
        }
    }
}

#[test]
fn joins_and_loops_end() {
    on_all("joins and loops", |pool| {
        pool.install(|| tree(6, &work));
        let sum: u64 = pool.install(|| (0..1000_u64).into_par_iter().map(|i| i * i).sum());
        assert_eq!(sum, 332_833_500);
        assert_eq!(pool.scope().join(|_| 1, |_| 2), (1, 2));
    });
}

/// Its caller waits for something else.
#[test]
fn tasks_end() {
    on_all("tasks", |pool| {
        let (send, receive) = mpsc::channel();
        for i in 0..20 {
            let send = send.clone();
            drop(pool.spawn(move || {
                work();
                send.send(i)
            }));
        }
        drop(send);
        assert_eq!(receive.iter().sum::<i32>(), 190);
        let tasks: Vec<_> = (0..20).map(|i| pool.spawn(move || i)).collect();
        let sum: i32 = tasks.into_iter().map(|task| task.join()).sum();
        assert_eq!(sum, 190);
    });
}

#[test]
fn scopes_end() {
    on_all("scopes", |pool| {
        fn spawns<'s>(scope: &TaskScope<'s>, count: &'s AtomicUsize) {
            for _ in 0..10 {
                scope.spawn(|scope| {
                    scope.spawn(|_| work());
                    count.fetch_add(2, SeqCst);
                });
            }
        }
        let count = AtomicUsize::new(0);
        pool.install(|| sumac::scope(|scope| spawns(scope, &count)));
        pool.in_place_scope(|scope| spawns(scope, &count));
        assert_eq!(count.load(SeqCst), 40);
    });
}

/// All threads answer a broadcast, at the same time.
#[test]
fn broadcasts_end() {
    on_all("broadcasts", |pool| {
        let workers = pool.broadcast(|_| ()).len();
        let all = Barrier::new(workers);
        pool.broadcast(|_| all.wait());
        let (send, receive) = mpsc::channel();
        pool.spawn_broadcast(move |_| send.send(()).expect("it is received"));
        assert_eq!(receive.iter().count(), workers);
    });
}

#[test]
fn futures_end() {
    on_all("futures", |pool| {
        let (send, receive) = flume::bounded(1);
        let consumer = sumac::spawn_async_in(pool, async move {
            let mut sum = 0;
            while let Ok(i) = receive.recv_async().await {
                sum += i;
            }
            sum
        });
        drop(sumac::spawn_async_in(pool, async move {
            for i in 0..20 {
                send.send_async(i).await.expect("it is received");
            }
        }));
        assert_eq!(sumac::block_on(consumer), 190);
    });
}

/// A thread that is blocked has a spare.
#[test]
fn what_blocked_tasks_wait_for_ends() {
    on_all("blocked tasks", |pool| {
        let (send, receive) = mpsc::channel();
        let first = pool.spawn(move || sumac::blocking(|| receive.recv()));
        let (begun, has_begun) = mpsc::channel();
        drop(pool.spawn(move || begun.send(send.send(7))));
        assert_eq!(has_begun.recv(), Ok(Ok(())));
        assert_eq!(first.join(), Ok(7));
    });
}

/// A caller that seems to take part is blocked.
#[test]
fn what_a_caller_inside_waits_for_ends() {
    within(LONG, "a caller inside", || {
        let share = Share::of(0);
        let pool = builder(3, &share).build().expect("a pool");
        for _ in 0..3 {
            let (send, receive) = mpsc::channel();
            pool.install(move || {
                drop(sumac::spawn(move || send.send(())));
                receive.recv().expect("it is run");
            });
        }
    });
}

/// Or it goes on until a task has been run, and answers whenever it is asked for work.
#[test]
fn what_a_loop_waits_for_ends() {
    within(LONG, "a loop", || {
        let share = Share::of(0);
        let pool = builder(3, &share).build().expect("a pool");
        let ends = Arc::new(AtomicBool::new(false));
        pool.install(|| {
            let end = Arc::clone(&ends);
            drop(sumac::spawn(move || end.store(true, SeqCst)));
            (0..usize::MAX).into_par_iter().find_any(|_| {
                work();
                ends.load(SeqCst)
            })
        });
        ends.store(false, SeqCst);
        let end = Arc::clone(&ends);
        drop(pool.spawn(move || end.store(true, SeqCst)));
        while !ends.load(SeqCst) {
            pool.install(|| tree(3, &work));
        }
    });
}

/// What is queued when a pool is dropped is run.
#[test]
fn tasks_of_a_dropped_pool_end() {
    within(LONG, "tasks of a dropped pool", || {
        for callers in [Callers::TakePart, Callers::Wait] {
            for _ in 0..50 {
                let share = Share::of(0);
                let pool = builder(4, &share).callers(callers).build();
                let pool = pool.expect("a pool");
                let (send, receive) = mpsc::channel();
                for _ in 0..20 {
                    let send = send.clone();
                    drop(pool.spawn(move || {
                        work();
                        send.send(())
                    }));
                }
                drop((pool, send));
                assert_eq!(receive.iter().count(), 20);
            }
        }
    });
}

/// A worker that is off does not hide that tasks wait.
#[test]
fn tasks_of_a_smaller_pool_end() {
    within(LONG, "tasks of a smaller pool", || {
        for callers in [Callers::TakePart, Callers::Wait] {
            for _ in 0..10 {
                let pool = builder(2, &Share::of(0)).callers(callers).build();
                let pool = pool.expect("a pool");
                let (send, receive) = mpsc::channel();
                for _ in 0..3 {
                    let send = send.clone();
                    drop(pool.spawn(move || send.send(())));
                }
                pool.resize(1).expect("one thread");
                drop(send);
                assert_eq!(receive.iter().count(), 3);
            }
        }
    });
}

/// Its workers stay, and use a permit that comes free later.
#[test]
fn a_dropped_pool_takes_permits() {
    within(LONG, "a dropped pool", || {
        let share = Share::of(0);
        let pool = builder(4, &share).callers(Callers::Wait).build();
        let pool = pool.expect("a pool");
        let (_, end) = sumac_test_support::held(&pool);
        let both = Arc::new(Barrier::new(2));
        for _ in 0..2 {
            let both = Arc::clone(&both);
            drop(pool.spawn(move || both.wait()));
        }
        let ended = thread::spawn(|| pool.wait_until_stopped());
        thread::sleep(Duration::from_millis(20));
        share.all.store(1, SeqCst);
        end.send(()).expect("it waits");
        ended.join().expect("no panic");
        assert!(share.taken.load(SeqCst) > 0);
        assert_eq!(share.held(), 0);
    });
}

/// Its workers, which look for a permit, do not hide that a task waits.
#[test]
fn a_stall_of_a_dropped_pool_ends() {
    within(LONG, "a stall", || {
        let share = Share::of(0);
        let builder = builder(4, &share).callers(Callers::Wait);
        let after = Duration::from_millis(300);
        let builder = builder.stall_handler(after, |_: &Stall| OnStall::AddThread);
        let pool = builder.build().expect("a pool");
        let (send, receive) = mpsc::channel();
        let (begun, has_begun) = mpsc::channel();
        drop(pool.spawn(move || (begun.send(()), receive.recv())));
        has_begun.recv().expect("it runs");
        drop(pool.spawn(move || send.send(())));
        pool.wait_until_stopped();
    });
}

#[test]
fn nested_pools_end() {
    on_all("nested pools", |pool| {
        let share = Share::of(0);
        for callers in [Callers::TakePart, Callers::Wait] {
            let inner = builder(3, &share).callers(callers).build();
            let inner = inner.expect("a pool");
            let there_and_back = || {
                inner.install(|| {
                    tree(3, &work);
                    pool.install(|| tree(3, &work));
                    pool.spawn(|| 1).join() + inner.spawn(|| 1).join()
                })
            };
            assert_eq!(pool.install(there_and_back), 2);
            // From several threads at the same time.
            thread::scope(|threads| {
                for _ in 0..3 {
                    threads.spawn(|| pool.install(|| inner.install(|| pool.install(work))));
                    threads.spawn(|| inner.install(|| pool.install(|| inner.install(work))));
                }
            });
        }
    });
}

/// A pool of three threads whose callers wait, and a task that occupies its own permit until it is
/// told to end.
fn occupied(share: &Arc<Share>) -> (Arc<ThreadPool>, mpsc::Sender<()>) {
    let pool = builder(3, share).callers(Callers::Wait).build();
    let pool = pool.expect("a pool");
    let (_, end) = sumac_test_support::held(&pool);
    (Arc::new(pool), end)
}

/// A call works on its caller's right to work.
#[test]
fn a_call_needs_no_permit() {
    within(LONG, "a call", || {
        let share = Share::of(0);
        let (pool, end) = occupied(&share);
        pool.install(|| end.send(()).expect("it waits"));
    });
}

/// So does a task for which a thread of another pool sleeps.
#[test]
fn what_another_pool_waits_for_needs_no_permit() {
    within(LONG, "a task of another pool", || {
        let share = Share::of(0);
        let (pool, end) = occupied(&share);
        let other = builder(3, &share).callers(Callers::Wait).build();
        let other = other.expect("a pool");
        let sums = || {
            let task = pool.spawn(|| 1);
            let mut from_scope = 0;
            let scoped = &mut from_scope;
            pool.in_place_scope(|scope| scope.spawn(|_| *scoped = 2));
            task.join() + from_scope
        };
        assert_eq!(other.install(sums), 3);
        end.send(()).expect("it waits");
    });
}

/// Or a thread outside of all pools.
#[test]
fn what_a_thread_outside_waits_for_needs_no_permit() {
    within(LONG, "a thread outside", || {
        let share = Share::of(0);
        let (pool, end) = occupied(&share);
        assert_eq!(pool.spawn(|| 1).join(), 1);
        let mut from_scope = 0;
        pool.in_place_scope(|scope| scope.spawn(|_| from_scope = 2));
        assert_eq!(from_scope, 2);
        // It has a step for each message, and begins some while we sleep.
        let (send, receive) = flume::bounded(0);
        let sum = sumac::spawn_async_in(&pool, async move {
            let mut sum = 0;
            while let Ok(i) = receive.recv_async().await {
                work();
                sum += i;
            }
            sum
        });
        let sender =
            thread::spawn(move || (0..20).for_each(|i| send.send(i).expect("it is taken")));
        assert_eq!(sum.join(), 190);
        sender.join().expect("no panic");
        end.send(()).expect("it waits");
    });
}

/// But detached tasks do: there is one at a time.
#[test]
fn other_tasks_wait_for_the_one_permit() {
    within(LONG, "detached tasks", || {
        let share = Share::of(0);
        let (pool, end) = occupied(&share);
        let (send, receive) = mpsc::channel();
        drop(pool.spawn(move || send.send(())));
        // A call that runs has found the task before it.
        (0..20).for_each(|_| pool.install(work));
        assert!(receive.try_recv().is_err(), "two tasks at once");
        end.send(()).expect("it waits");
        receive.recv().expect("its turn has come");
    });
}

/// Each call ends when the next one has begun, until a detached task ends them.
#[test]
fn a_task_beside_calls_ends() {
    within(LONG, "a task beside calls", || {
        let share = Share::of(0);
        let pool = builder(4, &share).callers(Callers::Wait).build();
        let pool = pool.expect("a pool");
        let ended = Arc::new(AtomicBool::new(false));
        let begun = AtomicUsize::new(0);
        let call = || {
            let this = begun.fetch_add(1, SeqCst) + 1;
            let is_next_there = || begun.load(SeqCst) > this || ended.load(SeqCst);
            assert!(wait_until(LONG, is_next_there));
        };
        thread::scope(|threads| {
            for _ in 0..5 {
                threads.spawn(|| {
                    while !ended.load(SeqCst) {
                        pool.install(call);
                    }
                });
            }
            assert!(wait_until(LONG, || begun.load(SeqCst) > 20));
            let end = Arc::clone(&ended);
            drop(pool.spawn(move || end.store(true, SeqCst)));
        });
    });
}

/// A worker with the pool's own permit, and one on a waiter's right, sleep in a circle of calls
/// between pools. A third one takes what that waiter waits for, too.
#[test]
fn a_circle_of_calls_ends() {
    within(LONG, "a circle of calls", || {
        let share = Share::of(0);
        let pool = |threads| {
            let pool = builder(threads, &share).callers(Callers::Wait).build();
            Arc::new(pool.expect("a pool"))
        };
        let (first, second, third) = (pool(1), pool(3), pool(1));
        let (end, ends) = mpsc::channel();
        let all = Arc::new(Barrier::new(3));
        let spawn = |pool: &ThreadPool, calls: fn(&[Arc<ThreadPool>; 3])| {
            let pools = [&first, &second, &third].map(Arc::clone);
            let (all, end) = (Arc::clone(&all), end.clone());
            drop(pool.spawn(move || {
                all.wait();
                calls(&pools);
                end.send(())
            }));
        };
        spawn(&second, |[_, _, third]| third.install(work));
        spawn(&third, |[first, ..]| first.install(work));
        spawn(&first, |[_, second, third]| {
            second.in_place_scope(|scope| {
                scope.spawn(|_| third.install(work));
                scope.spawn(|_| work());
            });
        });
        assert_eq!(ends.iter().take(3).count(), 3);
    });
}

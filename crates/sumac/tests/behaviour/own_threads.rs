//! Pools that were asked for certain threads: all of their work is done on such threads, wherever
//! calls come from. And who has which index, and how many tasks run at once, in all pools.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread::{self, ThreadId},
};

use sumac::{
    Loops, ThreadPool, ThreadPoolBuilder, broadcast, current_num_threads, current_thread_index,
    join, prelude::*, scope, spawn, spawn_async,
};
use sumac_test_support::{
    LONG, caught, child, child_argument, eat, pool, rounds, run_well, text, throw, wait_until,
    within,
};

/// Stacks of this size do for a recursion that needs more than a thread of a test has.
const STACK: usize = 64 << 20;

fn deep() -> ThreadId {
    assert_eq!(eat(8_000), 8_000);
    thread::current().id()
}

fn deep_pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.stack_size(STACK).build().expect("a pool")
}

#[test]
fn all_work_of_a_pool_has_the_stack_it_asked_for() {
    within(LONG, "deep", || {
        for threads in [1, 2, 3] {
            let pool = deep_pool(threads);
            assert_eq!(pool.current_num_threads(), threads);
            let here = thread::current().id();
            assert_ne!(pool.install(deep), here);
            let (a, b) = pool.join(deep, deep);
            assert!(a != here && b != here);
            pool.for_each(0..3_usize, |_| assert_ne!(deep(), here));
            pool.task_scope(|s| s.spawn(|_| assert_ne!(deep(), here)));
            pool.in_place_scope(|s| {
                assert_eq!(thread::current().id(), here);
                (0..4).for_each(|_| s.spawn(|_| assert_ne!(deep(), here)));
            });
            assert_ne!(pool.spawn(deep).join(), here);
            let called = pool.broadcast(|context| (context.index(), deep()));
            assert!(called.iter().map(|c| c.0).eq(0..threads));
            assert!(called.iter().all(|c| c.1 != here));
            // On its own threads nothing is handed over.
            let nested = pool.install(|| (deep(), pool.install(deep)));
            assert_eq!(nested.0, nested.1);
        }
    });
}

#[test]
fn plain_work_belongs_to_the_threads_of_the_global_pool() {
    const NAME: &str = "own_threads::plain_work_belongs_to_the_threads_of_the_global_pool";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    within(LONG, "global", || {
        let builder = ThreadPoolBuilder::new().num_threads(2).stack_size(STACK);
        builder.build_global().expect("the first use");
        let here = thread::current().id();
        for _ in 0..3 {
            let (a, (b, c)) = join(deep, || join(deep, deep));
            assert!(![a, b, c].contains(&here));
            (0..4)
                .into_par_iter()
                .for_each(|_| assert_ne!(deep(), here));
            let mut v: Vec<u32> = (0..10_000).rev().collect();
            v.par_sort_by(|a, b| {
                assert_ne!(thread::current().id(), here);
                a.cmp(b)
            });
            scope(|s| s.spawn(|_| assert_ne!(deep(), here)));
            assert_ne!(spawn(deep).join(), here);
            assert_ne!(spawn_async(async { deep() }).join(), here);
            assert!(broadcast(|_| deep()).iter().all(|id| *id != here));
            assert_eq!(current_thread_index(), None);
            let payload = caught(|| join(|| throw::<&str>("handed over"), || ()));
            assert_eq!(text(&*payload), "handed over");
        }
    });
}

#[test]
fn handlers_run_on_each_thread_that_works() {
    within(LONG, "handlers", || {
        thread_local!(static STARTED: AtomicBool = const { AtomicBool::new(false) });
        let started = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&started);
        let four = ThreadPoolBuilder::new()
            .num_threads(4)
            .start_handler(move |_| {
                STARTED.with(|started| started.store(true, SeqCst));
                count.fetch_add(1, SeqCst);
            })
            .build()
            .expect("a pool");
        four.for_each(0..10_000_usize, |_| {
            assert!(STARTED.with(|started| started.load(SeqCst)));
        });
        assert!(wait_until(LONG / 2, || started.load(SeqCst) == 4));
    });
}

#[test]
fn panics_and_results_come_back_to_whoever_handed_over() {
    within(LONG, "panics", || {
        let (two, other) = (deep_pool(2), pool(2));
        let payload = caught(|| two.install(|| throw::<&str>("over there")));
        assert_eq!(text(&*payload), "over there");
        assert_eq!(
            other.install(|| two.install(|| String::from("back"))),
            "back"
        );
        assert_eq!(two.install(|| other.install(|| two.install(|| 7))), 7);
        two.wait_until_stopped();
    });
}

/// A worker that waits for another pool runs what that hands over to its own.
#[test]
fn pools_hand_over_to_each_other_in_circles() {
    within(LONG, "circles", || {
        for threads in [1, 2] {
            let (a, b) = (deep_pool(threads), deep_pool(threads));
            for _ in 0..10 {
                let (a, b) = (&a, &b);
                assert_eq!(a.install(|| b.install(|| a.install(|| 7))), 7);
                let twice = || a.install(|| b.install(|| a.install(|| b.install(deep))));
                assert_ne!(twice(), thread::current().id());
                // Several at once: a worker runs only what is a part of what it waits for.
                a.task_scope(|s| {
                    for _ in 0..4 {
                        s.spawn(|_| b.task_scope(|s| s.spawn(|_| a.join(|| (), || ()).0)));
                    }
                });
            }
            let (a, b) = (Arc::new(a), Arc::new(b));
            for _ in 0..10 {
                let (a, b, other) = (Arc::clone(&a), Arc::clone(&b), Arc::clone(&a));
                let inner = move || b.spawn(move || other.spawn(|| 7).join()).join();
                assert_eq!(a.spawn(inner).join(), 7);
            }
        }
    });
}

#[test]
fn a_worker_that_waits_for_another_pool_answers_what_that_broadcasts() {
    within(LONG, "answers", || {
        let (two, other) = (pool(2), deep_pool(1));
        let (two, send) = (&two, mpsc::channel());
        two.in_place_scope(|s| {
            s.spawn(|_| {
                let called = other.install(|| two.broadcast(|context| context.index()));
                send.0.send(called).expect("the test waits");
            });
            assert_eq!(send.1.recv().expect("an answer"), [0, 1]);
        });
    });
}

/// A worker may wait as a guest of a pool in between.
#[test]
fn what_is_handed_back_through_another_pool_is_run() {
    within(LONG, "through another", || {
        for _ in 0..5 {
            let (a, b, between, plain) = (deep_pool(1), deep_pool(1), pool(2), pool(2));
            let (two, begun) = (&plain, &AtomicBool::new(false));
            let taken = |half: &(dyn Fn() -> usize + Sync)| {
                begun.store(false, SeqCst);
                let begin = || {
                    begun.store(true, SeqCst);
                    half()
                };
                let wait = || assert!(wait_until(LONG / 2, || begun.load(SeqCst)));
                between.join(wait, begin).1
            };
            assert_eq!(a.install(|| taken(&|| a.install(|| 7))), 7);
            let through = || between.install(|| b.install(|| a.install(|| 7)));
            assert_eq!(a.install(through), 7);
            let send = mpsc::channel();
            two.in_place_scope(|s| {
                s.spawn(|_| {
                    let count = taken(&|| two.broadcast(|_| ()).len());
                    send.0.send(count).expect("the test waits");
                });
                assert_eq!(send.1.recv().expect("an answer"), 2);
            });
        }
    });
}

/// Says so if two threads have one index at the same time.
struct Indices(Vec<AtomicBool>);

impl Indices {
    fn new(threads: usize) -> Self {
        Indices((0..threads).map(|_| AtomicBool::new(false)).collect())
    }

    fn take(&self) {
        let index = current_thread_index().expect("a thread that takes part has an index");
        assert!(!self.0[index].swap(true, SeqCst), "index {index} twice");
        sumac_test_support::spin(std::time::Duration::from_micros(2));
        assert_eq!(current_thread_index(), Some(index));
        self.0[index].store(false, SeqCst);
    }
}

fn tree(indices: &Indices, depth: u32) {
    if depth == 0 {
        return indices.take();
    }
    join(|| tree(indices, depth - 1), || tree(indices, depth - 1));
}

#[test]
fn whoever_takes_part_has_an_index_of_its_own() {
    const ITEMS: u32 = 2_000;
    within(LONG, "indices", || {
        assert_eq!(current_thread_index(), None);
        // Else of one thread, and tasks run beside their caller.
        let builder = ThreadPoolBuilder::new().num_threads(3);
        let _ = builder.build_global();
        let indices = Indices::new(current_num_threads());
        for _ in rounds(10) {
            (0..ITEMS).into_par_iter().for_each(|_| indices.take());
            tree(&indices, 10);
            // Of one, if another test made it first on one processor.
            if current_num_threads() > 1 {
                scope(|s| (0..100).for_each(|_| s.spawn(|_| indices.take())));
            }
        }
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            let indices = Indices::new(threads);
            pool.for_each(0..ITEMS as usize, |_| indices.take());
            pool.install(|| tree(&indices, 9));
            // In a pool of one, tasks run beside their caller.
            if threads > 1 {
                pool.task_scope(|s| (0..100).for_each(|_| s.spawn(|_| indices.take())));
            }
        }
    });
}

#[test]
fn indices_of_own_threads_are_unique_for_many_callers() {
    within(LONG, "many callers", || {
        let three = deep_pool(3);
        let indices = Indices::new(3);
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for _ in 0..20 {
                        three.for_each(0..50_usize, |_| indices.take());
                        three.install(|| tree(&indices, 4));
                        three.task_scope(|s| (0..10).for_each(|_| s.spawn(|_| indices.take())));
                    }
                });
            }
        });
    });
}

/// Tasks that wait for one another: all of them have to run at once.
#[test]
fn as_many_tasks_run_at_once_as_the_pool_has_threads() {
    within(LONG, "at once", || {
        for threads in 1..5 {
            for pool in [pool(threads), deep_pool(threads)] {
                for _ in 0..20 {
                    let (send, receive) = mpsc::channel();
                    let all = Arc::new(Barrier::new(threads));
                    for _ in 0..threads {
                        let (send, all) = (send.clone(), Arc::clone(&all));
                        pool.spawn(move || {
                            all.wait();
                            let index = current_thread_index().expect("it works in a pool");
                            assert!(index < threads);
                            send.send(index)
                        });
                    }
                    drop(send);
                    let mut indices: Vec<_> = receive.iter().collect();
                    indices.sort_unstable();
                    assert!(indices.into_iter().eq(0..threads));
                }
            }
        }
    });
}

/// The last idle worker takes a job, and a task is queued that the job waits for.
#[test]
fn tasks_run_at_once_with_jobs_too() {
    within(LONG, "with jobs", || {
        for _ in 0..10 {
            let pool = pool(3);
            let (send, done) = mpsc::channel();
            let all = Arc::new(Barrier::new(3));
            pool.spawn(move || {
                // So long that the other worker is dormant, and its demand is met by the join.
                thread::sleep(std::time::Duration::from_millis(20));
                let first = || {
                    let all = Arc::clone(&all);
                    drop(spawn(move || all.wait()));
                };
                join(|| (first(), all.wait()), || all.wait());
                send.send(())
            });
            done.recv().expect("the task has not been dropped");
        }
    });
}

/// What needs a large stack would run on that of its caller.
#[test]
fn a_stack_that_the_system_refuses_is_an_error() {
    let absurd = if cfg!(target_pointer_width = "32") {
        usize::MAX / 4 * 3
    } else {
        usize::MAX / 4
    };
    for threads in [1, 3] {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let error = builder.stack_size(absurd).build().expect_err("no threads");
        let said = error.to_string();
        let why = format!("no thread with a stack of {absurd} bytes starts: ");
        assert!(said.starts_with(&why) && said.len() > why.len(), "{said}");
    }
}

//! A part of what a thread waits for blocks until a queued task has run, and no other thread runs
//! that.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use sumac::{Callers, Promise, ThreadPool, ThreadPoolBuilder, join, scope, spawn};
use sumac_test_support::{LONG, alone, held, within};

/// The number of threads, and what they do; the calling thread runs no task.
type Case = (usize, fn(&ThreadPool));

static CASES: [Case; 3] = [
    (2, |pool| {
        let (tell, told) = mpsc::channel();
        let (task, begun) = spawn_half(pool, told);
        begun.recv().expect("the half begins");
        drop(pool.spawn(move || tell.send(())));
        ended(&task);
    }),
    (2, |pool| {
        let (tell, told) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let task = pool.spawn(move || {
            scope(move |s| {
                s.spawn(move |_| {
                    begin.send(()).expect("the scope waits");
                    told.recv().expect("the task runs");
                });
                begun.recv().expect("another thread begins");
                drop(spawn(move || tell.send(())));
            });
        });
        ended(&task);
    }),
    (3, |pool| {
        let (tell, told) = mpsc::channel();
        let (task, begun) = spawn_half(pool, told);
        begun.recv().expect("the half begins");
        let (held, end) = held(pool);
        drop(pool.spawn(move || {
            drop(end);
            tell.send(())
        }));
        ended(&held);
        ended(&task);
    }),
];

/// Calls for all threads come meanwhile.
const CALLED: Case = (2, |pool| {
    let (tell, told) = mpsc::channel();
    let (task, begun) = spawn_half(pool, told);
    begun.recv().expect("the half begins");
    drop(pool.spawn(move || tell.send(())));
    while !task.is_finished() {
        pool.spawn_broadcast(|_| ());
        thread::sleep(Duration::from_millis(500));
    }
});

/// The half waits for one task after the other.
const MANY: Case = (2, |pool| {
    let (tell, told) = mpsc::channel();
    let (task, begun) = spawn_half(pool, told);
    begun.recv().expect("the half begins");
    const TASKS: usize = 40;
    let (ran, has_run) = mpsc::channel();
    for _ in 0..TASKS {
        let ran = ran.clone();
        drop(pool.spawn(move || ran.send(())));
        has_run.recv_timeout(LONG).expect("it runs");
    }
    drop(tell);
    ended(&task);
});

fn ended<T>(task: &Promise<T>) {
    let start = Instant::now();
    while !task.is_finished() {
        assert!(start.elapsed() < LONG, "it hangs");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Spawns a task that waits for a half of a join, which waits on another thread until it is told.
fn spawn_half(pool: &ThreadPool, told: mpsc::Receiver<()>) -> (Promise<()>, mpsc::Receiver<()>) {
    let (begin, has_begun) = mpsc::channel();
    let task = pool.spawn(move || {
        let begun = &AtomicBool::new(false);
        let joins = || {
            while !begun.load(SeqCst) {
                join(|| (), || ());
            }
        };
        let half = move || {
            begun.store(true, SeqCst);
            begin.send(()).expect("the test waits");
            told.recv().ok();
        };
        join(joins, half);
    });
    (task, has_begun)
}

fn all_end(what: &'static str, cases: &'static [Case], pool: fn() -> ThreadPoolBuilder) {
    let _alone = alone();
    within(2 * LONG, what, move || {
        thread::scope(|threads| {
            for &(count, case) in cases {
                threads.spawn(move || {
                    let pool = pool().num_threads(count).build().expect("a pool");
                    case(&pool);
                    pool.wait_until_stopped();
                });
            }
        });
    });
}

#[test]
fn a_spare_runs_the_task() {
    // The reserve takes no half of a join.
    all_end("callers take part", &CASES[1..], ThreadPoolBuilder::new);
    all_end("callers wait", &CASES, || {
        ThreadPoolBuilder::new().callers(Callers::Wait)
    });
}

#[test]
fn the_thread_runs_the_task() {
    let no_spares = || ThreadPoolBuilder::new().callers(Callers::Wait).spares(0);
    all_end("no spares", &CASES, no_spares);
    all_end("calls, and many tasks", &[CALLED, MANY], no_spares);
}

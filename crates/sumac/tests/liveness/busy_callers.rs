//! Queued tasks are run in the end, although all workers are blocked or busy for ever, and whatever
//! callers do meanwhile that does not run them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{ThreadPool, ThreadPoolBuilder, for_each, join, scope, spawn, spawn_async};
use sumac_test_support::{LONG, alone, child, child_argument, held, pool, run_well, spin, within};

/// What a caller repeats until the tasks have run.
type Busy = fn();
const BUSY: [(&str, Busy); 4] = [
    ("joins", || {
        join(short, short);
    }),
    ("loops", || for_each(0..10, |_| short())),
    ("scopes", || scope(|s| s.spawn(|_| short()))),
    ("futures", || spawn_async(async { short() }).join()),
];

fn short() {
    spin(Duration::from_micros(5));
}

const TASKS: usize = 30;

/// Queues tasks in a pool of one or two threads, whose worker, if it has one, is blocked until the
/// second result is dropped. The first counts those that have run.
fn queue_behind_blocked(pool: &ThreadPool) -> (Arc<AtomicUsize>, Option<mpsc::Sender<()>>) {
    let end = (pool.current_num_threads() == 2).then(|| held(pool).1);
    let ran = Arc::new(AtomicUsize::new(0));
    for _ in 0..TASKS {
        let ran = Arc::clone(&ran);
        drop(pool.spawn(move || ran.fetch_add(1, SeqCst)));
    }
    (ran, end)
}

/// Repeats `busy` until the tasks have run.
fn repeat((ran, _end): (Arc<AtomicUsize>, Option<mpsc::Sender<()>>), busy: impl Fn()) {
    while ran.load(SeqCst) < TASKS {
        busy();
    }
}

/// Outside of all calls into the pool.
#[test]
fn tasks_are_run_beside_callers_at_their_base() {
    let _alone = alone();
    const NAME: &str = "busy_callers::tasks_are_run_beside_callers_at_their_base";
    let Some(case) = child_argument(NAME) else {
        for threads in [1, 2] {
            for (name, _) in BUSY {
                run_well(child(NAME, &format!("{threads} {name}")), LONG);
            }
        }
        return;
    };
    let (threads, name) = case.split_once(' ').expect("threads and a name");
    let threads = threads.parse().expect("a number");
    let build = ThreadPoolBuilder::new().num_threads(threads);
    build
        .build_global()
        .expect("the first use of the global pool");
    let found = BUSY.iter().find(|(known, _)| *known == name);
    let (_, busy) = found.expect("a case");
    repeat(queue_behind_blocked(ThreadPool::global()), busy);
}

/// Of a pool of one.
#[test]
fn tasks_are_run_beside_callers_inside() {
    let _alone = alone();
    for (name, busy) in BUSY {
        within(LONG, name, move || {
            let pool = pool(1);
            pool.install(|| repeat(queue_behind_blocked(&pool), busy));
        });
    }
    within(LONG, "a blocked caller", || {
        pool(1).install(|| {
            let (tell, told) = mpsc::channel();
            drop(spawn(move || tell.send(())));
            told.recv().expect("the task runs");
        });
    });
}

#[test]
fn tasks_are_run_beside_callers_that_come_and_go() {
    let _alone = alone();
    for threads in [1, 2] {
        within(LONG, "short installs", move || {
            let pool = pool(threads);
            let install = || pool.install(short);
            repeat(queue_behind_blocked(&pool), install);
            let callers = || thread::scope(|s| (0..3).for_each(|_| _ = s.spawn(install)));
            repeat(queue_behind_blocked(&pool), callers);
        });
    }
}

/// Waits until the flag is set.
type Wait = fn(&AtomicBool);

/// In a program's own way.
fn wait_for(flag: &AtomicBool) {
    while !flag.load(SeqCst) {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Queues a task that sets the flag.
fn spawn_set(flag: &Arc<AtomicBool>) {
    let flag = Arc::clone(flag);
    drop(spawn(move || flag.store(true, SeqCst)));
}

/// The one worker takes a half that runs joins for ever, and its caller runs the other one.
#[test]
fn tasks_are_run_beside_threads_that_only_join() {
    let _alone = alone();
    within(LONG, "joins on all threads", || {
        let pool = pool(2);
        pool.install(|| {
            let (held, end) = held(&pool);
            let is_set = Arc::default();
            spawn_set(&is_set);
            let joins = || {
                while !is_set.load(SeqCst) {
                    join(short, short);
                }
            };
            drop(end);
            join(joins, joins);
            held.join();
        });
    });
}

#[test]
fn tasks_are_run_beside_a_caller_in_another_pool() {
    let _alone = alone();
    within(LONG, "two pools", || {
        let (near, far) = (pool(2), pool(2));
        near.install(|| {
            let (held, end) = held(&near);
            let is_set = Arc::default();
            spawn_set(&is_set);
            far.install(|| wait_for(&is_set));
            drop(end);
            held.join();
        });
    });
}

/// The owner runs the newest task first, which waits for an older one.
#[test]
fn a_task_of_a_scope_is_run_beside_its_owner() {
    let _alone = alone();
    within(LONG, "a scope", || {
        let pool = pool(2);
        let (held, end) = held(&pool);
        let is_set = AtomicBool::new(false);
        pool.in_place_scope(|s| {
            s.spawn(|_| is_set.store(true, SeqCst));
            s.spawn(|_| wait_for(&is_set));
        });
        drop(end);
        held.join();
    });
}

/// The reserve runs a task, and stands for the threads from outside.
#[test]
fn a_broadcast_reaches_a_task_that_waits() {
    let _alone = alone();
    let waits: [(&str, Wait); 3] = [
        ("yields", |is_set| {
            while !is_set.load(SeqCst) {
                sumac::yield_now();
            }
        }),
        ("local yields", |is_set| {
            while !is_set.load(SeqCst) {
                sumac::yield_local();
            }
        }),
        ("a wait", |is_set| {
            let elsewhere = ThreadPoolBuilder::new().callers(sumac::Callers::Wait);
            let elsewhere = elsewhere.num_threads(1).build().expect("a pool");
            elsewhere.install(|| wait_for(is_set));
        }),
    ];
    for (name, wait) in waits {
        within(LONG, name, move || {
            let (tell, told) = mpsc::channel();
            let pool = pool(1);
            let task = pool.spawn(move || {
                let is_set = Arc::new(AtomicBool::new(false));
                let sets = Arc::clone(&is_set);
                sumac::spawn_broadcast(move |_| sets.store(true, SeqCst));
                wait(&is_set);
                tell.send(()).expect("the test waits");
            });
            told.recv().expect("the task ends");
            task.join();
        });
    }
}

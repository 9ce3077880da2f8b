//! Pools where no thread can be started: a future's promise is joined, and tasks that nothing joins
//! run, at the latest when a thread can be started again.

use super::{
    BEGUN,
    refusals::{refuse, without_calls},
    run_there, skipped,
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
};
use sumac::{Callers, ThreadPool, ThreadPoolBuilder, spawn_async_in};
use sumac_test_support::{LONG, alone, child, child_argument, wait_until};

const CLONE: [i64; 2] = [libc::SYS_clone, libc::SYS_clone3];

/// The pools that are asked for four threads, and get none.
const POOLS: [&str; 6] = ["built", "one", "when-needed", "waits", "named", "handler"];

fn built(pool: &str) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(4);
    let builder = match pool {
        "one" => builder.num_threads(1),
        "when-needed" => builder.start_when_needed(),
        "waits" => builder.callers(Callers::Wait),
        "named" => builder.thread_name(|index| format!("named-{index}")),
        "handler" => builder.start_handler(|_| ()),
        _ => builder,
    };
    builder.build().expect("a pool of those it gets")
}

/// Runs `test` for each kind of pool in a child that can start no thread.
fn in_children(name: &'static str, test: impl Fn(&str)) {
    let _alone = alone();
    for pool in POOLS {
        without_calls(name, pool, &CLONE, libc::EAGAIN, || test(pool));
    }
}

#[test]
fn a_future_that_awaits_a_task_is_joined() {
    in_children(
        "without_threads::a_future_that_awaits_a_task_is_joined",
        |pool| {
            let pool = built(pool);
            let future = spawn_async_in(&pool, async {
                let task = sumac::spawn(|| 6);
                task.await * 7
            });
            assert_eq!(future.join(), 42);
            let inside = pool.install(|| {
                sumac::spawn_async(async {
                    let task = sumac::spawn_async(async { sumac::spawn(|| 6).await });
                    task.await * 7
                })
                .join()
            });
            assert_eq!(inside, 42);
        },
    );
}

/// Each way to start something that nothing joins.
fn forget_tasks(pool: &ThreadPool, ran: &Arc<[AtomicUsize; 5]>) {
    let mark = |way: usize| {
        let ran = Arc::clone(ran);
        move || {
            ran[way].fetch_add(1, SeqCst);
        }
    };
    drop(pool.spawn(mark(0)));
    drop(pool.spawn_fifo(mark(1)));
    let mark_call = mark(2);
    pool.spawn_broadcast(move |_| mark_call());
    let mark_step = mark(3);
    drop(spawn_async_in(pool, async move { mark_step() }));
    let mark_inner = mark(4);
    pool.install(|| drop(sumac::spawn(mark_inner)));
}

fn assert_all_ran(ran: &[AtomicUsize; 5]) {
    let all = wait_until(LONG / 4, || ran.iter().all(|ran| ran.load(SeqCst) > 0));
    assert!(
        all,
        "[spawn, spawn_fifo, broadcast, async, inside]: {ran:?}"
    );
}

#[test]
fn tasks_that_nothing_joins_run_without_threads() {
    in_children(
        "without_threads::tasks_that_nothing_joins_run_without_threads",
        |pool| {
            let (pool, ran) = (built(pool), Arc::default());
            forget_tasks(&pool, &ran);
            assert_all_ran(&ran);
        },
    );
}

/// What is joined runs there, not where it is spawned, under the spawner's lock.
#[test]
fn tasks_that_are_joined_run_outside_of_the_locks_of_their_spawner() {
    in_children(
        "without_threads::tasks_that_are_joined_run_outside_of_the_locks_of_their_spawner",
        |pool| {
            let (pool, lock) = (built(pool), Arc::new(Mutex::new(0)));
            let add = || {
                let lock = Arc::clone(&lock);
                move || *lock.try_lock().expect("it is free") += 1
            };
            let held = lock.lock().expect("no panic");
            let task = pool.spawn(add());
            let step = spawn_async_in(&pool, {
                let add = add();
                async move { add() }
            });
            let asked = pool.spawn(|| ());
            drop(held);
            assert!(asked.is_finished());
            task.join();
            step.join();
        },
    );
}

#[test]
fn tasks_that_tasks_of_other_pools_spawn_run_without_threads() {
    in_children(
        "without_threads::tasks_that_tasks_of_other_pools_spawn_run_without_threads",
        |pool| {
            let (pool, other, ran) = (built(pool), Arc::new(built(pool)), Arc::default());
            let (theirs, mark) = (Arc::clone(&other), Arc::clone(&ran));
            drop(pool.spawn(move || forget_tasks(&theirs, &mark)));
            assert_all_ran(&ran);
        },
    );
}

#[test]
fn tasks_that_nothing_joins_run_when_threads_can_be_started_again() {
    let _alone = alone();
    const NAME: &str =
        "without_threads::tasks_that_nothing_joins_run_when_threads_can_be_started_again";
    let Some(pool) = child_argument(NAME) else {
        POOLS
            .iter()
            .for_each(|pool| run_there(pool, child(NAME, pool)));
        return;
    };
    let ran: Arc<[AtomicUsize; 5]> = Arc::default();
    // What a thread may call is its own.
    let pool = thread::scope(|scope| {
        let refused = scope.spawn(|| refuse(&CLONE, libc::EAGAIN).map(|()| built(&pool)));
        refused.join().expect("no panic")
    });
    match pool {
        Err(why) => skipped(NAME, &why),
        Ok(pool) => {
            println!("{BEGUN}");
            forget_tasks(&pool, &ran);
            assert_all_ran(&ran);
        }
    }
}

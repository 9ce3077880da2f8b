//! The end of the global pool, and its new beginning: each in a process of its own.

use super::fork::assert_in_child;
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{ThreadPoolBuilder, prelude::*, shutdown, spawn};
use sumac_test_support::{
    Cx, LONG, caught, child, child_argument, run_well, sum, text, wait_until,
};

fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

/// That no thread is left. One that was joined may still be listed for a moment.
fn assert_none_but(before: usize) {
    assert!(
        wait_until(LONG / 8, || threads() <= before),
        "{}",
        threads()
    );
}

/// Uses the global pool.
fn work() {
    assert_eq!(sum(&mut Cx::Join, 0, 1_000), 499_500);
    let squares = (0..1_000_u64).into_par_iter().map(|i| i * i).sum::<u64>();
    assert_eq!(squares, 332_833_500);
    assert_eq!(spawn(|| 3).join(), 3);
    let called = sumac::broadcast(|call| call.index());
    assert!(called.into_iter().eq(0..sumac::current_num_threads()));
}

/// Runs `test` in a child whose global pool has four threads.
fn in_a_child(name: &'static str, test: impl FnOnce()) {
    if child_argument(name).is_some() {
        return test();
    }
    let mut command = child(name, "");
    command.env("SUMAC_NUM_THREADS", "4");
    run_well(command, LONG);
}

// rayon #688: its threads are there until the process ends.
#[test]
fn the_global_pool_ends_and_begins_anew() {
    in_a_child("shutdown::the_global_pool_ends_and_begins_anew", || {
        let before = threads();
        shutdown();
        for round in 0..20 {
            let ran = Arc::new(AtomicUsize::new(0));
            if round % 2 == 0 {
                work();
            }
            for _ in 0..10 {
                let ran = Arc::clone(&ran);
                drop(spawn(move || ran.fetch_add(1, SeqCst)));
            }
            shutdown();
            assert_eq!(ran.load(SeqCst), 10);
            assert_none_but(before);
            assert_eq!(sumac::current_num_threads(), 4);
            if round % 3 == 0 {
                shutdown();
            }
            if round % 5 == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
        sumac::resize_global(2).expect("smaller");
        work();
        assert_eq!(sumac::current_num_threads(), 2);
        shutdown();
        assert_none_but(before);
    });
}

#[test]
fn pools_of_all_kinds_end_and_begin_anew() {
    in_a_child("shutdown::pools_of_all_kinds_end_and_begin_anew", || {
        let before = threads();
        let builders = || (0..2).map(|_| ThreadPoolBuilder::new().num_threads(3));
        let named = builders().map(|builder| builder.thread_name(|i| format!("named {i}")));
        let pools = builders()
            .chain(named)
            .map(|builder| builder.build().expect("a pool"));
        for pool in pools {
            for _ in 0..3 {
                pool.join(|| (), || ());
                pool.spawn_broadcast(|_| ());
                let blocked = pool.spawn(|| sumac::blocking(|| 7));
                pool.shutdown();
                assert_eq!(blocked.join(), 7);
                assert_none_but(before);
            }
        }
    });
}

#[test]
fn others_may_use_the_global_pool_meanwhile() {
    in_a_child("shutdown::others_may_use_the_global_pool_meanwhile", || {
        let before = threads();
        thread::scope(|threads| {
            let users: Vec<_> = (0..2)
                .map(|_| threads.spawn(|| (0..50).for_each(|_| work())))
                .collect();
            while users.iter().any(|user| !user.is_finished()) {
                shutdown();
            }
        });
        shutdown();
        assert_none_but(before);
    });
}

#[test]
fn a_worker_cannot_shut_its_pool_down() {
    in_a_child("shutdown::a_worker_cannot_shut_its_pool_down", || {
        let call = || text(&*caught(shutdown)).to_owned();
        let (send, receive) = mpsc::channel();
        drop(spawn(move || send.send(call())));
        let told = receive.recv_timeout(LONG / 2);
        assert_eq!(told.as_deref(), Ok("a pool waits for itself"));
        let told = sumac::broadcast(|context| (context.index() == 0).then(call));
        assert_eq!(told[0].as_deref(), Some("a pool waits for itself"));
        shutdown();
        work();
    });
}

#[test]
fn a_child_of_fork_shuts_down() {
    in_a_child("shutdown::a_child_of_fork_shuts_down", || {
        work();
        for _ in 0..2 {
            assert_in_child(|| {
                shutdown();
                sumac::resize_global(2).expect("a size that it can have");
                sum(&mut Cx::Join, 0, 1_000) == 499_500
            });
            work();
            shutdown();
        }
    });
}

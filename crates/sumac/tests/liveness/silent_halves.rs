//! A half of a join that waits for the other half, or for one further out. Its thread, which is
//! blocked, offers nothing: other threads take what it has forked before.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(tsan, miri))
))]

use std::{
    sync::{Barrier, mpsc},
    thread,
    time::Duration,
};
use sumac::{Callers, ThreadPool, ThreadPoolBuilder, join};
use sumac_test_support::{LONG, alone, pool, within};

/// As many threads as leaves meet.
fn meet(leaves: usize, all: &Barrier) {
    if leaves == 1 {
        all.wait();
        return;
    }
    let left = leaves / 2;
    join(|| meet(left, all), || meet(leaves - left, all));
}

/// Joins that no thread asks for.
fn tiny(joins: usize) {
    for _ in 0..joins {
        join(|| (), || ());
    }
}

fn rounds(pool: &ThreadPool) {
    let threads = pool.current_num_threads();
    for round in 0..30 {
        pool.install(|| {
            tiny(round * round);
            meet(threads, &Barrier::new(threads));
        });
        // The thread that takes the half has other work first.
        pool.install(|| {
            let (tell, told) = mpsc::channel();
            let taken = move || {
                tiny(1000);
                tell.send(()).expect("the other half waits");
                meet(2, &Barrier::new(2));
            };
            let waits = move || {
                told.recv().expect("the other half is taken");
                thread::sleep(Duration::from_millis(1));
            };
            join(waits, taken);
        });
    }
}

#[test]
fn halves_may_wait_for_each_other() {
    let _alone = alone();
    for threads in 2..=5 {
        within(LONG, "callers take part", move || rounds(&pool(threads)));
        within(LONG, "callers wait", move || {
            let pool = ThreadPoolBuilder::new().callers(Callers::Wait);
            rounds(&pool.num_threads(threads).build().expect("a pool"));
        });
    }
}

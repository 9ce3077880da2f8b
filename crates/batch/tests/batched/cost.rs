//! What operations allocate: nothing.

use super::{in_time, probe::Add, probe::Probe};
use std::{
    future::Future,
    pin::pin,
    task::{Context, Waker},
};
use sumac_batch::Batched;
use sumac_test_support::pool;

/// Allocations of this thread while `f` runs.
fn allocations(f: impl FnOnce()) -> u64 {
    allocation_counter::measure(f).count_total
}

#[test]
fn blocking_operations_do_not_allocate() {
    let pool = pool(1);
    let batched = Batched::new_in(&pool, Probe::default());
    pool.install(|| {
        batched.apply(Add(1));
        let count = allocations(|| {
            for _ in 0..1000 {
                batched.apply(Add(1));
            }
        });
        assert_eq!(count, 0);
    });
}

#[test]
fn futures_do_not_allocate() {
    in_time("futures", || {
        let pool = pool(2);
        let batched = Batched::new_in(&pool, Probe::default());
        let mut context = Context::from_waker(Waker::noop());
        // Until the forming batch and the queue of tasks have the memory they need.
        let mut total = 0;
        for round in 0..200 {
            let count = allocations(|| {
                let mut future = pin!(batched.submit(Add(1)));
                while future.as_mut().poll(&mut context).is_pending() {
                    std::thread::yield_now();
                }
            });
            if round >= 20 {
                total += count;
            }
        }
        // Where the worker is late, the pool starts one more thread for tasks, once.
        assert!(total <= 20, "{total} allocations in 180 operations");
    });
}

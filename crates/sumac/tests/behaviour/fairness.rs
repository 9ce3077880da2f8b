//! Callers have turns: what one thread wants done does not wait behind what others want later.

use std::{
    array,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::{ThreadPool, join};
use sumac_test_support::{LONG, alone, pool, wait_until, waited, within};

const CALLERS: usize = 8;

/// Calls `call` on eight threads, one after another, while the only worker of `pool` is busy: with
/// what says that the call is being made, and what is to be done. The order in which it was done.
fn order(
    pool: &ThreadPool,
    call: impl Fn(&(dyn Fn() + Sync), &(dyn Fn() + Sync)) + Sync,
) -> Vec<usize> {
    let (begun, begins) = mpsc::channel();
    let (end, ends) = mpsc::channel();
    let busy = pool.spawn(move || {
        begun.send(()).expect("the test waits");
        ends.recv().expect("the test sends");
    });
    begins.recv().expect("the task begins");
    let calls: [AtomicBool; CALLERS] = array::from_fn(|_| AtomicBool::new(false));
    let order = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for (caller, called) in calls.iter().enumerate() {
            let (call, order) = (&call, &order);
            scope.spawn(move || {
                let serve = || order.lock().expect("no panic").push(caller);
                call(&|| called.store(true, SeqCst), &serve);
            });
            assert!(wait_until(LONG, || called.load(SeqCst)), "no call");
            // It is made a little later than it is said.
            thread::sleep(Duration::from_millis(5));
        }
        end.send(()).expect("the task waits");
    });
    busy.join();
    order.into_inner().expect("no panic")
}

#[test]
fn callers_that_wait_are_served_in_their_order() {
    let _alone = alone();
    within(LONG, "waiting callers", || {
        let one = waited(1);
        let order = order(&one, |say, serve| {
            say();
            one.install(serve);
        });
        assert!(order.iter().copied().eq(0..CALLERS), "{order:?}");
    });
}

#[test]
fn callers_that_fork_are_helped_in_their_order() {
    let _alone = alone();
    within(LONG, "callers that fork", || {
        let two = pool(2);
        let order = order(&two, |say, serve| {
            let helped = AtomicBool::new(false);
            let wait = || {
                say();
                assert!(wait_until(LONG, || helped.load(SeqCst)), "no help");
            };
            let help = || {
                serve();
                helped.store(true, SeqCst);
            };
            two.install(|| join(wait, help));
        });
        assert!(order.iter().copied().eq(0..CALLERS), "{order:?}");
    });
}

//! A long chain of tasks each of which joins the one before ends. (How seldom its threads sleep is
//! counted on a simulated machine, in the tests of sumac-core.)

use std::sync::mpsc;
use sumac_test_support::{LONG, pool, waited, within};

const TASKS: u64 = 50_000;

#[test]
fn a_chain_of_tasks_ends() {
    for make in [pool, waited] {
        for threads in [1, 2, 8] {
            within(LONG, "a chain", move || {
                let (pool, (send, receive)) = (make(threads), mpsc::channel());
                let mut last = pool.spawn(|| 0);
                for _ in 0..TASKS {
                    let before = last;
                    last = pool.spawn(move || before.join() + 1);
                }
                // A join here would run the chain on this stack, from its end.
                drop(pool.spawn(move || send.send(last.join())));
                assert_eq!(receive.recv(), Ok(TASKS));
            });
        }
    }
}

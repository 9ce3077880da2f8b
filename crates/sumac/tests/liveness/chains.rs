//! A long chain of tasks each of which joins the one before does not run in lock-step: threads do
//! not sleep and wake once for each task.

use std::{sync::mpsc, time::Instant};
use sumac_test_support::{LONG, pool, waited, within};

const TASKS: u64 = 100_000;

#[test]
fn threads_seldom_sleep_in_a_chain_of_tasks() {
    for make in [pool, waited] {
        for threads in [1, 2, 8] {
            within(LONG, "a chain", move || {
                let (pool, (send, receive)) = (make(threads), mpsc::channel());
                let begin = Instant::now();
                let mut last = pool.spawn(|| 0);
                for _ in 0..TASKS {
                    let before = last;
                    last = pool.spawn(move || before.join() + 1);
                }
                // A join here would run the chain on this stack, from its end.
                drop(pool.spawn(move || send.send(last.join())));
                assert_eq!(receive.recv(), Ok(TASKS));
                let stats = pool.stats();
                println!("{threads} threads: {:?}, {stats:?}", begin.elapsed());
                // In lock-step it is more than that, where other programs run, too.
                assert!(stats.parks < TASKS / 3, "{} sleeps", stats.parks);
            });
        }
    }
}

//! A call, or a broadcast, of a task that runs in a yield reaches the pool whose thread waits for
//! the loop of yields.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::SeqCst},
    mpsc,
};
use sumac::{ThreadPool, Yield, spawn, yield_local, yield_now};
use sumac_test_support::{LONG, pool, waited, within};

type Make = (&'static str, fn(usize) -> ThreadPool);
const MAKE: [Make; 2] = [("wait", waited), ("take part", pool)];
type Yields = (&'static str, fn() -> Option<Yield>);
const YIELDS: [Yields; 2] = [("now", yield_now), ("local", yield_local)];

/// Spawns `task` in the current pool and yields until it has ended.
pub(super) fn yields_for(task: impl FnOnce() + Send + 'static, yields: fn() -> Option<Yield>) {
    let done = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&done);
    drop(spawn(move || {
        task();
        flag.store(true, SeqCst);
    }));
    while !done.load(SeqCst) {
        yields();
    }
}

/// Runs a task of the first pool that waits for one of the second pool, that waits in a loop of
/// yields for a task that does `back`.
fn there_and_back(back: fn(&ThreadPool), in_place: bool) {
    for (callers, make) in MAKE {
        for (which, yields) in YIELDS {
            for threads in [1, 2, 4] {
                let what = format!("callers {callers}, yield_{which}, {threads} threads");
                // A yield may take a time slice of another program's.
                within(LONG, &what, move || {
                    let pools = Arc::new([make(threads), make(threads)]);
                    for _ in 0..20 {
                        let (mine, theirs) = (Arc::clone(&pools), Arc::clone(&pools));
                        let there = move || yields_for(move || back(&theirs[0]), yields);
                        let there = move || match in_place {
                            true => mine[1].in_place_scope(|s| s.spawn(move |_| there())),
                            false => mine[1].install(there),
                        };
                        pools[0].spawn(there).join();
                    }
                });
            }
        }
    }
}

#[test]
fn a_task_in_a_yield_calls_back() {
    there_and_back(|pool| pool.install(|| ()), false);
}

#[test]
fn a_task_in_a_yield_opens_a_scope_back() {
    there_and_back(|pool| pool.in_place_scope(|s| s.spawn(|_| ())), true);
}

#[test]
fn a_task_in_a_yield_broadcasts_back() {
    there_and_back(|pool| drop(pool.broadcast(|_| ())), false);
}

#[test]
fn a_task_in_a_yield_broadcasts_back_to_a_scope() {
    there_and_back(|pool| drop(pool.broadcast(|_| ())), true);
}

/// A task of the first pool for which the task of the second yields.
#[test]
fn a_yield_waits_for_a_task_of_the_pool_that_waits() {
    there_and_back(
        |pool| {
            let done = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&done);
            drop(pool.spawn(move || flag.store(true, SeqCst)));
            while !done.load(SeqCst) {
                yield_now();
            }
        },
        false,
    );
}

/// The same on the reserve, which runs the first task, since its waiter takes no part.
#[test]
fn a_yield_of_the_reserve_waits_for_a_task_of_its_pool() {
    for (which, yields) in YIELDS {
        within(LONG, which, move || {
            let pools = Arc::new([pool(1), pool(1)]);
            let (mine, (done, ends)) = (Arc::clone(&pools), mpsc::channel());
            let first = pools[0].spawn(move || {
                mine[1].install(|| {
                    let flag = Arc::new(AtomicBool::new(false));
                    let second = Arc::clone(&flag);
                    drop(mine[0].spawn(move || second.store(true, SeqCst)));
                    while !flag.load(SeqCst) {
                        yields();
                    }
                });
                done.send(())
            });
            ends.recv().expect("it ends");
            assert!(first.join().is_ok());
        });
    }
}

/// The same where the other pool's reserve runs the task between, and the first task runs only
/// tasks that it has spawned.
#[test]
fn a_local_yield_of_the_reserve_waits_for_a_task_of_its_pool() {
    within(LONG, "reserves", || {
        let pools = Arc::new([pool(1), pool(1)]);
        let (mine, (done, ends)) = (Arc::clone(&pools), mpsc::channel());
        let first = pools[0].spawn(move || {
            let theirs = Arc::clone(&mine);
            mine[1].install(|| {
                let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
                let set = Arc::clone(&flags);
                drop(mine[1].spawn(move || {
                    set[0].store(true, SeqCst);
                    let last = Arc::clone(&set);
                    drop(theirs[0].spawn(move || last[1].store(true, SeqCst)));
                    while !set[1].load(SeqCst) {
                        yield_now();
                    }
                }));
                // By the reserve, since it is wanted.
                while !flags[0].load(SeqCst) {
                    std::thread::yield_now();
                }
                while !flags[1].load(SeqCst) {
                    yield_local();
                }
            });
            done.send(())
        });
        ends.recv().expect("it ends");
        assert!(first.join().is_ok());
    });
}

/// A task of its own pool, for which a thread yields inside of another pool, or calls another that
/// does.
#[test]
fn a_yield_in_another_pool_waits_for_a_task_of_its_own() {
    for (callers, make) in MAKE {
        for (which, yields) in YIELDS {
            let what = format!("callers {callers}, yield_{which}");
            within(LONG, &what, move || {
                let (own, other) = (waited(1), make(2));
                own.install(|| {
                    let done = Arc::new(AtomicBool::new(false));
                    let flag = Arc::clone(&done);
                    drop(spawn(move || flag.store(true, SeqCst)));
                    other.install(|| {
                        while !done.load(SeqCst) {
                            yields();
                        }
                    });
                });
            });
        }
    }
}

//! How calls and pools end whose callers wait: panics, pools that are dropped with tasks in their
//! queues.

use std::{
    cell::RefCell,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::{ThreadPool, spawn};
use sumac_test_support::{LONG, caught, spin, sum, text, throw, wait_until, waited, within};

const SIZES: [usize; 4] = [1, 2, 3, 7];

fn sum_of(n: u64) -> u64 {
    sum(&mut sumac_test_support::Cx::Join, 0, n)
}

#[test]
fn panics_come_out_and_leave_the_pool_usable() {
    within(LONG, "panics", || {
        for threads in SIZES {
            let pool = &waited(threads);
            let programs: [&(dyn Fn() + Sync); 6] = [
                &|| pool.install(|| throw("once")),
                &|| pool.join(|| throw::<&str>("once"), || ()).1,
                &|| pool.task_scope(|s| s.spawn(|_| throw("once"))),
                &|| pool.in_place_scope(|s| s.spawn(|_| throw("once"))),
                &|| drop(pool.broadcast(|_| -> u8 { throw("once") })),
                &|| pool.spawn(|| throw("once")).join(),
            ];
            thread::scope(|callers| {
                for _ in 0..3 {
                    callers.spawn(move || {
                        for program in programs {
                            assert_eq!(text(&*caught(program)), "once");
                        }
                    });
                }
            });
            assert_eq!(pool.install(|| sum_of(100)), 4_950);
        }
    });
}

#[test]
fn a_dropped_pool_runs_what_is_queued() {
    within(LONG, "dropped", || {
        for threads in SIZES {
            for round in 0..20 {
                let (pool, count) = (waited(threads), Arc::new(AtomicUsize::new(0)));
                let add = |pool: &ThreadPool| {
                    let count = Arc::clone(&count);
                    pool.spawn(move || {
                        spin(Duration::from_micros(10));
                        count.fetch_add(1, SeqCst)
                    })
                };
                let joined = add(&pool);
                (0..20).for_each(|_| drop(add(&pool)));
                if round % 2 == 0 {
                    if round % 4 == 0 {
                        // The workers sleep.
                        assert!(wait_until(LONG / 2, || count.load(SeqCst) == 21));
                        thread::sleep(Duration::from_millis(2));
                    }
                    pool.wait_until_stopped();
                    assert_eq!(count.load(SeqCst), 21);
                } else {
                    drop(pool);
                }
                assert!(joined.try_join().is_ok());
                assert!(wait_until(LONG / 2, || count.load(SeqCst) == 21));
            }
        }
    });
}

#[test]
fn what_a_caller_leaves_in_a_dropped_pool_is_run() {
    within(LONG, "left behind", || {
        for threads in [1, 2] {
            let (pool, busy) = (waited(threads), AtomicBool::new(false));
            let (end, ended) = mpsc::channel::<()>();
            let (send, receive) = mpsc::channel();
            let (hold, later) = pool.install(|| {
                let hold = spawn(move || ended.recv().is_ok());
                (hold, spawn(move || send.send(5)))
            });
            thread::scope(|callers| {
                callers.spawn(|| {
                    busy.store(true, SeqCst);
                    assert!(hold.join());
                });
                assert!(wait_until(LONG / 2, || busy.load(SeqCst)));
                drop(pool);
                end.send(()).expect("the task waits");
            });
            assert_eq!(receive.recv(), Ok(5));
            drop(later);
        }
    });
}

#[test]
fn a_task_does_not_wait_for_its_pools_end() {
    within(LONG, "its own end", || {
        let pool = Arc::new(Mutex::new(None));
        let (own, one) = (Arc::clone(&pool), waited(1));
        let (end, ended) = mpsc::channel::<()>();
        let held = one.spawn(move || ended.recv().is_ok());
        let task = one.spawn(move || {
            let one: Option<ThreadPool> = own.lock().expect("no poison").take();
            one.map(ThreadPool::wait_until_stopped)
        });
        *pool.lock().expect("no poison") = Some(one);
        end.send(()).expect("it waits or will");
        assert!(held.join());
        assert_eq!(text(&*caught(|| task.join())), "a pool waits for itself");
    });
}

/// Calls when it is dropped.
struct Late(Arc<ThreadPool>, mpsc::Sender<u64>);

impl Drop for Late {
    fn drop(&mut self) {
        let Late(pool, results) = self;
        let thrown = caught(|| pool.install(|| throw("late")));
        assert_eq!(text(&*thrown), "late");
        let sum = pool.install(|| sum_of(100));
        results.send(sum).expect("the test waits");
    }
}

thread_local! {
    static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
}

/// Their thread has a record, or no longer has one, or gets it by its last call.
#[test]
fn threads_that_end_may_call() {
    within(LONG, "late calls", || {
        for threads in SIZES {
            let pool = Arc::new(waited(threads));
            let (send, receive) = mpsc::channel();
            for before in [true, false] {
                for after in [true, false] {
                    let late = Late(Arc::clone(&pool), send.clone());
                    let thread = thread::spawn(move || {
                        let pool = Arc::clone(&late.0);
                        let call = |calls: bool| assert!(!calls || pool.install(|| true));
                        call(before);
                        LATE.set(Some(late));
                        call(after);
                    });
                    thread.join().expect("no panic");
                    assert_eq!(receive.recv(), Ok(4_950));
                }
            }
        }
    });
}

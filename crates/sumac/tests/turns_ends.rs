//! How calls and pools end whose callers take turns: panics, pools that are dropped with tasks in
//! their queues, and the thread that stands in for callers.

use std::{
    cell::RefCell,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::{Scope, ThreadPool, broadcast, spawn, spawn_async_in, worker_index};
use sumac_test_support::{
    LONG, caught, child, child_argument, run_well, spin, sum, text, throw, turns, turns_builder,
    wait_until, within,
};

const SIZES: [usize; 4] = [1, 2, 3, 7];

fn sum_of(n: u64) -> u64 {
    sum(&mut sumac_test_support::Cx::Join, 0, n)
}

#[test]
fn panics_come_out_and_leave_the_seat_free() {
    within(LONG, "panics", || {
        for threads in SIZES {
            let pool = &turns(threads);
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
            // Once the stand-in has done what was left.
            let here = thread::current().id();
            let own = || pool.install(|| thread::current().id()) == here;
            assert!(wait_until(LONG / 2, own), "the seat is not free");
        }
    });
}

#[test]
fn a_dropped_pool_runs_what_is_queued() {
    within(LONG, "dropped", || {
        for threads in SIZES {
            for round in 0..20 {
                let (pool, count) = (turns(threads), Arc::new(AtomicUsize::new(0)));
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
                        // The stand-in sleeps.
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

/// A caller may have its turn in a pool that another thread drops.
#[test]
fn what_a_caller_leaves_in_a_dropped_pool_is_run() {
    within(LONG, "left behind", || {
        for threads in [1, 2] {
            let (pool, busy) = (turns(threads), AtomicBool::new(false));
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

/// A scope that is made in a turn and kept does not belong to the seat, where another thread may
/// sit.
#[test]
fn a_scope_may_outlive_the_turn_it_was_made_in() {
    thread_local!(static KEPT: RefCell<Option<Scope<'static>>> = const { RefCell::new(None) });
    within(LONG, "kept", || {
        static TWO: LazyLock<ThreadPool> = LazyLock::new(|| turns(2));
        let two: &'static ThreadPool = &TWO;
        two.install(|| KEPT.set(Some(two.scope())));
        let (stop, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
        thread::scope(|callers| {
            callers.spawn(|| {
                while !stop.load(SeqCst) {
                    assert_eq!(two.install(|| sum_of(1_000)), 499_500);
                    calls.fetch_add(1, SeqCst);
                }
            });
            let mut kept = KEPT.take().expect("it is there");
            while calls.load(SeqCst) < 200 {
                let sum = sum(&mut sumac_test_support::Cx::Scope(&mut kept), 0, 1_000);
                assert_eq!((sum, worker_index()), (499_500, None));
            }
            stop.store(true, SeqCst);
        });
    });
}

#[test]
fn a_thread_that_has_its_turn_does_not_wait_for_the_pools_end() {
    within(LONG, "its own end", || {
        let pool = Arc::new(Mutex::new(None));
        let (own, one) = (Arc::clone(&pool), turns(1));
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

/// Threads of this process with this name.
#[cfg(target_os = "linux")]
fn threads_named(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads");
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|found| found.trim() == name).count()
}

#[test]
#[cfg(target_os = "linux")]
fn no_thread_is_started_before_it_is_needed() {
    const NAME: &str = "no_thread_is_started_before_it_is_needed";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    within(LONG, "threads", || {
        let all = || {
            std::fs::read_dir("/proc/self/task")
                .expect("the threads")
                .count()
        };
        let before = all();
        let (one, two) = (turns(1), turns(2));
        for _ in 0..1_000 {
            assert_eq!(one.install(|| sum_of(50)), 1_225);
            assert_eq!(two.install(|| sum_of(50)), 1_225);
            assert_eq!(one.broadcast(|_| ()).len() + two.broadcast(|_| ()).len(), 3);
        }
        assert_eq!((all() - before, threads_named("sumac-stand-in")), (1, 0));
        let (send, receive) = mpsc::channel();
        one.spawn(move || send.send(5));
        assert_eq!(receive.recv(), Ok(5));
        assert_eq!((all() - before, threads_named("sumac-stand-in")), (2, 1));
    });
}

/// If the system refuses the stand-in, callers run tasks: when they leave, and before they wait.
#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn a_refused_stand_in_is_done_without() {
    const NAME: &str = "a_refused_stand_in_is_done_without";
    if child_argument(NAME).is_none() {
        let mut command = child(NAME, "");
        // No stack is that large.
        command.env("RUST_MIN_STACK", (1_u64 << 47).to_string());
        run_well(command, LONG);
        return;
    }
    assert!(thread::Builder::new().spawn(|| ()).is_err(), "a thread");
    let one = turns(1);
    assert_eq!(one.install(|| sum_of(50)), 1_225);
    let ran = Arc::new(AtomicUsize::new(0));
    let add = || {
        let ran = Arc::clone(&ran);
        one.spawn(move || ran.fetch_add(1, SeqCst))
    };
    drop(add());
    assert_eq!(ran.load(SeqCst), 0);
    one.install(|| ());
    assert_eq!(ran.load(SeqCst), 1);
    drop(add());
    add().join();
    assert_eq!(ran.load(SeqCst), 3);
    drop(add());
    one.in_place_scope(|s| {
        s.spawn(|_| {
            ran.fetch_add(1, SeqCst);
        });
    });
    assert_eq!(ran.load(SeqCst), 5);
    drop(add());
    assert_eq!(spawn_async_in(&one, async { 7 }).join(), 7);
    assert_eq!((ran.load(SeqCst), one.broadcast(|_| ()).len()), (6, 1));
    one.wait_until_stopped();
}

/// As above, beside a worker: a caller leaves that cannot help it; a call to the last seat is
/// answered; and a caller that panics leaves nothing undone.
#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn callers_do_without_a_stand_in_beside_a_worker() {
    const NAME: &str = "callers_do_without_a_stand_in_beside_a_worker";
    if child_argument(NAME).is_none() {
        let mut command = child(NAME, "");
        // No stack is that large.
        command.env("RUST_MIN_STACK", (1_u64 << 47).to_string());
        run_well(command, LONG);
        return;
    }
    let small = || thread::Builder::new().stack_size(1 << 20);
    let two = turns_builder(2).spawn_handler(|worker| small().spawn(|| worker.run()).map(drop));
    let two = two.build().expect("a pool");
    let ((begun, begins), (end, ends)) = (mpsc::channel(), mpsc::channel());
    let task = two.spawn(move || {
        begun.send(()).expect("the test waits");
        ends.recv().expect("the test is there");
        broadcast(|_| ()).len()
    });
    begins.recv().expect("the task begins");
    two.install(|| ());
    end.send(()).expect("the task waits");
    assert_eq!(task.join(), 2);

    let (one, busy) = (&turns(1), &AtomicBool::new(false));
    thread::scope(|callers| {
        let panics = move || {
            one.install(|| {
                busy.store(true, SeqCst);
                thread::sleep(Duration::from_millis(50));
                throw("once")
            })
        };
        let caller = small().spawn_scoped(callers, move || text(&*caught(panics)).to_owned());
        assert!(wait_until(LONG / 2, || busy.load(SeqCst)));
        assert_eq!(text(&*caught(|| one.install(|| throw("later")))), "later");
        let caller = caller.expect("a small stack").join();
        assert_eq!(caller.expect("no panic"), "once");
    });
}

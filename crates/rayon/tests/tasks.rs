//! Spawned tasks, scopes and broadcasts.

mod common;

use common::*;
use std::{
    panic,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};
use sumac_rayon::{
    ThreadPoolBuilder, Yield, broadcast, current_thread_has_pending_tasks, current_thread_index,
    join, scope, scope_fifo, spawn, spawn_broadcast, spawn_fifo, yield_local, yield_now,
};

/// What a list holds that tasks write to.
fn taken(list: &Mutex<Vec<usize>>) -> Vec<usize> {
    std::mem::take(&mut list.lock().expect("no panic"))
}

/// The tasks of the only thread of a pool, in the order in which it runs them.
#[test]
fn orders_in_a_pool_of_one() {
    within(|| {
        let pool = pool(1);
        let ran = Mutex::new(Vec::new());
        let run = |i| ran.lock().expect("no panic").push(i);
        pool.scope_fifo(|s| (0..10).for_each(|i| s.spawn_fifo(move |_| run(i))));
        assert_eq!(taken(&ran), Vec::from_iter(0..10));
        pool.scope(|s| (0..10).for_each(|i| s.spawn(move |_| run(i))));
        assert_eq!(taken(&ran), Vec::from_iter((0..10).rev()));
        pool.install(|| {
            scope_fifo(|s| {
                s.spawn_fifo(|s| {
                    run(0);
                    s.spawn_fifo(|_| run(2));
                });
                s.spawn_fifo(|_| run(1));
            });
        });
        assert_eq!(taken(&ran), [0, 1, 2]);
    });
}

/// The order in which the only thread of a pool runs ten tasks that it has spawned.
fn order_in(
    builder: ThreadPoolBuilder,
    spawner: impl Fn(Box<dyn FnOnce() + Send>) + Send,
) -> Vec<usize> {
    let pool = builder.num_threads(1).build().expect("a pool");
    let (send, receive) = mpsc::channel();
    pool.install(move || {
        for i in 0..10 {
            let send = send.clone();
            spawner(Box::new(move || send.send(i).expect("the test waits")));
        }
    });
    receive.iter().collect()
}

#[test]
fn spawned_tasks_run_newest_first_unless_asked_otherwise() {
    within(|| {
        let order = order_in(ThreadPoolBuilder::new(), spawn);
        assert_eq!(order, Vec::from_iter((0..10).rev()));
        let order = order_in(ThreadPoolBuilder::new(), spawn_fifo);
        assert_eq!(order, Vec::from_iter(0..10));
        #[allow(deprecated)]
        let breadth_first = ThreadPoolBuilder::new().breadth_first();
        let order = order_in(breadth_first, spawn);
        assert_eq!(order, Vec::from_iter(0..10));
    });
}

#[test]
fn a_panic_of_a_task_goes_to_the_panic_handler() {
    within(|| {
        let (send, receive) = mpsc::channel();
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .panic_handler(move |payload| send.send(text(&*payload)).expect("the test waits"))
            .build()
            .expect("a pool");
        pool.spawn(|| panic::panic_any("spawn"));
        assert_eq!(receive.recv().as_deref(), Ok("spawn"));
        pool.spawn_fifo(|| panic::panic_any("spawn_fifo"));
        assert_eq!(receive.recv().as_deref(), Ok("spawn_fifo"));
        pool.spawn_broadcast(|_| panic::panic_any("broadcast"));
        assert_eq!(receive.recv().as_deref(), Ok("broadcast"));
        assert_eq!(receive.recv().as_deref(), Ok("broadcast"));
        // The pool is as good as before.
        assert_eq!(pool.join(|| 1, || 2), (1, 2));
    });
}

#[test]
fn a_panic_of_a_task_ends_the_program_where_there_is_no_handler() {
    const TEST: &str = "a_panic_of_a_task_ends_the_program_where_there_is_no_handler";
    if !is_child(TEST) {
        let output = child(TEST, &[]);
        assert!(!output.status.success());
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&output.status),
            Some(6),
            "it does not abort"
        );
        return;
    }
    spawn(|| panic!("nothing waits for this"));
    thread::sleep(LONG);
}

#[test]
fn a_panic_of_the_panic_handler_ends_the_program() {
    const TEST: &str = "a_panic_of_the_panic_handler_ends_the_program";
    if !is_child(TEST) {
        let output = child(TEST, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("aborting"),
            "{said}"
        );
        return;
    }
    let pool = ThreadPoolBuilder::new()
        .panic_handler(|_| panic!("the handler"))
        .build()
        .expect("a pool");
    pool.spawn(|| panic!("the task"));
    thread::sleep(LONG);
}

#[test]
fn scopes_end_after_their_tasks_and_panic_as_these_do() {
    within(|| {
        let pool = pool(3);
        for _ in 0..100 {
            let ended = AtomicUsize::new(0);
            let count = || ended.fetch_add(1, SeqCst);
            let text = panic_of(|| {
                pool.scope(|s| {
                    for _ in 0..10 {
                        s.spawn(|s| {
                            s.spawn(|_| {
                                count();
                            });
                            count();
                        });
                    }
                    s.spawn(|_| panic::panic_any("a task"));
                });
            });
            assert_eq!(text, "a task");
            assert_eq!(ended.load(SeqCst), 20);
        }
        assert_eq!(panic_of(|| scope(|_| panic::panic_any("op"))), "op");
        let value = pool.in_place_scope(|s| {
            s.spawn(|_| ());
            // Need not be sent.
            std::rc::Rc::new(7)
        });
        assert_eq!(*value, 7);
    });
}

#[test]
fn broadcasts_reach_each_thread_once() {
    within(|| {
        let indices = |pool: &sumac_rayon::ThreadPool| {
            pool.broadcast(|context| {
                assert_eq!(current_thread_index(), Some(context.index()));
                assert_eq!(context.num_threads(), 4);
                context.index()
            })
        };
        let (four, other) = (pool(4), pool(2));
        assert_eq!(indices(&four), [0, 1, 2, 3]);
        assert_eq!(four.install(|| indices(&four)), [0, 1, 2, 3]);
        assert_eq!(other.install(|| indices(&four)), [0, 1, 2, 3]);
        assert_eq!(four.install(|| broadcast(|c| c.index())), [0, 1, 2, 3]);
        let text = panic_of(|| {
            four.broadcast(|context| {
                if context.index() == 2 {
                    panic::panic_any("the third");
                }
            })
        });
        assert_eq!(text, "the third");

        let calls = AtomicUsize::new(0);
        four.scope(|s| {
            s.spawn_broadcast(|_, context| {
                assert_eq!(current_thread_index(), Some(context.index()));
                calls.fetch_add(1 << (8 * context.index()), SeqCst);
            });
        });
        four.in_place_scope_fifo(|s| {
            s.spawn_broadcast(|_, context| {
                calls.fetch_add(1 << (8 * context.index()), SeqCst);
            });
        });
        assert_eq!(calls.load(SeqCst), 0x0202_0202);

        let (send, receive) = mpsc::channel();
        four.install(|| spawn_broadcast(move |context| send.send(context.index()).expect("heard")));
        let mut heard: Vec<_> = receive.iter().collect();
        heard.sort();
        assert_eq!(heard, [0, 1, 2, 3]);
    });
}

#[test]
fn yields_run_tasks() {
    assert_eq!(yield_now(), None);
    assert_eq!(yield_local(), None);
    assert_eq!(current_thread_has_pending_tasks(), None);
    within(|| {
        let (pool, other) = (Arc::new(pool(1)), pool(1));
        assert_eq!(pool.yield_now(), None);
        assert_eq!(pool.current_thread_has_pending_tasks(), None);
        pool.install(|| {
            assert_eq!(other.yield_now(), None);
            assert_eq!(other.yield_local(), None);
            assert_eq!(yield_local(), Some(Yield::Idle));
            assert_eq!(yield_now(), Some(Yield::Idle));
            assert_eq!(current_thread_has_pending_tasks(), Some(false));
            let ran = Arc::new(AtomicUsize::new(0));
            for yields in [yield_now, yield_local] {
                let ran = Arc::clone(&ran);
                spawn(move || {
                    ran.fetch_add(1, SeqCst);
                });
                assert_eq!(current_thread_has_pending_tasks(), Some(true));
                assert_eq!(yields(), Some(Yield::Executed));
                assert_eq!(current_thread_has_pending_tasks(), Some(false));
            }
            assert_eq!(ran.load(SeqCst), 2);
            assert_eq!(pool.yield_now(), Some(Yield::Idle));
        });
    });
}

/// The first half of a join waits in yields for the second, on the only thread that there is.
#[test]
fn a_yield_runs_the_second_half() {
    within(|| {
        for yields in [yield_now, yield_local] {
            let is_set = AtomicUsize::new(0);
            let first = || {
                while is_set.load(SeqCst) == 0 {
                    yields();
                }
            };
            pool(1).install(|| join(first, || is_set.store(1, SeqCst)));
        }
    });
}

/// A waits for B in yields, on the only thread that there is.
#[test]
fn tasks_wait_for_each_other_in_yields() {
    within(|| {
        let pool = pool(1);
        let done = AtomicUsize::new(0);
        pool.scope(|s| {
            s.spawn(|_| {
                done.store(1, SeqCst);
            });
            join(
                || {
                    while done.load(SeqCst) == 0 {
                        yield_now();
                    }
                },
                || (),
            );
        });
    });
}

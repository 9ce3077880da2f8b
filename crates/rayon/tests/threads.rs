//! The threads of a pool: as asked for, whatever runs on them, and how they begin and end.

mod common;

use common::*;
use std::{
    cell::Cell,
    collections::HashSet,
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};
use sumac_rayon::{ThreadPool, ThreadPoolBuilder, current_thread_index, join, yield_now};

thread_local! {
    static STARTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `look` in all ways in which work gets into a pool, and inside of that.
fn everywhere(pool: &ThreadPool, look: impl Fn() + Copy + Send + Sync + 'static) {
    pool.install(|| {
        look();
        join(look, look);
        pool.install(look);
        yield_now();
    });
    pool.join(look, look);
    pool.scope(|s| {
        s.spawn(move |s| {
            look();
            s.spawn(move |_| look());
        });
        look();
    });
    pool.scope_fifo(|s| s.spawn_fifo(move |_| look()));
    pool.in_place_scope(|s| s.spawn(move |_| look()));
    pool.in_place_scope_fifo(|s| s.spawn_fifo(move |_| look()));
    pool.broadcast(|_| look());
    let (send, receive) = mpsc::channel();
    let count = pool.current_num_threads() + 2;
    let (first, second) = (send.clone(), send.clone());
    pool.spawn(move || {
        look();
        let _ = first.send(());
    });
    pool.spawn_fifo(move || {
        look();
        let _ = second.send(());
    });
    pool.spawn_broadcast(move |_| {
        look();
        let _ = send.send(());
    });
    assert_eq!(receive.iter().take(count).count(), count);
}

#[test]
fn everything_runs_on_threads_that_were_started() {
    within(|| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(3)
            .thread_name(|index| format!("worker {index}"))
            .start_handler(|_| STARTED.set(true))
            .build()
            .expect("a pool");
        for _ in 0..20 {
            everywhere(&pool, || {
                let index = current_thread_index().expect("inside");
                let name = format!("worker {index}");
                assert_eq!(thread::current().name(), Some(&*name));
                assert!(STARTED.get());
            });
            assert_eq!(pool.current_thread_index(), None);
        }
    });
}

/// A pool that asks for nothing special keeps callers' threads out as well.
#[test]
fn threads_of_callers_are_not_seen_inside() {
    within(|| {
        STARTED.set(true);
        let pool = pool(2);
        for _ in 0..20 {
            everywhere(&pool, || assert!(!STARTED.get()));
        }
    });
}

/// What would overflow a usual stack.
#[test]
fn stacks_are_as_large_as_asked_for() {
    #[inline(never)]
    fn deep(levels: usize) -> u8 {
        let page = std::hint::black_box([levels as u8; 1 << 16]);
        if levels == 0 {
            return page[7];
        }
        deep(levels - 1) ^ page[levels]
    }
    within(|| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .stack_size(64 << 20)
            .build()
            .expect("a pool");
        everywhere(&pool, || {
            std::hint::black_box(deep(200));
        });
    });
}

#[test]
fn handlers_run_once_for_each_thread() {
    within(|| {
        let seen = Arc::new(Mutex::new((Vec::new(), Vec::new())));
        let (starts, exits) = (Arc::clone(&seen), Arc::clone(&seen));
        let pool = ThreadPoolBuilder::new()
            .num_threads(4)
            .start_handler(move |index| {
                assert_eq!(current_thread_index(), Some(index));
                starts.lock().expect("no panic").0.push(index);
            })
            .exit_handler(move |index| exits.lock().expect("no panic").1.push(index))
            .build()
            .expect("a pool");
        pool.broadcast(|_| ());
        drop(pool);
        wait_until("the threads end", || {
            seen.lock().expect("no panic").1.len() == 4
        });
        let (mut starts, mut exits) = seen.lock().expect("no panic").clone();
        starts.sort();
        exits.sort();
        assert_eq!((starts, exits), (vec![0, 1, 2, 3], vec![0, 1, 2, 3]));
    });
}

#[test]
fn panics_of_handlers_go_to_the_panic_handler() {
    within(|| {
        let panics = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&panics);
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .start_handler(|_| panic!("start"))
            .exit_handler(|_| panic!("exit"))
            .panic_handler(move |payload| {
                assert!(["start", "exit"].contains(&&*text(&*payload)));
                counter.fetch_add(1, SeqCst);
            })
            .build()
            .expect("a pool");
        pool.broadcast(|_| ());
        assert_eq!(panics.load(SeqCst), 2);
        drop(pool);
        wait_until("exit handlers", || panics.load(SeqCst) == 4);
    });
}

#[test]
fn panics_of_handlers_end_the_program_where_there_is_no_panic_handler() {
    const TEST: &str = "panics_of_handlers_end_the_program_where_there_is_no_panic_handler";
    if !is_child(TEST) {
        let output = child(TEST, &[]);
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("aborting"), "{said}");
        return;
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .start_handler(|_| panic!("start"))
        .build()
        .expect("a pool");
    pool.install(|| ());
}

/// Those that were started end, and say so.
#[test]
fn a_refused_thread_is_an_error() {
    within(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&ended);
        let error = ThreadPoolBuilder::new()
            .num_threads(4)
            .exit_handler(move |_| {
                counter.fetch_add(1, SeqCst);
            })
            .spawn_handler(|thread| {
                if thread.index() == 2 {
                    return Err(io::Error::other("no more"));
                }
                thread::spawn(|| thread.run());
                Ok(())
            })
            .build()
            .expect_err("two threads of four");
        assert_eq!(error.to_string(), "no more");
        let source = std::error::Error::source(&error).expect("the refusal");
        let source = source.downcast_ref::<io::Error>().expect("as it was");
        assert_eq!(source.kind(), io::ErrorKind::Other);
        wait_until("two threads end", || ended.load(SeqCst) == 2);
    });
}

#[test]
fn the_system_refuses_what_it_cannot_give() {
    within(|| {
        let result = ThreadPoolBuilder::new()
            .num_threads(2)
            .stack_size(1 << 60)
            .build();
        let error = result.expect_err("no system has such a stack");
        assert!(std::error::Error::source(&error).is_some());
    });
}

#[test]
fn a_dropped_pool_lets_its_tasks_end() {
    within(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let pool = pool(2);
        for _ in 0..100 {
            let ended = Arc::clone(&ended);
            pool.spawn(move || {
                thread::yield_now();
                let later = Arc::clone(&ended);
                // Inside, this is the pool that is being dropped.
                sumac_rayon::spawn(move || {
                    later.fetch_add(1, SeqCst);
                });
                ended.fetch_add(1, SeqCst);
            });
        }
        drop(pool);
        wait_until("all tasks", || ended.load(SeqCst) == 200);
    });
}

#[test]
fn a_scoped_pool_borrows() {
    within(|| {
        let (words, seen) = (["a", "b"], Mutex::new(HashSet::new()));
        let sum = ThreadPoolBuilder::new()
            .num_threads(3)
            .thread_name(|index| format!("scoped {index}"))
            .build_scoped(
                |thread| {
                    assert_eq!(thread.name(), thread::current().name());
                    STARTED.set(true);
                    seen.lock().expect("no panic").insert(thread.index());
                    thread.run();
                },
                |pool| {
                    pool.broadcast(|_| assert!(STARTED.get()));
                    pool.install(|| join(|| words[0].len(), || words[1].len()))
                },
            );
        assert_eq!(sum.expect("a pool"), (1, 1));
        assert_eq!(seen.into_inner().expect("no panic").len(), 3);
    });
}

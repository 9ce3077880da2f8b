//! Several pools at once, threads that belong to one for good, and the old names.

mod common;

use common::*;
use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};
use sumac_rayon::{
    ThreadPool, ThreadPoolBuilder, current_num_threads, current_thread_index, join,
    max_num_threads, scope,
};

/// Each call of `install` is in the pool that it names.
#[test]
fn installs_across_pools() {
    fn visit(depth: usize, pools: &[ThreadPool]) -> usize {
        let Some(next) = depth.checked_sub(1) else {
            return 1;
        };
        let pool = &pools[depth % pools.len()];
        let both = pool.install(|| {
            assert_eq!(current_num_threads(), pool.current_num_threads());
            assert_eq!(current_thread_index(), pool.current_thread_index());
            join(|| visit(next, pools), || visit(next, pools))
        });
        both.0 + both.1
    }
    within(|| {
        let pools = [pool(1), pool(2), pool(3)];
        for round in 0..20 {
            assert_eq!(visit(6 + round % 3, &pools), 1 << (6 + round % 3));
        }
    });
}

/// There and back, although the first pool's only thread waits for the second.
#[test]
fn there_and_back() {
    within(|| {
        let (here, there) = (pool(1), pool(1));
        let value = here.install(|| there.install(|| here.install(|| there.install(|| 7))));
        assert_eq!(value, 7);
        let sum = AtomicUsize::new(0);
        here.scope(|s| {
            s.spawn(|_| {
                there.scope(|s| {
                    s.spawn(|_| {
                        here.scope(|s| {
                            s.spawn(|_| {
                                sum.fetch_add(1, SeqCst);
                            });
                        });
                    });
                });
            });
        });
        assert_eq!(sum.into_inner(), 1);
    });
}

/// Tasks of a scope run in its pool, also if they are spawned from another.
#[test]
fn tasks_stay_in_the_pool_of_their_scope() {
    within(|| {
        let (one, three) = (pool(1), pool(3));
        let ran = AtomicUsize::new(0);
        three.scope(|s| {
            for _ in 0..20 {
                one.install(|| {
                    s.spawn(|s| {
                        assert_eq!(current_num_threads(), 3);
                        ran.fetch_add(1, SeqCst);
                        s.spawn(|_| {
                            assert_eq!(current_num_threads(), 3);
                            ran.fetch_add(1, SeqCst);
                        });
                    });
                });
            }
        });
        assert_eq!(ran.load(SeqCst), 40);
        one.in_place_scope(|s| {
            three.install(|| s.spawn(|_| assert_eq!(current_num_threads(), 1)));
        });
    });
}

#[test]
fn many_callers_of_one_pool() {
    within(|| {
        let (pool, gauge) = (pool(2), Gauge::default());
        let sum = AtomicUsize::new(0);
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..100 {
                        let add = || {
                            gauge.call(2, || sum.fetch_add(1, SeqCst));
                        };
                        pool.scope(|s| {
                            s.spawn(move |_| add());
                            add();
                        });
                        pool.install(|| join(add, add));
                        assert_eq!(pool.current_thread_index(), None);
                    }
                });
            }
        });
        assert_eq!(sum.load(SeqCst), 8 * 100 * 4);
        assert!(gauge.most() <= 2);
    });
}

#[test]
fn the_current_thread_is_a_member_for_good() {
    within(|| {
        let build = || {
            let builder = ThreadPoolBuilder::new().num_threads(2);
            let named = builder.thread_name(|index| format!("other {index}"));
            named.use_current_thread().build()
        };
        let pool = build().expect("a pool");
        assert_eq!(current_thread_index(), Some(0));
        assert_eq!(pool.current_thread_index(), Some(0));
        assert_eq!((pool.current_num_threads(), current_num_threads()), (2, 2));
        let error = build().expect_err("it is in a pool");
        let text = "The current thread is already part of another thread pool.";
        assert_eq!(error.to_string(), text);
        assert!(error.source().is_none());

        let here = thread::current().id();
        assert_eq!(pool.install(|| thread::current().id()), here);
        scope(|s| {
            s.spawn(|_| assert_eq!(current_num_threads(), 2));
        });
        assert_eq!(join(|| thread::current().id(), || ()).0, here);
        let indices = pool.broadcast(|_| (current_thread_index(), thread::current().id() == here));
        assert_eq!(indices, [(Some(0), true), (Some(1), false)]);
        // The other thread runs tasks while this one waits for something else.
        let (send, receive) = mpsc::channel();
        pool.spawn(move || {
            let name = thread::current().name().map(str::to_owned);
            send.send((current_thread_index(), name)).expect("heard");
        });
        let heard = receive.recv().expect("the task runs");
        assert_eq!(heard, (Some(1), Some("other 1".to_owned())));
    });
}

#[test]
fn a_thread_of_a_pool_is_no_member_of_another() {
    within(|| {
        let error = pool(1).install(|| {
            let builder = ThreadPoolBuilder::new().num_threads(1);
            builder.use_current_thread().build().map(drop)
        });
        assert!(error.is_err());
    });
}

#[test]
fn no_pool_is_larger_than_the_largest() {
    assert!(max_num_threads() >= 255);
    within(|| {
        let error = ThreadPoolBuilder::new()
            .num_threads(usize::MAX)
            .spawn_handler(|thread| {
                assert!(thread.index() < 100);
                if thread.index() == 99 {
                    return Err(std::io::Error::other("enough"));
                }
                Ok(())
            })
            .build()
            .map(drop);
        assert_eq!(error.expect_err("enough").to_string(), "enough");
    });
}

/// The pool's handlers and captures go with its threads and its callers.
#[test]
fn nothing_is_kept() {
    within(|| {
        let kept = Arc::new(());
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..10 {
                    let (first, second) = (Arc::clone(&kept), Arc::clone(&kept));
                    let pool = ThreadPoolBuilder::new()
                        .num_threads(2)
                        .start_handler(move |_| drop(Arc::clone(&first)))
                        .panic_handler(move |_| drop(Arc::clone(&second)))
                        .build()
                        .expect("a pool");
                    let third = Arc::clone(&kept);
                    pool.spawn(move || drop(third));
                }
            });
        });
        wait_until("all are dropped", || Arc::strong_count(&kept) == 1);
    });
}

#[test]
fn builders_and_pools_print() {
    let builder = ThreadPoolBuilder::new()
        .num_threads(2)
        .thread_name(|index| index.to_string());
    let text = format!("{builder:?}");
    assert!(text.contains("num_threads: 2"), "{text}");
    assert!(text.contains("get_thread_name: Some(<closure>)"), "{text}");
    assert!(text.contains("exit_handler: None"), "{text}");
    let text = format!("{:?}", pool(2));
    assert!(text.contains("num_threads: 2"), "{text}");
}

#[test]
#[allow(deprecated)]
fn the_old_names() {
    use sumac_rayon::{Configuration, initialize};
    within(|| {
        let named = || Configuration::new().thread_name(|index| format!("old {index}"));
        let pool = ThreadPool::new(named().num_threads(2)).expect("a pool");
        let name = pool.install(|| thread::current().name().map(str::to_owned));
        assert!(name.expect("a name").starts_with("old "));
        assert_eq!(
            named()
                .num_threads(3)
                .build()
                .expect("a pool")
                .current_num_threads(),
            3
        );
        // There is one, at the latest now.
        join(|| (), || ());
        assert!(initialize(Configuration::new().breadth_first()).is_err());
    });
}

//! Values that follow the work: what sees none, tasks and futures, and where values are dropped.
//! Pools whose callers wait have no reserve, which could run what a thread leaves to a yield.

use std::{
    cell::RefCell,
    future::{self, Future, poll_fn},
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Waker},
    thread,
};

use crate::contexts::{DEPTH, OTHER, both_styles, depth, join_stolen, other};
use sumac::{
    Callers, Scope, ThreadPool, ThreadPoolBuilder,
    batch::{Batched, BatchedStructure, Plain, Request},
    prelude::*,
};
use sumac_test_support::{
    LONG, Style, caught, enter, pool, text, throw, wait_until, waited, within, work,
};

#[test]
fn what_is_no_part_of_the_call_sees_nothing_though_it_runs_in_it() {
    within(LONG, "a yield", || {
        let one = waited(1);
        one.install(|| {
            let task = sumac::spawn(|| {
                let seen = sumac::join(depth, depth);
                (seen, DEPTH.set(3, depth))
            });
            DEPTH.set(
                1,
                || while sumac::yield_now() != Some(sumac::Yield::Idle) {},
            );
            assert!(task.is_finished());
            assert_eq!(task.join(), ((None, None), Some(3)));
        });
    });
}

/// Says what it sees when it is dropped.
struct Looks(mpsc::Sender<(&'static str, Option<usize>)>, &'static str);

impl Drop for Looks {
    fn drop(&mut self) {
        let _ = self.0.send((self.1, depth()));
    }
}

sumac::context! {
    static LOOKS: Looks;
}

#[test]
fn what_ends_with_a_task_sees_nothing() {
    within(LONG, "ends of tasks", || {
        let (send, receive) = mpsc::channel();
        let looks = |what| Looks(send.clone(), what);
        let at_panics = send.clone();
        let one = ThreadPoolBuilder::new()
            .num_threads(1)
            .callers(Callers::Wait);
        let one = one.panic_handler(move |_| drop(Looks(at_panics.clone(), "the panic handler")));
        one.build().expect("a pool").install(|| {
            let outcome = looks("an outcome");
            drop(sumac::spawn(|| outcome));
            let output = looks("an output");
            drop(sumac::spawn_async(async { output }));
            drop(LOOKS.set(looks("a value"), || sumac::spawn(|| ())));
            drop(sumac::spawn(|| -> () { throw("for the handler") }));
            let closure = looks("a closure");
            let cancelled = LOOKS.set(looks("its value"), || sumac::spawn(|| drop(closure)));
            let future = future::pending::<Looks>();
            let future = LOOKS.set(looks("a future's value"), || sumac::spawn_async(future));
            DEPTH.set(1, || {
                assert!(cancelled.cancel() && future.cancel());
                while sumac::yield_now() != Some(sumac::Yield::Idle) {}
                LOOKS.set(looks("a value inside"), || ());
            });
        });
        let seen: Vec<_> = receive.try_iter().collect();
        assert_eq!(seen.len(), 8, "{seen:?}");
        assert!(seen.iter().all(|(_, seen)| seen.is_none()), "{seen:?}");
    });
}

#[test]
fn tasks_and_calls_see_the_value_of_their_spawning() {
    within(LONG, "tasks", || {
        let (two, waits) = (pool(2), waited(2));
        DEPTH.set(1, || {
            let task = two.spawn(depth);
            DEPTH.set(2, || assert_eq!(task.join(), Some(1)));
            assert_eq!(waits.install(depth), Some(1));
            for calls in [two.broadcast(|_| depth()), waits.broadcast(|_| depth())] {
                assert!(calls.iter().all(|&seen| seen == Some(1)), "{calls:?}");
            }
            let (send, receive) = mpsc::channel();
            two.spawn_broadcast(move |_| send.send(depth()).expect("the test waits"));
            assert!(receive.iter().all(|seen| seen == Some(1)));
            let seen = Mutex::new(Vec::new());
            two.task_scope(|s| {
                for i in 0..20 {
                    let seen = &seen;
                    let note = move || seen.lock().expect("no panic").push((i, depth()));
                    DEPTH.set(i, || s.spawn(move |_| note()));
                }
            });
            let seen = seen.into_inner().expect("no panic");
            assert_eq!(seen.len(), 20);
            assert!(seen.iter().all(|&(i, seen)| seen == Some(i)));
        });
    });
}

#[test]
fn each_step_of_a_future_sees_the_value_of_its_spawning() {
    within(LONG, "a future", || {
        let two = pool(2);
        let (send, receive) = mpsc::channel();
        let future = async move {
            let mut first = true;
            let before = depth();
            poll_fn(|context| {
                if std::mem::take(&mut first) {
                    send.send(context.waker().clone()).expect("the test waits");
                    return Poll::Pending;
                }
                Poll::Ready(())
            })
            .await;
            (before, depth())
        };
        let task = DEPTH.set(1, || sumac::spawn_async_in(&two, future));
        let waker = receive.recv().expect("the first step");
        DEPTH.set(2, || waker.wake());
        assert_eq!(DEPTH.set(3, || task.join()), (Some(1), Some(1)));
        let here = pin!(async { depth() });
        assert_eq!(DEPTH.set(4, || sumac::block_on(here)), Some(4));
    });
}

/// Answers with the depth that it sees, when it may go on.
#[derive(Default)]
struct Sees {
    begun: Arc<AtomicBool>,
    held: Arc<AtomicBool>,
}

impl BatchedStructure for Sees {
    type Op = ();
    type Answer = Option<usize>;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<(), Option<usize>>]) {
        self.begun.store(true, SeqCst);
        assert!(wait_until(LONG / 2, || !self.held.load(SeqCst)));
        let (seen, there) = scope.join(|_| depth(), |_| depth());
        assert_eq!(seen, there);
        for request in batch {
            request.answer(seen);
        }
    }
}

#[test]
fn an_operation_sees_its_callers_value_and_a_batch_none() {
    within(LONG, "batches", || {
        let two = pool(2);
        let sees = Sees::default();
        let (begun, held) = (Arc::clone(&sees.begun), Arc::clone(&sees.held));
        let sees = Batched::new_in(&two, sees);
        assert_eq!(DEPTH.set(1, || sees.apply(Plain(()))), Some(1));
        assert_eq!(sees.apply(Plain(())), None);
        begun.store(false, SeqCst);
        held.store(true, SeqCst);
        thread::scope(|threads| {
            let first = threads.spawn(|| DEPTH.set(1, || sees.apply(Plain(()))));
            assert!(wait_until(LONG / 2, || begun.load(SeqCst)));
            let mut later: Vec<_> = (0..3).map(|_| Box::pin(sees.submit(Plain(())))).collect();
            let mut context = Context::from_waker(Waker::noop());
            DEPTH.set(2, || {
                for later in &mut later {
                    assert!(later.as_mut().poll(&mut context).is_pending());
                }
            });
            held.store(false, SeqCst);
            assert_eq!(first.join().expect("no panic"), Some(1));
            for later in later {
                assert_eq!(DEPTH.set(3, || sumac::block_on(later)), None);
            }
        });
    });
}

#[test]
fn threads_of_the_standard_library_see_nothing() {
    DEPTH.set(1, || {
        thread::scope(|threads| {
            let there = threads.spawn(depth);
            assert_eq!(there.join().expect("no panic"), None);
        });
    });
}

#[test]
fn a_panic_restores_the_value() {
    both_styles(|cx| {
        DEPTH.set(1, || {
            let first = caught(|| DEPTH.set(2, || throw("the closure")));
            assert_eq!((text(&*first), depth()), ("the closure", Some(1)));
            let second = caught(|| {
                DEPTH.set(2, || {
                    join_stolen(cx, |_, _| (), || -> () { throw("the half") })
                })
            });
            assert_eq!((text(&*second), depth()), ("the half", Some(1)));
            assert_eq!(join_stolen(cx, |_, _| depth(), depth), (Some(1), Some(1)));
        });
    });
}

/// Counts its drops, after which it panics if it is to.
struct Counts(Arc<AtomicUsize>, bool);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
        assert!(!self.1, "a value");
    }
}

sumac::context! {
    static COUNTS: Counts;
    /// Of another library, say.
    static COUNTS_TOO: Counts;
}

/// Forks in all ways; `panics` in the end.
fn fork_in_all_ways(pool: &ThreadPool, panics: bool) {
    for style in Style::ALL {
        enter(style, pool, |cx| {
            join_stolen(cx, |_, _| (), || assert!(COUNTS.get().is_some()));
        });
    }
    pool.install(|| (0..1000).into_par_iter().for_each(|_| work()));
    pool.task_scope(|s| s.spawn(|_| assert!(COUNTS.get().is_some())));
    if panics {
        throw("in the end");
    }
}

#[test]
fn a_value_is_dropped_once_and_before_the_call_returns() {
    within(LONG, "drops", || {
        let two = pool(2);
        for panics in [false, true] {
            for closure_panics in [false, true] {
                let drops = Arc::new(AtomicUsize::new(0));
                let call = || {
                    COUNTS.set(Counts(Arc::clone(&drops), panics), || {
                        OTHER.set(1, || fork_in_all_ways(&two, closure_panics));
                    });
                };
                if closure_panics {
                    assert_eq!(text(&*caught(call)), "in the end");
                } else {
                    call();
                }
                assert_eq!(drops.load(SeqCst), 1);
                assert!(COUNTS.get().is_none() && other().is_none());
            }
        }
    });
}

#[test]
fn a_task_that_outlives_the_calls_keeps_the_values() {
    within(LONG, "a long task", || {
        for panics in [false, true] {
            let two = pool(2);
            let drops = Arc::new(AtomicUsize::new(0));
            let (end, ended) = mpsc::channel::<()>();
            let counts = || Counts(Arc::clone(&drops), panics);
            let spawn = || {
                two.spawn(move || {
                    let _ = ended.recv();
                    COUNTS.with(|counts| counts.map(|counts| counts.0.load(SeqCst)))
                })
            };
            let task = COUNTS.set(counts(), || COUNTS_TOO.set(counts(), spawn));
            assert_eq!(drops.load(SeqCst), 0);
            end.send(()).expect("the task waits");
            assert_eq!(task.join(), Some(0));
            assert_eq!(drops.load(SeqCst), 2);
        }
    });
}

#[test]
fn a_value_that_is_shared_stays() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mine = Arc::new(Counts(Arc::clone(&drops), false));
    let got = COUNTS.set(Arc::clone(&mine), || COUNTS.get().expect("it is set"));
    assert!(Arc::ptr_eq(&got, &mine));
    drop(mine);
    assert_eq!(drops.load(SeqCst), 0);
    drop(got);
    assert_eq!(drops.load(SeqCst), 1);
}

/// Looks for values, and sets one, when its thread ends.
struct AtTheEnd(mpsc::Sender<[Option<usize>; 2]>);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        let _ = self.0.send([depth(), DEPTH.set(2, depth)]);
    }
}

#[test]
fn destructors_of_thread_locals_may_set_values() {
    thread_local! {
        static END: RefCell<Option<AtTheEnd>> = const { RefCell::new(None) };
    }
    let (send, receive) = mpsc::channel();
    let thread = thread::spawn(move || {
        END.set(Some(AtTheEnd(send)));
        assert_eq!(
            DEPTH.set(1, || sumac::join(depth, depth)),
            (Some(1), Some(1))
        );
    });
    assert_eq!(receive.recv(), Ok([None, Some(2)]));
    thread.join().expect("no panic");
}

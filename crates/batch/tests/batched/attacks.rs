//! Programs that were written to break it: futures that are forgotten, destructors that use the
//! structure, pools that have gone.

use super::{
    in_time,
    probe::{Add, Op, Probe, act},
    until,
};
use std::{
    future::Future,
    mem,
    panic::{AssertUnwindSafe, catch_unwind, panic_any},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};
use sumac_batch::{Batched, BatchedStructure, Plain, Request};
use sumac_core::{Scope, ThreadPool};
use sumac_test_support::{pool, spin};

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// The only worker of `pool` is busy until the result is sent something.
fn occupy(pool: &ThreadPool) -> mpsc::Sender<()> {
    let (send, receive) = mpsc::channel::<()>();
    let (began, begins) = mpsc::channel();
    drop(pool.spawn(move || {
        let _ = began.send(());
        let _ = receive.recv();
    }));
    begins.recv().unwrap();
    send
}

/// The operation of a forgotten future may be entered when its structure has been dropped.
#[test]
fn forgotten_futures() {
    in_time("forgotten futures", || {
        for threads in [1, 2] {
            let pool = pool(threads);
            let busy = occupy(&pool);
            let batched = Batched::new_in(&pool, Probe::default());
            let token = Arc::new(());
            for _ in 0..3 {
                let kept = Arc::clone(&token);
                let op = act(move |_, _| {
                    let _kept = &kept;
                    0
                });
                let mut future = Box::pin(batched.submit(op));
                assert!(poll(future.as_mut()).is_pending());
                mem::forget(future);
            }
            drop(batched);
            drop(busy);
            // The pool goes on, and the operations are dropped.
            let worker = pool.spawn(|| 5);
            until(|| worker.is_finished());
            until(|| Arc::strong_count(&token) == 1);
        }
    });
}

/// The payload of a panic that is not asked for any more may panic, too.
#[test]
fn payloads_that_panic() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            if !thread::panicking() {
                panic_any("the payload");
            }
        }
    }
    in_time("payloads", || {
        let pool = pool(2);
        let batched = Arc::new(Batched::new_in(&pool, Probe::default()));
        let (began, over) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (b, o) = (Arc::clone(&began), Arc::clone(&over));
        let mut future = Box::pin(batched.submit(act(move |_, _| {
            b.store(true, SeqCst);
            until(|| o.load(SeqCst));
            panic_any(Bad)
        })));
        assert!(poll(future.as_mut()).is_pending());
        until(|| began.load(SeqCst));
        drop(future);
        over.store(true, SeqCst);
        until(|| batched.is_poisoned());
        batched.clear_poison();
        assert_eq!(batched.apply(Add(1)), 0);
        let worker = pool.spawn(|| 5);
        until(|| worker.is_finished());
    });
}

/// Futures wait for at most one turn of those who want the structure for themselves.
#[test]
fn claims_do_not_starve_futures() {
    in_time("starving futures", || {
        let pool = pool(2);
        let batched = Batched::new_in(&pool, Probe::default());
        let over = AtomicBool::new(false);
        thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    while !over.load(SeqCst) {
                        batched.with_mut(|_| spin(Duration::from_micros(200)));
                    }
                });
            }
            s.spawn(|| {
                for _ in 0..300 {
                    let mut future = pin!(batched.submit(Add(1)));
                    until(|| poll(future.as_mut()).is_ready());
                }
                over.store(true, SeqCst);
            });
        });
        let stats = batched.stats();
        assert!(stats.longest_wait_turns <= 2, "{stats:?}");
    });
}

#[test]
fn one_claimant_does_not_starve_futures() {
    in_time("starving futures, one claimant", || {
        let pool = pool(2);
        let batched = Batched::new_in(&pool, Probe::default());
        let busy = occupy(&pool);
        let mut future = pin!(batched.submit(Add(1)));
        assert!(poll(future.as_mut()).is_pending());
        for _ in 0..3 {
            batched.with_mut(|_| ());
        }
        assert!(poll(future.as_mut()).is_ready());
        drop(busy);
    });
}

/// Where its pool has ended, the thread that enters an operation leads, and does not end up inside
/// of itself if others keep on coming.
#[test]
fn futures_without_end_after_the_end_of_the_pool() {
    struct Feeds {
        ask: mpsc::SyncSender<()>,
        given: mpsc::Receiver<bool>,
    }
    impl BatchedStructure for Feeds {
        type Op = ();
        type Answer = ();
        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<(), ()>]) {
            batch.iter_mut().for_each(|request| request.answer(()));
            let _ = self.ask.send(());
            let _ = self.given.recv();
        }
    }
    in_time("the pool has ended", || {
        let (ask, asked) = mpsc::sync_channel(0);
        let (give, given) = mpsc::channel();
        let batched = Batched::new_in(&pool(2), Feeds { ask, given });
        thread::scope(|s| {
            s.spawn(|| {
                let give = give;
                let mut before = Vec::new();
                for _ in 0..1500 {
                    asked.recv().unwrap();
                    let mut futures: Vec<_> = (0..64)
                        .map(|_| Box::pin(batched.submit(Plain(()))))
                        .collect();
                    futures
                        .iter_mut()
                        .for_each(|future| assert!(poll(future.as_mut()).is_pending()));
                    give.send(true).unwrap();
                    before = futures;
                }
                drop(asked);
                drop(give);
                drop(before);
            });
            let stack = thread::Builder::new().stack_size(256 << 10);
            let leader = stack.spawn_scoped(s, || {
                let mut future = pin!(batched.submit(Plain(())));
                until(|| poll(future.as_mut()).is_ready());
            });
            leader.unwrap();
        });
    });
}

struct Bad;
impl Drop for Bad {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic_any("a destructor");
        }
    }
}

/// A structure whose operations and answers cannot be dropped without a panic.
struct Sink(Arc<AtomicBool>);
impl BatchedStructure for Sink {
    type Op = Bad;
    type Answer = Bad;
    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Bad, Bad>]) {
        for request in batch.iter_mut() {
            mem::forget(request.take_op());
            request.answer(Bad);
        }
        until(|| !self.0.load(SeqCst));
        if batch.len() > 1 {
            panic_any("the batch");
        }
    }
}

/// Answers of a batch that has panicked are dropped before their owners can see anything.
#[test]
fn answers_that_panic_in_a_batch_that_panics() {
    in_time("answers of a batch that panics", || {
        let pool = pool(2);
        let held = Arc::new(AtomicBool::new(true));
        let batched = Batched::new_in(&pool, Sink(Arc::clone(&held)));
        let enter = || {
            let mut future = Box::pin(batched.try_submit(Plain(Bad)));
            assert!(poll(future.as_mut()).is_pending());
            future
        };
        let mut futures = vec![enter()];
        until(|| batched.stats().batches == 1);
        futures.extend((0..5).map(|_| enter()));
        held.store(false, SeqCst);
        for mut future in futures {
            until(|| {
                let result = poll(future.as_mut());
                let ready = result.is_ready();
                mem::forget(result);
                ready
            });
        }
        assert!(batched.is_poisoned());
        // Their operations are dropped by the thread that has the structure.
        for _ in 0..3 {
            let result = catch_unwind(AssertUnwindSafe(|| batched.try_apply(Plain(Bad))));
            mem::forget(result);
        }
        let bad = Bad;
        let unused = move |_: &mut Sink| mem::forget(bad);
        assert!(catch_unwind(AssertUnwindSafe(|| batched.try_with_mut(unused))).is_err());
        batched.clear_poison();
        mem::forget(batched.try_apply(Plain(Bad)));
    });
}

/// Destructors of operations that use the structure are inside of its batch.
#[test]
fn destructors_that_use_the_structure() {
    struct Uses(Option<Arc<Batched<Keeps>>>, mpsc::Sender<bool>);
    impl Drop for Uses {
        fn drop(&mut self) {
            let Some(batched) = self.0.take() else { return };
            let nested = Plain(Uses(None, self.1.clone()));
            let result = catch_unwind(AssertUnwindSafe(|| batched.try_apply(nested)));
            let _ = self.1.send(result.is_err());
        }
    }
    struct Keeps;
    impl BatchedStructure for Keeps {
        type Op = Uses;
        type Answer = ();
        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Uses, ()>]) {
            batch.iter_mut().for_each(|request| request.answer(()));
        }
    }
    in_time("destructors that use the structure", || {
        for ended in [false, true] {
            let pool = pool(2);
            let batched = Arc::new(Batched::new_in(&pool, Keeps));
            if ended {
                pool.wait_until_stopped();
            }
            let (send, refused) = mpsc::channel();
            batched.apply(Plain(Uses(Some(Arc::clone(&batched)), send.clone())));
            assert!(refused.recv().unwrap());
            let own = Arc::clone(&batched);
            let mut future = pin!(batched.submit(Plain(Uses(Some(own), send.clone()))));
            until(|| poll(future.as_mut()).is_ready());
            assert!(refused.recv().unwrap());
            let own = Arc::clone(&batched);
            let poison = catch_unwind(AssertUnwindSafe(|| {
                batched.with_mut(|_| batched.apply(Plain(Uses(None, send.clone()))));
            }));
            assert!(poison.is_err() && batched.is_poisoned());
            let result = batched.try_apply(Plain(Uses(Some(own), send)));
            assert!(result.unwrap_err().is_poisoned());
            assert!(refused.recv().unwrap());
        }
    });
}

/// In destructors of thread-locals a thread is no pool's worker.
#[test]
fn in_destructors_of_thread_locals() {
    struct Late(Arc<Batched<Probe>>, mpsc::Sender<bool>);
    impl Drop for Late {
        fn drop(&mut self) {
            let batched = &self.0;
            self.0.apply(Add(1));
            let own = Arc::clone(batched);
            let nested = batched.try_apply(act(move |_, _| own.apply(Add(1))));
            batched.clear_poison();
            batched.with_mut(|probe| probe.sum += 1);
            let mut future = pin!(batched.submit(Add(1)));
            until(|| poll(future.as_mut()).is_ready());
            let _ = self.1.send(nested.is_err());
        }
    }
    thread_local!(static LATE: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) });
    in_time("thread-locals", || {
        let pool = pool(2);
        let batched = Arc::new(Batched::new_in(&pool, Probe::default()));
        thread::scope(|s| {
            for early in [false, true, false, true] {
                let batched = Arc::clone(&batched);
                let (send, refused) = mpsc::channel();
                s.spawn(move || {
                    // Destructors run in the reverse order of the first uses.
                    if early {
                        LATE.with_borrow_mut(|late| *late = Some(Late(Arc::clone(&batched), send)));
                        batched.with_mut(|_| ());
                    } else {
                        batched.with_mut(|_| ());
                        LATE.with_borrow_mut(|late| *late = Some(Late(Arc::clone(&batched), send)));
                    }
                });
                assert!(refused.recv().unwrap());
            }
        });
        assert_eq!(batched.with_mut(|probe| probe.sum), 12);
    });
}

/// Who drops the last handle in a batch leaves the structure to the leader, whom a panic in its
/// destructor does not concern.
#[test]
fn dropped_in_a_batch_that_a_worker_leads() {
    struct Loud(Probe, mpsc::Sender<()>);
    impl Drop for Loud {
        fn drop(&mut self) {
            let _ = self.1.send(());
            panic_any("a structure");
        }
    }
    impl BatchedStructure for Loud {
        type Op = Op;
        type Answer = i64;
        fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Op, i64>]) {
            self.0.run(scope, batch);
        }
    }
    in_time("dropped in a batch", || {
        let pool = pool(2);
        let (send, gone) = mpsc::channel();
        let batched = Arc::new(Batched::new_in(&pool, Loud(Probe::default(), send)));
        let (give, take) = mpsc::channel::<Arc<Batched<Loud>>>();
        let (begin, begins) = mpsc::channel();
        let op = Plain(Op::Act(Box::new(move |_, _| {
            begin.send(()).unwrap();
            drop(take.recv().unwrap());
            0
        })));
        let mut future = Box::pin(batched.submit(op));
        assert!(poll(future.as_mut()).is_pending());
        begins.recv().unwrap();
        drop(future);
        give.send(batched).unwrap();
        gone.recv().unwrap();
        let worker = pool.spawn(|| 5);
        until(|| worker.is_finished());
    });
}

//! Operations as futures: on any executor, dropped at any moment.

use super::{
    in_time,
    probe::{Add, Probe, act},
    until,
};
use std::{
    collections::VecDeque,
    future::Future,
    mem,
    panic::resume_unwind,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};
use sumac_batch::{Batched, BatchedStructure, Plain, Request};
use sumac_core::Scope;
use sumac_test_support::{pool, spin};

#[derive(Default)]
pub(super) struct Count(AtomicUsize);

impl Count {
    pub(super) fn number(&self) -> usize {
        self.0.load(SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

pub(super) fn poll<F: Future>(future: Pin<&mut F>, count: &Arc<Count>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::clone(count));
    future.poll(&mut Context::from_waker(&waker))
}

#[test]
fn on_tokio() {
    in_time("tokio", || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap();
        let batched = Arc::new(Batched::new(Probe::default()));
        let tasks: Vec<_> = (0..1000)
            .map(|_| {
                let batched = Arc::clone(&batched);
                runtime.spawn(async move {
                    for _ in 0..10 {
                        batched.submit(Add(1)).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).unwrap();
        }
        assert_eq!(batched.with_mut(|probe| probe.sum), 10_000);
    });
}

/// A batch that runs until it is told to end, so that others gather.
fn hold(batched: &Arc<Batched<Probe>>) -> (Arc<AtomicBool>, thread::JoinHandle<()>) {
    let (held, began) = (
        Arc::new(AtomicBool::new(true)),
        Arc::new(AtomicBool::new(false)),
    );
    let holder = {
        let (batched, held, began) = (Arc::clone(batched), Arc::clone(&held), Arc::clone(&began));
        thread::spawn(move || {
            batched.apply(act(move |_, _| {
                began.store(true, SeqCst);
                until(|| !held.load(SeqCst));
                0
            }));
        })
    };
    until(|| began.load(SeqCst));
    (held, holder)
}

#[test]
fn dropped_before_their_batch_they_are_not_carried_out() {
    in_time("dropped while the batch forms", || {
        let batched = Arc::new(Batched::new(Probe::default()));
        let (held, holder) = hold(&batched);
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let mut futures: Vec<_> = (0..20)
            .map(|i| Box::pin(batched.submit(Add(1 << i))))
            .collect();
        for future in &mut futures {
            assert!(poll(future.as_mut(), &count).is_pending());
        }
        // From the front, the middle and the back.
        let mut expected = (1 << 20) - 1;
        for i in [0, 0, 9, 16] {
            let future = futures.remove(i);
            drop(future);
        }
        for bit in [0, 1, 11, 19] {
            expected -= 1 << bit;
        }
        held.store(false, SeqCst);
        holder.join().unwrap();
        for mut future in futures {
            until(|| poll(future.as_mut(), &count).is_ready());
        }
        assert_eq!(batched.with_mut(|probe| probe.sum), expected);
    });
}

/// Those that are left keep their order of arrival, and know their places in it.
#[test]
fn dropped_before_their_batch_they_change_no_order() {
    #[derive(Default)]
    struct Log(Vec<usize>);
    impl BatchedStructure for Log {
        type Op = usize;
        type Answer = ();
        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<usize, ()>]) {
            for (place, request) in batch.iter_mut().enumerate() {
                assert_eq!(request.index(), place);
                self.0.push(request.take_op());
                request.answer(());
            }
        }
    }
    let count = Arc::new(Count(AtomicUsize::new(0)));
    let enter = |batched: &Arc<Batched<Log>>, op| {
        let batched = Arc::clone(batched);
        let count = Arc::clone(&count);
        let mut future = Box::pin(async move { batched.submit(Plain(op)).await });
        assert!(poll(future.as_mut(), &count).is_pending());
        future
    };
    // What is dropped: the first, the last, every other, all but the last two, all.
    let dropped: [fn(usize) -> bool; 5] = [
        |op| op == 0,
        |op| op == 9,
        |op| op % 2 == 0,
        |op| op < 8,
        |_| true,
    ];
    let batched = Arc::new(Batched::new(Log::default()));
    for dropped in dropped {
        let mut kept = Vec::new();
        thread::scope(|s| {
            let (began, begins) = mpsc::channel();
            let (release, released) = mpsc::channel::<()>();
            let batched = &batched;
            s.spawn(move || {
                batched.with_mut(|_| {
                    began.send(()).unwrap();
                    let _ = released.recv();
                });
            });
            begins.recv().unwrap();
            let futures: Vec<_> = (0..10).map(|op| (op, enter(batched, op))).collect();
            let (gone, left): (Vec<_>, Vec<_>) = futures.into_iter().partition(|f| dropped(f.0));
            kept = left;
            kept.push((10, enter(batched, 10)));
            drop(gone);
            kept.push((11, enter(batched, 11)));
            drop(release);
        });
        let expected: Vec<_> = kept.iter().map(|(op, _)| *op).collect();
        for (_, mut future) in kept {
            until(|| poll(future.as_mut(), &count).is_ready());
        }
        assert_eq!(batched.with_mut(|log| mem::take(&mut log.0)), expected);
    }
}

/// Dropping a future takes constant time, however many wait before and behind it.
#[test]
fn many_are_dropped_before_their_batch() {
    in_time("many that are dropped", || {
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let batched = Arc::new(Batched::new(Probe::default()));
        let (held, holder) = hold(&batched);
        let many = if cfg!(debug_assertions) {
            100_000
        } else {
            500_000
        };
        let mut futures: VecDeque<_> = (0..many)
            .map(|_| Box::pin(batched.submit(Add(1))))
            .collect();
        for future in &mut futures {
            assert!(poll(future.as_mut(), &count).is_pending());
        }
        while futures.len() > 1 {
            // From the front, the back and the middle.
            futures.pop_front();
            futures.pop_back();
            let middle = futures.len() / 2;
            futures.swap_remove_back(middle);
        }
        held.store(false, SeqCst);
        holder.join().unwrap();
        let left = futures.len() as i64;
        for mut future in futures {
            until(|| poll(future.as_mut(), &count).is_ready());
        }
        assert_eq!(batched.with_mut(|probe| probe.sum), left);
    });
}

#[test]
fn dropped_during_their_batch_they_are_carried_out() {
    in_time("dropped while the batch runs", || {
        for _ in 0..200 {
            let batched = Arc::new(Batched::new(Probe::default()));
            let (held, holder) = hold(&batched);
            let began = Arc::new(AtomicBool::new(false));
            let count = Arc::new(Count(AtomicUsize::new(0)));
            let acts = (0..3).map(|_| {
                let began = Arc::clone(&began);
                act(move |probe, _| {
                    began.store(true, SeqCst);
                    spin(Duration::from_micros(5));
                    probe.sum += 1;
                    0
                })
            });
            let mut futures: Vec<_> = acts.map(|act| Box::pin(batched.submit(act))).collect();
            for future in &mut futures {
                assert!(poll(future.as_mut(), &count).is_pending());
            }
            held.store(false, SeqCst);
            until(|| began.load(SeqCst));
            drop(futures);
            holder.join().unwrap();
            until(|| batched.with_mut(|probe| probe.sum) == 3);
        }
    });
}

#[test]
fn wakers_are_replaced() {
    in_time("wakers", || {
        let batched = Arc::new(Batched::new(Probe::default()));
        let (held, holder) = hold(&batched);
        let [first, second] = [(); 2].map(|()| Arc::new(Count(AtomicUsize::new(0))));
        let mut future = pin!(batched.submit(Add(1)));
        assert!(poll(future.as_mut(), &first).is_pending());
        assert!(poll(future.as_mut(), &second).is_pending());
        held.store(false, SeqCst);
        holder.join().unwrap();
        until(|| second.0.load(SeqCst) == 1);
        assert_eq!(first.0.load(SeqCst), 0);
        assert!(poll(future.as_mut(), &second).is_ready());
    });
}

#[test]
fn panics_reach_the_futures() {
    in_time("futures of a batch that panics", || {
        let batched = Arc::new(Batched::new(Probe::default()));
        let (held, holder) = hold(&batched);
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let mut good = pin!(batched.try_submit(Add(1)));
        let mut bad = pin!(batched.try_submit(act(|_, _| resume_unwind(Box::new("boom")))));
        assert!(poll(good.as_mut(), &count).is_pending());
        assert!(poll(bad.as_mut(), &count).is_pending());
        held.store(false, SeqCst);
        holder.join().unwrap();
        until(|| count.0.load(SeqCst) == 2);
        let both = [poll(good.as_mut(), &count), poll(bad.as_mut(), &count)];
        for poll in both {
            let Poll::Ready(Err(error)) = poll else {
                panic!("both are told")
            };
            assert!(error.is_panic());
        }
        let mut late = pin!(batched.try_submit(Add(1)));
        until(|| matches!(poll(late.as_mut(), &count), Poll::Ready(Err(e)) if e.is_poisoned()));
    });
}

/// Wakers are users' code.
#[test]
fn wakers_may_panic() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            resume_unwind(Box::new("a waker"));
        }
    }
    in_time("wakers that panic", || {
        let batched = Arc::new(Batched::new(Probe::default()));
        for _ in 0..20 {
            let waker = Waker::from(Arc::new(Bad));
            let mut future = pin!(batched.submit(Add(1)));
            until(|| {
                future
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_ready()
            });
        }
        assert_eq!(batched.apply(Add(0)), 20);
    });
}

#[test]
fn the_structure_outlives_its_pool() {
    in_time("a pool that has ended", || {
        let batched = Arc::new(Batched::new_in(&pool(2), Probe::default()));
        assert_eq!(batched.apply(Add(1)), 0);
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let mut future = pin!(batched.submit(Add(1)));
        until(|| poll(future.as_mut(), &count).is_ready());
        assert_eq!(batched.apply_all(vec![Add(1)]), [2]);
    });
}

/// Tasks that give up after random times, while others go on: none is lost, none is done twice.
#[test]
fn futures_that_give_up() {
    in_time("futures that give up", || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(3)
            .enable_time()
            .build()
            .unwrap();
        let batched = Arc::new(Batched::new(Probe::default()));
        let (done, given_up) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..300_u64)
            .map(|i| {
                let (batched, done, given_up) = (
                    Arc::clone(&batched),
                    Arc::clone(&done),
                    Arc::clone(&given_up),
                );
                runtime.spawn(async move {
                    for j in 0..20 {
                        let patience = Duration::from_micros((i * 37 + j * 101) % 300);
                        let add = batched.submit(Add(1));
                        if tokio::time::timeout(patience, add).await.is_ok() {
                            done.fetch_add(1, SeqCst);
                        } else {
                            given_up.fetch_add(1, SeqCst);
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).unwrap();
        }
        let (done, given_up) = (done.load(SeqCst) as i64, given_up.load(SeqCst) as i64);
        assert_eq!(done + given_up, 6000);
        let sum = batched.with_mut(|probe| probe.sum);
        assert!(
            done <= sum && sum <= done + given_up,
            "{done} {sum} {given_up}"
        );
    });
}

//! Every operation is carried out once, and its answer comes back to its caller.

use super::{
    in_time,
    probe::{Add, Op, Probe, act},
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};
use sumac_batch::{Batched, BatchedStructure, Combining, FastCounter, Plain, Request};
use sumac_core::Scope;
use sumac_par::prelude::*;
use sumac_test_support::pool;

const SIZES: [usize; 4] = [1, 2, 3, 8];

/// The sums before are 0, 1, 2, .. in some order.
fn assert_each_once(mut answers: Vec<i64>) {
    answers.sort_unstable();
    let expected: Vec<i64> = (0..answers.len() as i64).collect();
    assert_eq!(answers, expected);
}

#[test]
fn threads_of_all_kinds() {
    in_time("threads", || {
        for threads in SIZES {
            let pool = pool(threads);
            let batched = Batched::new_in(&pool, Probe::default());
            let answers = Mutex::new(Vec::new());
            thread::scope(|s| {
                for _ in 0..3 {
                    s.spawn(|| {
                        for _ in 0..500 {
                            let answer = batched.apply(Add(1));
                            answers.lock().unwrap().push(answer);
                        }
                    });
                }
                let of_workers: Vec<_> = pool.install(|| {
                    let all = (0..2000).into_par_iter();
                    all.map(|_| batched.apply(Add(1))).collect()
                });
                answers.lock().unwrap().extend(of_workers);
            });
            assert_each_once(answers.into_inner().unwrap());
            let stats = batched.stats();
            assert_eq!(stats.operations, 3500);
            assert!(stats.longest_wait_turns <= 2, "{stats:?}");
            assert_eq!(batched.into_inner().unwrap().sum, 3500);
        }
    });
}

#[test]
fn batches_of_one_structure_in_batches_of_another() {
    let inner = Arc::new(Batched::new(Probe::default()));
    let outer = Batched::new(Probe::default());
    for i in 0..10 {
        let inner = Arc::clone(&inner);
        let answer = outer.apply(act(move |_, scope| {
            let (a, b) = scope.join(|_| inner.apply(Add(1)), |_| inner.apply(Add(1)));
            a + b
        }));
        assert_eq!(answer, 4 * i + 1);
    }
}

#[test]
fn explicit_batches_answer_in_order() {
    for threads in SIZES {
        pool(threads).install(|| {
            let batched = Batched::new(Probe::default());
            for len in [0, 1, 2, 31, 1000] {
                let before = batched.with_mut(|probe| probe.sum);
                let answers = batched.apply_all(vec![Add(1); len]);
                // The structure reverses them.
                let expected: Vec<_> = (before..before + len as i64).rev().collect();
                assert_eq!(answers, expected);
            }
            assert_eq!(batched.stats().largest, 1000);
        });
    }
}

#[test]
fn a_limit_cuts_batches() {
    in_time("a limit", || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap();
        let batched = Arc::new(Batched::new(Probe::default()).with_batch_limit(7));
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let batched = Arc::clone(&batched);
                runtime.spawn(async move { batched.submit(Add(1)).await })
            })
            .collect();
        let answers = tasks
            .into_iter()
            .map(|task| runtime.block_on(task).unwrap());
        assert_each_once(answers.collect());
        assert!(batched.stats().largest <= 7);
    });
}

#[test]
#[should_panic(expected = "at least one operation")]
fn a_limit_of_nothing_is_refused() {
    let _ = Batched::new(Probe::default()).with_batch_limit(0);
}

#[test]
fn exclusive_access_excludes() {
    in_time("exclusive access", || {
        let batched = Batched::new(Probe::default());
        let over = AtomicBool::new(false);
        thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    while !over.load(SeqCst) {
                        batched.apply(Add(2));
                    }
                });
            }
            for _ in 0..1000 {
                batched.with_mut(|probe| {
                    assert_eq!(probe.inside.load(SeqCst), 0);
                    let before = probe.sum;
                    thread::yield_now();
                    assert_eq!(probe.sum, before);
                    probe.sum += 1;
                });
            }
            over.store(true, SeqCst);
        });
        let sum = batched.into_inner().unwrap().sum;
        assert_eq!(sum % 2, 0);
        assert!(sum >= 1000);
    });
}

/// A structure may exchange requests with another one's: the one that loses gets an error, and no
/// caller hangs or gets two answers.
#[test]
fn requests_may_be_exchanged() {
    struct Thief(Option<Arc<Batched<Thief>>>);
    impl BatchedStructure for Thief {
        type Op = u8;
        type Answer = u8;
        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<u8, u8>]) {
            for request in &mut *batch {
                let op = *request.op();
                request.answer(op);
            }
            let Some(other) = self.0.take() else { return };
            let mine = Mutex::new(batch);
            thread::scope(|s| {
                s.spawn(|| {
                    other.with_mut(|_| {});
                    let mut mine = mine.lock().unwrap();
                    // A batch of two with the same request twice, as it were.
                    if mine.len() == 2 {
                        let (a, b) = mine.split_at_mut(1);
                        std::mem::swap(&mut a[0], &mut b[0]);
                    }
                });
            });
        }
    }
    in_time("exchanged requests", || {
        let other = Arc::new(Batched::new(Thief(None)));
        let batched = Batched::new(Thief(Some(other)));
        assert_eq!(batched.apply_all(vec![Plain(1), Plain(2)]), [1, 2]);
    });
}

#[test]
fn an_operation_without_an_answer_is_an_error() {
    let batched = Batched::new(Probe::default());
    let error = batched.try_apply(Plain(Op::Skip)).unwrap_err();
    assert!(!error.is_panic() && !error.is_poisoned());
    assert!(error.to_string().contains("without an answer"), "{error}");
    assert_eq!(batched.apply(Add(1)), 0);
    let all = batched.try_apply_all(vec![Plain(Op::Add(1)), Plain(Op::Skip)]);
    assert!(all.is_err());
    assert_eq!(batched.apply(Add(1)), 2);
}

#[test]
fn structures_may_borrow() {
    struct Keep<'a>(Vec<&'a str>);
    impl<'a> BatchedStructure for Keep<'a> {
        type Op = &'a str;
        type Answer = ();
        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<&'a str, ()>]) {
            for request in batch {
                self.0.push(request.take_op());
                request.answer(());
            }
        }
    }
    let text = "fork join".to_string();
    let keep = Batched::new(Keep(Vec::new()));
    thread::scope(|s| {
        for word in text.split(' ') {
            let keep = &keep;
            s.spawn(move || keep.apply(Plain(word)));
        }
    });
    assert_eq!(keep.into_inner().unwrap().0.len(), 2);
}

#[test]
fn combining_is_a_mutex() {
    in_time("combining", || {
        let list = Combining::new(Vec::new());
        thread::scope(|s| {
            for t in 0..4 {
                let list = &list;
                s.spawn(move || {
                    for i in 0..1000 {
                        let len = list.with(|list| {
                            list.push((t, i));
                            list.len()
                        });
                        assert!(len <= 4000);
                    }
                });
            }
        });
        let list = list.into_inner().unwrap();
        for t in 0..4 {
            let mine: Vec<_> = list
                .iter()
                .filter(|(of, _)| *of == t)
                .map(|(_, i)| *i)
                .collect();
            assert_eq!(mine, (0..1000).collect::<Vec<_>>());
        }
    });
}

#[test]
fn fast_counters_count() {
    let counter = FastCounter::new(0);
    let answers = Mutex::new(Vec::new());
    thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| {
                let mine: Vec<_> = (0..2000).map(|_| counter.add(1)).collect();
                assert!(mine.is_sorted());
                answers.lock().unwrap().extend(mine);
            });
        }
    });
    assert_each_once(answers.into_inner().unwrap());
    assert_eq!(counter.get(), 6000);
}

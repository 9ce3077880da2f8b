//! Operations that only look: side by side, never beside a change, never inside of each other.

use super::{in_time, until};
use std::{
    future::Future,
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::pin,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};
use sumac_batch::{Batched, BatchedStructure, Plain, Reads, Request};
use sumac_core::{Scope, ThreadPool, ThreadPoolBuilder, yield_now};
use sumac_test_support::waited_builder;

/// A number, and how many reads look at it at the moment.
#[derive(Default)]
struct Number {
    number: usize,
    reads: AtomicUsize,
}

type Look = Box<dyn FnOnce(&Number) + Send>;

enum Op {
    Add(usize),
    Look(Look),
}

fn look(f: impl FnOnce(&Number) + Send + 'static) -> Plain<Op> {
    Plain(Op::Look(Box::new(f)))
}

fn add(n: usize) -> Plain<Op> {
    Plain(Op::Add(n))
}

impl Number {
    fn look(&self, op: Op) -> usize {
        self.reads.fetch_add(1, SeqCst);
        if let Op::Look(f) = op {
            f(self);
        }
        self.reads.fetch_sub(1, SeqCst);
        self.number
    }
}

impl BatchedStructure for Number {
    type Op = Op;
    type Answer = usize;

    const READS: Option<Reads<Self>> =
        Some(Reads::new(|op| matches!(op, Op::Look(_)), Number::look));

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Op, usize>]) {
        for request in batch {
            assert_eq!(*self.reads.get_mut(), 0, "a read is beside a batch");
            let answer = match request.take_op() {
                Op::Add(n) => {
                    self.number += n;
                    self.number
                }
                op => self.look(op),
            };
            request.answer(answer);
        }
    }
}

#[test]
fn two_reads_are_side_by_side() {
    in_time("two reads", || {
        let batched = Batched::new(Number::default());
        let both = Arc::new(Barrier::new(2));
        thread::scope(|s| {
            for _ in 0..2 {
                let (batched, both) = (&batched, Arc::clone(&both));
                s.spawn(move || {
                    batched.apply(look(move |_| {
                        both.wait();
                    }))
                });
            }
        });
        assert_eq!(batched.stats().operations, 0, "reads form no batch");
    });
}

/// Of each kind: one that begins by itself, a claim, and a future whose task leads.
#[test]
fn changes_wait_for_reads() {
    in_time("changes that wait for reads", || {
        let batched = Batched::new(Number::default());
        for kind in 0..3 {
            static THERE: AtomicBool = AtomicBool::new(false);
            static DONE: AtomicBool = AtomicBool::new(false);
            THERE.store(false, SeqCst);
            DONE.store(false, SeqCst);
            thread::scope(|s| {
                s.spawn(|| {
                    batched.apply(look(|_| {
                        THERE.store(true, SeqCst);
                        // Long enough for the leader to sleep between its looks.
                        thread::sleep(Duration::from_millis(80));
                        assert!(!DONE.load(SeqCst), "a change is beside a read");
                    }))
                });
                until(|| THERE.load(SeqCst));
                match kind {
                    0 => _ = batched.apply(add(1)),
                    1 => batched.with_mut(|n| n.number += 1),
                    _ => {
                        let mut future = pin!(batched.submit(add(1)));
                        let mut context = Context::from_waker(Waker::noop());
                        while future.as_mut().poll(&mut context).is_pending() {
                            thread::yield_now();
                        }
                    }
                }
                DONE.store(true, SeqCst);
            });
        }
        assert_eq!(batched.apply(look(|_| ())), 3);
    });
}

#[test]
fn reads_must_not_use_their_own_structure() {
    in_time("reads inside of reads", || {
        static STRUCTURES: Two = Two::new();
        let (one, other) = STRUCTURES.get();
        let message = |f: fn()| {
            let panic = catch_unwind(f).expect_err("it is noticed");
            panic.downcast_ref::<&str>().map(|m| (*m).to_owned())
        };
        let cases: [fn(); 4] = [
            || _ = STRUCTURES.get().0.apply(look(|_| ())),
            || _ = STRUCTURES.get().0.apply(add(1)),
            || STRUCTURES.get().0.with_mut(|_| ()),
            || {
                let mut future = pin!(STRUCTURES.get().0.submit(add(1)));
                _ = future
                    .as_mut()
                    .poll(&mut Context::from_waker(Waker::noop()));
            },
        ];
        for case in cases {
            // The other structure's read lies between.
            one.apply(look(move |_| {
                STRUCTURES.get().1.apply(look(move |_| {
                    let message = message(case).unwrap_or_default();
                    assert!(message.contains("must not use the structure itself"));
                }));
            }));
        }
        assert_eq!((one.apply(add(1)), other.apply(add(1))), (1, 1));
    });
}

/// Two structures that live for ever.
struct Two(std::sync::OnceLock<(Batched<Number>, Batched<Number>)>);

impl Two {
    const fn new() -> Self {
        Two(std::sync::OnceLock::new())
    }

    fn get(&self) -> &(Batched<Number>, Batched<Number>) {
        self.0.get_or_init(Default::default)
    }
}

#[test]
fn a_read_that_panics_poisons_and_goes() {
    let batched = Batched::new(Number::default());
    let panics = || batched.apply(look(|_| resume_unwind(Box::new("boom"))));
    let payload = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"boom"));
    assert!(batched.try_apply(look(|_| ())).unwrap_err().is_poisoned());
    batched.clear_poison();
    batched.with_mut(|n| n.reads = AtomicUsize::new(0));
    assert_eq!(batched.apply(add(1)), 1, "the read has gone");
}

#[test]
fn a_future_that_only_looks_is_ready_at_once() {
    let batched = Batched::new(Number::default());
    let mut future = pin!(batched.submit(look(|_| ())));
    let polled = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(0));
}

/// Its only worker looks for work inside of a read, and finds the task that would lead, and
/// would wait for the read.
#[test]
fn a_worker_inside_of_a_read_does_not_lead() {
    in_time("a worker inside of a read", || {
        for newest_first in [false, true] {
            let builder = ThreadPoolBuilder::new().num_threads(1);
            let pool = builder.newest_first(newest_first).build().unwrap();
            let batched = Arc::new(Batched::new_in(&pool, Number::default()));
            let (ended, end) = mpsc::channel::<()>();
            let test = pool.spawn(move || {
                let _ended = ended;
                let mut context = Context::from_waker(Waker::noop());
                let mut future = pin!(batched.submit(add(1)));
                assert!(future.as_mut().poll(&mut context).is_pending());
                let number = batched.apply(look(|_| (0..10).for_each(|_| _ = yield_now())));
                assert_eq!(number, 0, "the operation waits");
                until(|| {
                    yield_now();
                    future.as_mut().poll(&mut context).is_ready()
                });
            });
            // Who joins helps, and would be a second thread that can lead.
            assert!(end.recv().is_err());
            test.join();
        }
    });
}

/// A pool whose threads were all refused; it starts no others.
fn refused() -> ThreadPool {
    let refuse = |_| Err(io::Error::other("no threads today"));
    let builder = waited_builder(2).spawn_handler(refuse);
    let pool = builder.build().expect("a pool without threads");
    assert!(pool.spawn_error().is_some());
    pool
}

/// The reserve leads what is entered, or the read that drops the pool when it has gone: inside, it
/// would wait for itself.
#[test]
fn reads_that_drop_a_pool_without_threads() {
    in_time("a read that drops a pool", || {
        for panics in [false, true] {
            let pool = refused();
            let batched = Batched::new_in(&pool, Number::default());
            let mut context = Context::from_waker(Waker::noop());
            let mut future = pin!(batched.try_submit(add(1)));
            assert!(future.as_mut().poll(&mut context).is_pending());
            let other = Batched::new_in(&pool, Number::default());
            let mut others = pin!(other.submit(add(1)));
            assert!(others.as_mut().poll(&mut context).is_pending());
            let read = batched.try_apply(look(move |_| {
                drop(pool);
                if panics {
                    resume_unwind(Box::new("boom"));
                }
            }));
            assert_eq!(read.is_err(), panics);
            until(|| match future.as_mut().poll(&mut context) {
                Poll::Ready(led) => led.is_ok_and(|number| number == 1) || panics,
                Poll::Pending => false,
            });
            until(|| others.as_mut().poll(&mut context) == Poll::Ready(1));
        }
    });
}

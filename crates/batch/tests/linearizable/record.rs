//! Records histories: threads, workers and futures use a structure at the same time, at random,
//! with a clock at hand.

use crate::checker::{Event, History, Spec};
use fastrand::Rng;
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Barrier,
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake},
    thread::{self, Thread},
    time::Duration,
};
use sumac_batch::{Batched, BatchedStructure, Plain, Request};
use sumac_core::{Scope, ThreadPool};

/// What histories are recorded of.
pub(crate) trait Subject: Spec<Op: Clone + Send + Sync, Answer: Send> {
    type Structure: BatchedStructure<Op = Self::Op, Answer = Self::Answer> + 'static;

    fn structure() -> Self::Structure;

    /// The same as a state.
    fn initial() -> Self::State;

    /// Any operation.
    fn op(random: &mut Rng) -> Self::Op;
}

/// A structure that takes its time, so that callers meet.
struct Slow<D>(D, Rng);

impl<D: BatchedStructure> BatchedStructure for Slow<D> {
    type Op = D::Op;
    type Answer = D::Answer;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<D::Op, D::Answer>]) {
        self.rest();
        self.0.run(scope, batch);
        self.rest();
    }
}

impl<D> Slow<D> {
    /// Sleeps or not. (A thread that only yields waits for long beside busy processes.)
    fn rest(&mut self) {
        if self.1.bool() {
            thread::sleep(Duration::from_nanos(1));
        }
    }
}

/// How operations are called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callers {
    /// `apply`, and sometimes `apply_all`, in threads of their own.
    Threads,
    /// The same in workers of the pool: in jobs of theirs, of which one may run above another that
    /// waits, and in all workers at once.
    Workers,
    /// `submit`, some futures at a time, of which some are dropped, in threads of their own.
    Futures,
}

const CALLERS: usize = 3;
const OPS: u64 = 8;
/// A caller drops at most so many futures: each doubles what the checker may have to try.
const DROPS: usize = 2;

/// Records one history. Returns it, and in how many batches operations met that had not been called
/// together.
pub(crate) fn record<S: Subject>(pool: &ThreadPool, how: Callers, seed: u64) -> (History<S>, u64) {
    let structure = Batched::new_in(pool, Slow(S::structure(), Rng::with_seed(!seed)));
    let clock = AtomicUsize::new(0);
    let together = AtomicU64::new(0);
    let ready = Barrier::new(CALLERS);
    let caller = |index: usize| {
        let mut caller = Caller::<S> {
            structure: &structure,
            clock: &clock,
            together: &together,
            random: Rng::with_seed(seed * CALLERS as u64 + index as u64 + 1),
            history: Vec::new(),
            dropped: 0,
        };
        caller.go(how);
        caller.history
    };
    let at_once = |index: usize| {
        ready.wait();
        caller(index)
    };
    let history = match how {
        Callers::Workers if seed % 2 == 0 => {
            let (a, (b, c)) = pool.install(|| {
                sumac_core::join(
                    || caller(0),
                    || sumac_core::join(|| caller(1), || caller(2)),
                )
            });
            [a, b, c].into_iter().flatten().collect()
        }
        Callers::Workers => {
            assert_eq!(pool.current_num_threads(), CALLERS);
            let of_each = pool.broadcast(|context| at_once(context.index()));
            of_each.into_iter().flatten().collect()
        }
        Callers::Threads | Callers::Futures => thread::scope(|s| {
            let at_once = &at_once;
            let threads: Vec<_> = (0..CALLERS).map(|i| s.spawn(move || at_once(i))).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
                .collect()
        }),
    };
    let sizes = structure.stats().sizes;
    let several = sizes.iter().filter(|class| *class.sizes.start() > 1);
    let batches: u64 = several.map(|class| class.batches).sum();
    (history, batches - together.load(SeqCst))
}

struct Caller<'b, S: Subject> {
    structure: &'b Batched<Slow<S::Structure>>,
    clock: &'b AtomicUsize,
    /// Counts batches of operations that were called together.
    together: &'b AtomicU64,
    random: Rng,
    history: History<S>,
    dropped: usize,
}

impl<S: Subject> Caller<'_, S> {
    fn go(&mut self, how: Callers) {
        let mut left = OPS;
        while left > 0 {
            let one = self.random.u64(..4) > 0;
            let count = if one {
                1
            } else {
                1 + self.random.u64(..left.min(3))
            };
            left -= count;
            let ops: Vec<_> = (0..count).map(|_| S::op(&mut self.random)).collect();
            match how {
                Callers::Futures => self.submit(ops),
                _ => self.apply(ops),
            }
        }
    }

    fn now(&self) -> usize {
        self.clock.fetch_add(1, SeqCst)
    }

    /// Notes an operation that has just returned.
    fn returned(&mut self, op: S::Op, answer: S::Answer, start: usize) {
        let end = self.now();
        let answer = Some(answer);
        self.history.push(Event {
            op,
            answer,
            start,
            end,
        });
    }

    fn apply(&mut self, mut ops: Vec<S::Op>) {
        let start = self.now();
        if ops.len() == 1 {
            let op = ops.remove(0);
            let answer = self.structure.apply(Plain(op.clone()));
            return self.returned(op, answer, start);
        }
        let answers = self
            .structure
            .apply_all(ops.iter().cloned().map(Plain).collect());
        self.together.fetch_add(1, SeqCst);
        assert_eq!(answers.len(), ops.len());
        for (op, answer) in ops.into_iter().zip(answers) {
            self.returned(op, answer, start);
        }
    }

    fn submit(&mut self, ops: Vec<S::Op>) {
        let structure = self.structure;
        let submit = |op: S::Op| {
            let future: Pin<Box<dyn Future<Output = S::Answer> + '_>> =
                Box::pin(structure.submit(Plain(op.clone())));
            (op, future, self.now())
        };
        let mut futures: Vec<_> = ops.into_iter().map(submit).collect();
        let waker = Arc::new(Unpark(thread::current())).into();
        let mut context = Context::from_waker(&waker);
        loop {
            for i in (0..futures.len()).rev() {
                if let Poll::Ready(answer) = futures[i].1.as_mut().poll(&mut context) {
                    let (op, _, start) = futures.remove(i);
                    self.returned(op, answer, start);
                } else if self.dropped < DROPS && self.random.u64(..6) == 0 {
                    self.dropped += 1;
                    let (op, _, start) = futures.remove(i);
                    let end = start;
                    self.history.push(Event {
                        op,
                        answer: None,
                        start,
                        end,
                    });
                }
            }
            if futures.is_empty() {
                return;
            }
            thread::park_timeout(Duration::from_micros(100));
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

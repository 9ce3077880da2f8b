//! Runs a program on a runtime, and compares.

use crate::{
    program::{Kind, Plan, Program, own},
    watch::inside,
};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac_test_support::spin;

/// What both libraries have.
pub(crate) trait Runtime: Sized + 'static {
    type Pool: Send + Sync;
    /// What else a program needs.
    type More: Send + Sync;

    fn pool(plan: &Plan, callers: Callers) -> Self::Pool;
    /// Ends what is left in the pools.
    fn end(pools: Vec<Self::Pool>);
    fn more(pools: &[Self::Pool]) -> Self::More;

    fn join(a: impl FnOnce() -> u64 + Send, b: impl FnOnce() -> u64 + Send) -> (u64, u64);
    fn install(pool: &Self::Pool, f: impl FnOnce() -> u64 + Send) -> u64;
    /// Runs so many tasks of a scope.
    fn scope(kind: Kind, pool: &Self::Pool, count: usize, each: impl Fn(usize) + Sync);
    /// Runs so many on each thread, which has an index.
    fn scope_broadcast(count: usize, each: impl Fn(usize, usize) + Sync);
    fn spawn(f: impl FnOnce() + Send + 'static);
    fn broadcast(pool: Option<&Self::Pool>, f: impl Fn(usize) + Sync) -> Vec<()>;
    fn threads(pool: Option<&Self::Pool>) -> usize;
    fn yield_now();
    /// A loop, of one of several kinds.
    fn sum(dice: u64, count: usize, f: impl Fn(usize) -> u64 + Sync + Send) -> u64;

    /// Other operations.
    fn other(run: &Arc<Run<Self>>, id: usize) -> u64;
}

/// What the callers of pools do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Callers {
    TakePart,
    Wait,
    /// As the plan of each pool says.
    Mixed,
}

/// A program that runs.
pub(crate) struct Run<R: Runtime> {
    pub(crate) program: Arc<Program>,
    pub(crate) pools: Vec<R::Pool>,
    pub(crate) more: R::More,
    /// How often each node has been started, and how often it has run.
    counts: Vec<[AtomicUsize; 2]>,
    wrong: Mutex<Vec<String>>,
}

/// Runs `program` once; what is wrong.
pub(crate) fn run<R: Runtime>(program: &Arc<Program>, callers: Callers) -> Vec<String> {
    let pools: Vec<_> = program
        .pools
        .iter()
        .map(|plan| R::pool(plan, callers))
        .collect();
    let mut run = Arc::new(Run::<R> {
        program: Arc::clone(program),
        more: R::more(&pools),
        pools,
        counts: program.nodes.iter().map(|_| Default::default()).collect(),
        wrong: Mutex::default(),
    });
    thread::scope(|outside| {
        for &root in &program.roots {
            outside.spawn({
                let run = &run;
                move || {
                    let node = &run.program.nodes[root];
                    let _here = inside(root, node.kind, "from outside");
                    run.start(root);
                    let value = guarded(|| match node.kind.is_endless() {
                        true => run.run(root),
                        false => R::install(&run.pools[node.pool], || run.run(root)),
                    });
                    run.check(value.ok() == node.value, || {
                        format!("{root} has another value")
                    });
                }
            });
        }
    });
    // Closures that have run, or never will, are dropped.
    let run = loop {
        match Arc::try_unwrap(run) {
            Ok(run) => break run,
            Err(shared) => run = shared,
        }
        thread::sleep(Duration::from_micros(10));
    };
    for (id, [started, ran]) in run.counts.iter().enumerate() {
        let (started, ran) = (started.load(SeqCst), ran.load(SeqCst));
        // What is behind a panic need not run.
        let agree = ran == started || ran < started && program.may_panic();
        run.check(agree, || {
            format!("{id} was started {started} times, and ran {ran} times")
        });
    }
    drop(run.more);
    R::end(run.pools);
    run.wrong.into_inner().expect("no panic under it")
}

pub(crate) fn guarded<T>(f: impl FnOnce() -> T) -> thread::Result<T> {
    catch_unwind(AssertUnwindSafe(f))
}

impl<R: Runtime> Run<R> {
    pub(crate) fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong.lock().expect("no panic under it").push(what());
        }
    }

    /// A run of this node is to come.
    pub(crate) fn start(&self, id: usize) {
        self.counts[id][0].fetch_add(1, SeqCst);
    }

    /// Runs a node that was started.
    pub(crate) fn run(self: &Arc<Self>, id: usize) -> u64 {
        let node = &self.program.nodes[id];
        let _here = inside(id, node.kind, "");
        self.counts[id][1].fetch_add(1, SeqCst);
        spin(Duration::from_nanos(node.dice % 20_000));
        let body = || {
            if node.panics {
                resume_unwind(Box::new(id));
            }
            self.operation(id)
        };
        own(id)
            + if node.catches {
                self.caught(guarded(body))
            } else {
                body()
            }
    }

    /// Nothing instead of a panic of ours.
    fn caught(&self, outcome: thread::Result<u64>) -> u64 {
        outcome.unwrap_or_else(|payload: Box<dyn Any + Send>| {
            self.check(payload.is::<usize>(), || "a panic of another".into());
            0
        })
    }

    fn operation(self: &Arc<Self>, id: usize) -> u64 {
        let node = &self.program.nodes[id];
        let children = &node.children[..];
        let pool = &self.pools[node.pool];
        // The others start their children themselves, as often as they run.
        if !node.kind.ignores_children() {
            children.iter().for_each(|&child| self.start(child));
        }
        match node.kind {
            Kind::Leaf => 0,
            Kind::Join => {
                let (a, b) = R::join(|| self.run(children[0]), || self.run(children[1]));
                a + b
            }
            Kind::Install => R::install(pool, || self.run(children[0])),
            Kind::Loop => R::sum(node.dice, children.len(), |i| self.run(children[i])),
            Kind::Scope | Kind::ScopeFifo | Kind::InPlace => {
                let sum = AtomicU64::new(0);
                R::scope(node.kind, pool, children.len(), |i| {
                    sum.fetch_add(self.run(children[i]), SeqCst);
                });
                sum.into_inner()
            }
            Kind::Yields => {
                let (send, receive) = mpsc::channel();
                for &child in children {
                    let (run, send) = (Arc::clone(self), send.clone());
                    R::spawn(move || drop(send.send(guarded(|| run.run(child)))));
                }
                let mut results = Vec::new();
                self.yields(id, || {
                    results.extend(receive.try_iter());
                    results.len() == children.len()
                });
                results.into_iter().map(resumed).sum()
            }
            Kind::Broadcast | Kind::BroadcastIn => {
                let pool = (node.kind == Kind::BroadcastIn).then_some(pool);
                let calls = Calls::default();
                let values = R::broadcast(pool, |index| self.call(&calls, index, children[0]));
                self.check_calls(id, calls, R::threads(pool), Some(values.len()));
                0
            }
            Kind::ScopeBroadcast => {
                let calls: Vec<_> = children.iter().map(|_| Calls::default()).collect();
                R::scope_broadcast(children.len(), |i, index| {
                    self.call(&calls[i], index, children[i]);
                });
                for calls in calls {
                    self.check_calls(id, calls, R::threads(None), None);
                }
                0
            }
            _ => R::other(self, id),
        }
    }

    /// Yields until `done`.
    pub(crate) fn yields(&self, id: usize, mut done: impl FnMut() -> bool) {
        let _here = inside(id, self.program.nodes[id].kind, "yields");
        while !done() {
            R::yield_now();
        }
    }

    /// Runs a child on the thread with this index.
    fn call(self: &Arc<Self>, calls: &Calls, index: usize, child: usize) {
        calls.lock().expect("no panic under it").push(index);
        self.start(child);
        let value = self.run(child);
        let expected = self.program.nodes[child].value;
        self.check(expected == Some(value), || {
            format!("a call of {child} has another value")
        });
    }

    /// Each thread was called once; a caller from outside need not be there.
    fn check_calls(&self, id: usize, calls: Calls, threads: usize, ended: Option<usize>) {
        let mut calls = calls.into_inner().expect("no panic under it");
        calls.sort_unstable();
        let distinct = calls.is_sorted_by(|a, b| a < b) && calls.iter().all(|&i| i < threads);
        let all = calls.len() + 1 >= threads && ended.is_none_or(|ended| ended == calls.len());
        self.check(distinct && all, || {
            format!("{id} called {calls:?} of {threads} threads")
        });
    }
}

/// The indices of the threads that were called.
type Calls = Mutex<Vec<usize>>;

/// The value, or the panic goes on.
pub(crate) fn resumed<T>(outcome: thread::Result<T>) -> T {
    outcome.unwrap_or_else(|payload| resume_unwind(payload))
}

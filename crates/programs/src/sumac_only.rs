//! Operations that rayon has not.

use crate::{
    program::Kind,
    run::{Run, guarded, resumed},
    runtimes::Sumac,
    watch::inside,
};
use std::{
    future::poll_fn,
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    task::Poll,
    thread,
    time::Duration,
};
use sumac::{
    Callers, Promise, TaskScope, ThreadPool, ThreadPoolBuilder,
    batch::{Batched, Get, Insert, Tree},
    prelude::*,
    spawn, spawn_async, spawn_async_in, spawn_fifo,
};

/// What the operations of a program share.
pub(crate) struct More {
    map: Batched<Tree<u64, u64>>,
    /// The next key.
    next: AtomicU64,
}

impl More {
    pub(crate) fn new(pool: &ThreadPool) -> Self {
        More {
            map: Batched::new_in(pool, Tree::new()),
            next: AtomicU64::new(0),
        }
    }
}

pub(crate) fn operation(run: &Arc<Run<Sumac>>, id: usize) -> u64 {
    let node = &run.program.nodes[id];
    let children = &node.children[..];
    let pool = &run.pools[node.pool];
    // What runs a child in a task.
    let task = |child: usize| {
        let run = Arc::clone(run);
        move || run.run(child)
    };
    let guarded_task = |child: usize| {
        let task = task(child);
        move || guarded(task)
    };
    match node.kind {
        Kind::Join3 => {
            let (a, b, c) = sumac::join3(
                || run.run(children[0]),
                || run.run(children[1]),
                || run.run(children[2]),
            );
            a + b + c
        }
        Kind::Handle => {
            let ((a, b), c) = pool.scope().join(
                |s| s.join(|_| run.run(children[0]), |_| run.run(children[1])),
                |_| run.run(children[2]),
            );
            a + b + c
        }
        Kind::Promises => {
            let spawned = children.iter().map(|&child| match node.dice % 2 {
                0 => spawn(task(child)),
                _ => spawn_fifo(task(child)),
            });
            let mut spawned: Vec<_> = spawned.collect();
            let middle = (node.dice >> 8) as usize % spawned.len();
            spawned.rotate_left(middle);
            let results: Vec<_> = spawned
                .into_iter()
                .map(|task| guarded(|| task.join()))
                .collect();
            results.into_iter().map(resumed).sum()
        }
        Kind::Chain => {
            let mut last = spawn(|| 0);
            for &child in children {
                let (before, run) = (last, Arc::clone(run));
                last = spawn(move || before.join() + run.run(child));
            }
            last.join()
        }
        Kind::Cancel => {
            sumac::scope(|s| {
                for &child in children {
                    s.spawn(move |_| {
                        run.start(child);
                        run.run(child);
                    });
                }
                s.cancel();
            });
            0
        }
        Kind::CancelTasks => {
            for &child in children {
                let run = Arc::clone(run);
                let task = spawn(move || {
                    run.start(child);
                    run.run(child)
                });
                if node.dice % 2 == 0 {
                    sumac::join(|| (), || ());
                }
                task.cancel();
            }
            0
        }
        Kind::Steps => {
            let (run, children) = (Arc::clone(run), children.to_vec());
            let future = spawn_async(async move {
                let mut sum = 0;
                for child in children {
                    sum += run.run(child);
                    step().await;
                }
                sum
            });
            future.join()
        }
        Kind::Awaits => {
            let tasks = children.iter().map(|&child| {
                let task = guarded_task(child);
                match (node.dice >> (child % 50)) % 2 {
                    0 => spawn(task),
                    _ => spawn_async(async move { task() }),
                }
            });
            let tasks: Vec<_> = tasks.collect();
            let future = spawn_async(async move {
                let mut results = Vec::new();
                for task in tasks {
                    results.push(task.await);
                }
                results
            });
            ended(run, id, future)
        }
        Kind::Channel => {
            let (send, receive) = flume::bounded((node.dice >> 8) as usize % 3);
            for &child in children {
                let (task, send) = (guarded_task(child), send.clone());
                drop(spawn_async(
                    async move { send.send_async(task()).await.is_ok() },
                ));
            }
            drop(send);
            let future = spawn_async(async move {
                let mut results = Vec::new();
                while let Ok(result) = receive.recv_async().await {
                    results.push(result);
                }
                results
            });
            ended(run, id, future)
        }
        Kind::Batch => {
            let More { map, next } = &run.more;
            for i in 0..1 + node.dice % 4 {
                let key = next.fetch_add(1, SeqCst) ^ (node.dice & !0xffff);
                let (before, after) = (map.apply(Insert(key, i)), map.apply(Get(key)));
                run.check((before, after) == (None, Some(i)), || {
                    format!("{id} found another value")
                });
            }
            0
        }
        Kind::Sort => {
            let count = node.dice % 3_000;
            let all = |i: u64| i.wrapping_mul(node.dice | 1) >> 20;
            let mut sorted: Vec<_> = (0..count).into_par_iter().map(all).collect();
            sorted.par_sort_unstable();
            let mut expected: Vec<_> = (0..count).map(all).collect();
            expected.sort_unstable();
            let found = sorted.par_iter().position_first(|x| x % 7 == 0);
            let same = found == expected.iter().position(|x| x % 7 == 0);
            run.check(same && sorted == expected, || {
                format!("{id} sorted wrongly")
            });
            0
        }
        Kind::Ended => {
            future_of_an_ended_pool(run, id);
            0
        }
        Kind::EndlessScope => {
            let (links, end) = (AtomicU64::new(0), Arc::default());
            pool.in_place_scope(|s| chain(s, &links, &end));
            0
        }
        Kind::EndlessBroadcast => {
            let end = Arc::default();
            pool.install(|| renew(0, &end));
            let _here = inside(id, node.kind, "waits for the task");
            while !end.load(SeqCst) {
                thread::sleep(Duration::from_micros(50));
            }
            0
        }
        kind => unreachable!("both have {kind:?}"),
    }
}

/// Yields until the future has ended; the sum of its results.
fn ended(run: &Run<Sumac>, id: usize, future: Promise<Vec<thread::Result<u64>>>) -> u64 {
    run.yields(id, || future.is_finished());
    future.join().into_iter().map(resumed).sum()
}

/// Pending once, having woken itself.
fn step() -> impl Future<Output = ()> {
    let mut first = true;
    poll_fn(move |context| {
        if mem::take(&mut first) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
}

/// The sender wakes a future whose pool has ended, which owns the receiver.
fn future_of_an_ended_pool(run: &Run<Sumac>, id: usize) {
    let (kind, dice) = (run.program.nodes[id].kind, run.program.nodes[id].dice);
    let builder = ThreadPoolBuilder::new().num_threads(1 + dice as usize % 2);
    let own = builder.callers(if (dice >> 8) % 2 == 0 {
        Callers::Wait
    } else {
        Callers::TakePart
    });
    let own = own.build().expect("a pool");
    let (a, b) = (flume::unbounded(), async_channel::unbounded());
    let (first, second) = (a.1, b.1);
    let futures = [
        spawn_async_in(&own, async move { first.recv_async().await.ok() }),
        spawn_async_in(&own, async move { second.recv().await.ok() }),
    ];
    match (dice >> 16) % 3 {
        0 => drop(own),
        _ => own.wait_until_stopped(),
    }
    let _here = inside(id, kind, "sends");
    let sent = (a.0.send(5).is_ok(), b.0.send_blocking(5).is_ok());
    let _here = inside(id, kind, "waits for the futures");
    for future in futures {
        let is_right = match future.try_join() {
            Ok(value) => value == Some(5),
            Err(error) => error.is_cancelled(),
        };
        run.check(is_right, || {
            format!("{id} received something else, {sent:?}")
        });
    }
}

/// So many links go before the task that ends them.
const LINKS: u64 = 50;

fn set(end: &Arc<AtomicBool>) {
    let end = Arc::clone(end);
    drop(spawn(move || end.store(true, SeqCst)));
}

/// A chain of scope tasks that goes on until another task has run.
fn chain<'s>(s: &TaskScope<'s>, links: &'s AtomicU64, end: &'s Arc<AtomicBool>) {
    if links.fetch_add(1, SeqCst) == LINKS {
        set(end);
    }
    if !end.load(SeqCst) {
        s.spawn(|s| chain(s, links, end));
    }
}

/// Broadcasts in the current pool that go on until another task has run.
fn renew(links: u64, end: &Arc<AtomicBool>) {
    let (end, once) = (Arc::clone(end), AtomicBool::new(false));
    sumac::spawn_broadcast(move |_| {
        if !once.swap(true, SeqCst) && !end.load(SeqCst) {
            if links == LINKS {
                set(&end);
            }
            renew(links + 1, &end);
        }
    });
}

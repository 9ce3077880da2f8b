//! How operations come in, and the code that lets them: one loop on a pool, threads outside of
//! pools, or tasks by the thousand.

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use sumac::prelude::*;
use sumac::{ThreadPool, ThreadPoolBuilder, spawn_async_in};

use crate::contender::complete;
use crate::experiment::Failure;
use crate::table::grouped;

/// How operations come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drive {
    /// One after the other; nothing is shared.
    Alone,
    /// The same, sorted by key first.
    Sorted,
    /// All in one batch.
    Whole,
    /// From a parallel loop that waits for each answer: as many in flight as there are threads.
    Loop,
    /// From threads outside of pools that do the same.
    Threads,
    /// From so many async tasks that await each answer: as many in flight as there are tasks.
    Tasks(usize),
}

impl fmt::Display for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Drive::Alone => f.write_str("alone"),
            Drive::Sorted => f.write_str("sorted"),
            Drive::Whole => f.write_str("one batch"),
            Drive::Loop => f.write_str("loop"),
            Drive::Threads => f.write_str("threads"),
            Drive::Tasks(tasks) => write!(f, "{} tasks", grouped(*tasks as u64)),
        }
    }
}

/// A contender, how its operations come in, and on how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Who.
    pub(crate) who: &'static str,
    /// How operations come in.
    pub(crate) drive: Drive,
    /// On how many threads.
    pub(crate) threads: usize,
}

impl Drive {
    /// A contender in this way on each of so many threads, beside what it does there.
    pub(crate) fn on_each<R: Copy>(
        self,
        who: &'static str,
        threads: &[usize],
        repeat: R,
    ) -> impl Iterator<Item = (Place, R)> {
        let place = move |threads| Place {
            who,
            drive: self,
            threads,
        };
        threads.iter().map(move |&threads| (place(threads), repeat))
    }
}

/// The pools of an experiment, by the number of their threads.
#[derive(Debug, Default)]
pub(crate) struct Pools(Vec<(usize, ThreadPool)>);

impl Pools {
    /// The pool in which operations that come in so are carried out by so many threads. For tasks,
    /// the caller is not one of them: it sleeps until the last task has ended.
    pub(crate) fn get(&mut self, drive: Drive, threads: usize) -> Result<&ThreadPool, Failure> {
        let seats = match drive {
            Drive::Tasks(_) => threads + 1,
            _ => threads,
        };
        let place = match self.0.iter().position(|(n, _)| *n == seats) {
            Some(place) => place,
            None => {
                let pool = ThreadPoolBuilder::new().num_threads(seats).build();
                let pool = pool.map_err(Into::into).and_then(complete);
                let none = |why| Failure::Other(format!("no pool of {seats} threads: {why}"));
                self.0.push((seats, pool.map_err(none)?));
                self.0.len() - 1
            }
        };
        Ok(&self.0[place].1)
    }
}

/// Calls the body for each of so many numbers, and adds up what it returns.
pub(crate) fn in_a_loop(
    pool: &ThreadPool,
    count: usize,
    body: impl Fn(usize) -> i64 + Send + Sync,
) -> (Duration, i64) {
    pool.install(|| {
        let start = Instant::now();
        let sum = (0..count).into_par_iter().map(body).sum();
        (start.elapsed(), sum)
    })
}

/// Has so many threads call the body for an equal share of the numbers each, and adds up what it
/// returns. From the moment when all are there to the end of the last.
pub(crate) fn in_threads(
    threads: usize,
    count: usize,
    body: impl Fn(usize) -> i64 + Sync,
) -> (Duration, i64) {
    let ready = Barrier::new(threads);
    let run = |thread| {
        ready.wait();
        let start = Instant::now();
        let sum = share(count, thread, threads).map(&body).sum::<i64>();
        (start.elapsed(), sum)
    };
    thread::scope(|scope| {
        let run = &run;
        let all = (0..threads).map(|thread| scope.spawn(move || run(thread)));
        let all: Vec<_> = all.collect();
        let ended = all
            .into_iter()
            .map(|one| one.join().expect("no body panics"));
        ended.fold((Duration::ZERO, 0), |(longest, all), (lasted, sum)| {
            (longest.max(lasted), all + sum)
        })
    })
}

/// Runs so many tasks, from the start of the first to the end of the last, and adds up what they
/// return.
///
/// # Panics
/// If a task does.
pub(crate) fn in_tasks<F>(
    pool: &ThreadPool,
    tasks: usize,
    task: impl Fn(usize) -> F,
) -> (Duration, i64)
where
    F: Future<Output = i64> + Send + 'static,
{
    let (alive, all_ended) = mpsc::channel::<()>();
    let start = Instant::now();
    let spawn = |number| {
        let (future, alive) = (task(number), alive.clone());
        spawn_async_in(pool, async move {
            let sum = future.await;
            drop(alive);
            sum
        })
    };
    let promises: Vec<_> = (0..tasks).map(spawn).collect();
    drop(alive);
    // Nothing is sent: this returns when the last task has dropped its end.
    all_ended.recv().ok();
    let lasted = start.elapsed();
    let sums = promises.into_iter().map(|promise| promise.join());
    (lasted, sums.sum())
}

/// The numbers that are one task's.
pub(crate) fn share(count: usize, task: usize, tasks: usize) -> Range<usize> {
    count * task / tasks..count * (task + 1) / tasks
}

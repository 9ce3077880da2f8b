//! Costs of this machine, by small measurements in this process. Each is the median of many.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::Costs;
use crate::contender::{Baseline, Contender};
use crate::problem::Problem;
use crate::problem::fib::Fib;

const N: u32 = 27;

/// The costs that can be measured from outside; the others stay.
pub(crate) fn calibrate(costs: Costs) -> Result<Costs, String> {
    let plain = per_fork::<Baseline>()?;
    let over = |with: f64| (with - plain).max(0.1);
    let (line, unpark, wake) = if crate::machine::cores() > 1 {
        let (unpark, wake) = wake_up();
        (line(), unpark, wake)
    } else {
        (costs.line, costs.unpark, costs.wake)
    };
    Ok(Costs {
        sumac_join: over(per_fork::<crate::contender::SumacScope>()?),
        rayon_join: over(per_fork::<crate::contender::Rayon>()?),
        line,
        unpark,
        wake,
        overshoot: overshoot(),
        ..costs
    })
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn nanos(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64
}

/// The time of a call with a join, on one thread.
fn per_fork<C: Contender>() -> Result<f64, String> {
    let pool = C::with_threads(1).map_err(|why| why.to_string())?;
    let problem = Fib(N);
    let samples = (0..15).map(|_| {
        pool.enter(|cx| {
            let start = Instant::now();
            black_box(black_box(&problem).solve::<C>(cx));
            nanos(start) / problem.forks() as f64
        })
    });
    Ok(median(samples.collect()))
}

/// Half a round trip of a word between two cores.
fn line() -> u64 {
    const TRIPS: u64 = 100;
    const BATCHES: u64 = 300;
    let word = AtomicU64::new(0);
    let each = thread::scope(|scope| {
        scope.spawn(|| {
            for trip in 0..TRIPS * BATCHES {
                while word.load(Ordering::Acquire) != 2 * trip + 1 {
                    spin_loop();
                }
                word.store(2 * trip + 2, Ordering::Release);
            }
        });
        // Batches, since a thread that is preempted in one of them says nothing about the others.
        let batches = (0..BATCHES).map(|batch| {
            let start = Instant::now();
            for trip in batch * TRIPS..(batch + 1) * TRIPS {
                word.store(2 * trip + 1, Ordering::Release);
                while word.load(Ordering::Acquire) != 2 * trip + 2 {
                    spin_loop();
                }
            }
            nanos(start) / (2 * TRIPS) as f64
        });
        median(batches.collect())
    });
    each as u64
}

/// What an unpark takes who makes it, and until the other thread runs.
fn wake_up() -> (u64, u64) {
    let epoch = Instant::now();
    let asked = AtomicBool::new(true);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            while asked.load(Ordering::Acquire) {
                thread::park();
                let _ = send.send(nanos(epoch));
            }
        });
        let mut unparks = Vec::new();
        let mut wakes = Vec::new();
        for _ in 0..200 {
            thread::sleep(Duration::from_micros(300));
            let before = nanos(epoch);
            sleeper.thread().unpark();
            unparks.push(nanos(epoch) - before);
            if let Ok(awake) = receive.recv() {
                wakes.push((awake - before).max(0.0));
            }
        }
        asked.store(false, Ordering::Release);
        sleeper.thread().unpark();
        (median(unparks) as u64, median(wakes) as u64)
    })
}

/// How much longer than asked for a nap is.
fn overshoot() -> u64 {
    let nap = Duration::from_micros(50);
    let samples = (0..200).map(|_| {
        let start = Instant::now();
        thread::park_timeout(nap);
        nanos(start) - nap.as_nanos() as f64
    });
    median(samples.collect()).max(0.0) as u64
}

//! Prices of steps on this machine, by small measurements in this process. Each is the median of
//! many. Those that are not measured keep the simulator's defaults.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::Price;

/// What can be measured from outside, on two processors.
pub(super) fn measured() -> Vec<Price> {
    let (unpark, wake) = wake_up();
    let all = [("transfer", transfer()), ("unpark", unpark), ("wake", wake)];
    all.map(|(name, nanos)| (name, 1e3 * nanos)).into()
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn nanos(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64
}

/// Half a round trip of a word between two processors: a write takes the word from the reader, and
/// the reader's next look brings it back, so that this is two transfers.
fn transfer() -> f64 {
    const TRIPS: u64 = 100;
    const BATCHES: u64 = 300;
    let word = AtomicU64::new(0);
    let half = thread::scope(|scope| {
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
    half / 2.0
}

/// What waking a thread takes the one that does it, and from then until the other one runs.
fn wake_up() -> (f64, f64) {
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
        let (mut unparks, mut wakes) = (Vec::new(), Vec::new());
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
        (median(unparks), median(wakes))
    })
}

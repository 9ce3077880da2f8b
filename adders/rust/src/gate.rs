//! Threads that begin together and are waited for, on one clock. The clock is that of the thread
//! that leads, and a pass is what it says it is:
//!
//! * No thread begins before the clock has started: it starts when all have come to the gate, and
//!   then the gate opens.
//! * It stops when all have ended.
//!
//! They wait for each other busily, so that no thread has to be woken.

use crate::microseconds;
use std::{
    hint,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

/// Looks in a row before a waiting thread gives way.
const LOOKS: u32 = 500;

/// A gate for one thread that leads and some that follow. Each goes through it once a pass.
///
/// # Examples
/// ```
/// let gate = sumac_adders::Gate::new(1);
/// std::thread::scope(|scope| {
///     scope.spawn(|| gate.follow(1, || 6 * 7));
///     assert!(gate.lead(1, || 2 + 2) > 0.0);
/// });
/// ```
#[derive(Debug)]
pub struct Gate {
    followers: usize,
    /// How often followers have come, over all passes.
    come: AtomicUsize,
    /// The last pass that has begun, counted from 1.
    open: AtomicUsize,
    /// How often followers have ended, over all passes.
    ended: AtomicUsize,
}

impl Gate {
    /// For so many threads besides the one that leads.
    pub fn new(followers: usize) -> Self {
        Gate {
            followers,
            come: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
        }
    }

    /// Does the leader's part of a pass, the first being number 1, and returns how many
    /// microseconds it took until all had done theirs.
    pub fn lead<R>(&self, pass: usize, work: impl FnOnce() -> R) -> f64 {
        let all = pass * self.followers;
        until(&self.come, all);
        let start = Instant::now();
        self.open.store(pass, Ordering::Release);
        hint::black_box(work());
        until(&self.ended, all);
        microseconds(start)
    }

    /// Does a follower's part of a pass.
    pub fn follow<R>(&self, pass: usize, work: impl FnOnce() -> R) {
        self.come.fetch_add(1, Ordering::Release);
        until(&self.open, pass);
        hint::black_box(work());
        self.ended.fetch_add(1, Ordering::Release);
    }
}

/// Waits until a count has come so far.
fn until(count: &AtomicUsize, far: usize) {
    let mut looks = 0_u32;
    while count.load(Ordering::Acquire) < far {
        looks += 1;
        if looks % LOOKS == 0 {
            thread::yield_now();
        }
        hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;
    use std::{
        sync::Mutex,
        thread,
        time::{Duration, Instant},
    };

    /// What is within the clock's time lasts no longer than it says. More threads than processors,
    /// so that the leader too must wait for one.
    #[test]
    fn all_work_is_within_the_time() {
        const FOLLOWERS: usize = 7;
        const PASSES: usize = 300;
        let gate = Gate::new(FOLLOWERS);
        let spans = Mutex::new(Vec::new());
        let work = || {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_micros(20) {}
            let span = (begin, Instant::now());
            spans.lock().expect("no panic").push(span);
        };
        thread::scope(|scope| {
            for _ in 0..FOLLOWERS {
                scope.spawn(|| (1..=PASSES).for_each(|pass| gate.follow(pass, work)));
            }
            for pass in 1..=PASSES {
                let us = gate.lead(pass, work);
                let spans = std::mem::take(&mut *spans.lock().expect("no panic"));
                assert_eq!(spans.len(), FOLLOWERS + 1);
                let first = spans.iter().map(|span| span.0).min().expect("some");
                let last = spans.iter().map(|span| span.1).max().expect("some");
                let least = (last - first).as_nanos() as f64 / 1e3;
                assert!(us >= least, "pass {pass}: {us} us for {least} us of work");
            }
        });
    }
}

//! The observer of a pool, and what it sees of each seat.
//!
//! A pool gets its [`Observer`] once; it lives as long as the pool. So that no **member** is
//! missed, one that is added is either among the [`seats`](crate::Observed::seats) that an observer
//! looks through after it has been [set](crate::Observed::observer), or is
//! [welcomed](Observer::welcome) by it. Adding: link, fence, check for the observer. Observing:
//! set, fence, look through.

use super::lane::Lane;
use crate::{
    join::member::Member,
    protocol::{
        primitive::{Ordering, fence},
        times::Phase,
    },
};
use std::{any::Any, fmt, sync::OnceLock};

/// An observer of a pool.
pub trait Observer: Any + Send + Sync {
    /// There is one more seat.
    fn welcome(&self, seat: Seat<'_>);

    /// Itself.
    fn as_any(&self) -> &dyn Any;
}

/// A pool's observer, once it has one.
#[derive(Default)]
pub(crate) struct ObserverOf(OnceLock<Box<dyn Observer>>);

impl ObserverOf {
    /// Returns it; `new` makes it if there is none.
    pub(crate) fn or_init(&self, new: impl FnOnce() -> Box<dyn Observer>) -> &dyn Observer {
        let observer = self.0.get_or_init(new);
        fence(Ordering::SeqCst);
        &**observer
    }

    /// The member has been linked.
    pub(crate) fn welcome(&self, member: &Member) {
        fence(Ordering::SeqCst);
        if let Some(observer) = self.0.get() {
            observer.welcome(Seat(member));
        }
    }
}

/// A seat of a pool: that of a worker, or of threads from outside, one after the other.
#[derive(Clone, Copy)]
pub struct Seat<'p>(pub(crate) &'p Member);

impl<'p> Seat<'p> {
    /// The worker's number.
    pub fn worker(self) -> Option<usize> {
        let index = self.0.index;
        (index < self.0.shared().threads.workers).then_some(index)
    }

    /// What its thread is doing.
    pub fn phase(self) -> Phase {
        self.0.times.phase()
    }

    /// The time on the pool's clock, in nanoseconds.
    pub fn now(self) -> u64 {
        self.0.shared().now()
    }

    /// Its lane, which `new` makes if there is none.
    pub fn lane(self, new: impl FnOnce() -> Box<dyn Lane>) -> &'p dyn Lane {
        self.0.lane.or_init(new)
    }
}

impl fmt::Debug for Seat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Seat").field(&self.worker()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hooks::Event, pool::builder::ThreadPoolBuilder};
    use std::sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64},
    };

    #[derive(Default)]
    struct Told {
        on: AtomicBool,
        last: Mutex<Option<Phase>>,
    }

    impl Lane for Told {
        fn is_on(&self) -> bool {
            self.on.load(Ordering::Relaxed)
        }

        fn enters(&self, phase: Phase, _: u64) {
            if self.is_on() {
                *self.last.lock().expect("no panic") = Some(phase);
            }
        }

        fn happens(&self, _: Event, _: u64) {}

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    /// Whatever a thread does when it begins to be observed, its phase is known afterwards.
    #[test]
    fn no_phase_is_missed_at_the_beginning() {
        const ROUNDS: u64 = if cfg!(miri) { 20 } else { 20_000 };
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("a pool");
        // No thread sits here.
        let member = pool.shared().guest_seat();
        let seat = Seat(member);
        let lane = seat.lane(|| Box::new(Told::default()));
        let told: &Told = lane.as_any().downcast_ref().expect("ours");
        let round = AtomicU64::new(0);
        let await_round = |n| {
            for spins in 0.. {
                if round.load(Ordering::SeqCst) >= n {
                    break;
                }
                if spins < 200 {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        };
        // Both set out at about the same time, now the one a little earlier, now the other.
        let dawdle = |steps| (0..steps).for_each(|_| std::hint::spin_loop());
        let mut missed = Vec::new();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for n in 0..ROUNDS {
                    await_round(2 * n + 1);
                    dawdle(n % 61);
                    let phase = [Phase::Working, Phase::Parked][n as usize % 2];
                    member.enter(phase, n + 1);
                    round.fetch_add(1, Ordering::SeqCst);
                }
            });
            for n in 0..ROUNDS {
                round.fetch_add(1, Ordering::SeqCst);
                dawdle(n % 67);
                let first = {
                    let mut last = told.last.lock().expect("no panic");
                    *last = None;
                    told.on.store(true, Ordering::Relaxed);
                    fence(Ordering::SeqCst);
                    seat.phase()
                };
                await_round(2 * n + 2);
                let last = told.last.lock().expect("no panic").take();
                told.on.store(false, Ordering::Relaxed);
                if last.unwrap_or(first) != [Phase::Working, Phase::Parked][n as usize % 2] {
                    missed.push((n, first, last));
                }
            }
        });
        assert!(missed.is_empty(), "{missed:?}");
    }
}

//! What is read when the first sample begins and when the last one ends: the clock, what the
//! process has used, what the scheduler has counted. Warm-up is not in it, nor
//! the making of the input. The kernel counts a running thread's time at its clock ticks, some
//! milliseconds apart; short visits show it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sumac::Stats;

use crate::results::{CellTimes, Measured, Scheduler};
use crate::sample::Gauge;
use crate::usage;

/// The instruments of one visit.
pub(super) struct Instruments<'c> {
    counted: &'c (dyn Fn() -> Option<Stats> + Sync),
    begun: Instant,
    state: Mutex<State>,
}

struct State {
    warm_up_calls: u64,
    before: Moment,
    after: Moment,
}

/// What was read at once.
type Moment = (CellTimes, Option<Scheduler>);

impl<'c> Instruments<'c> {
    /// Instruments for a scheduler that counts so.
    pub(super) fn new(counted: &'c (dyn Fn() -> Option<Stats> + Sync)) -> Instruments<'c> {
        Instruments {
            counted,
            begun: Instant::now(),
            state: Mutex::new(State {
                warm_up_calls: 0,
                before: Moment::default(),
                after: Moment::default(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What they say, once the last sample is taken; the samples are others' to fill in.
    pub(super) fn read(&self) -> Measured {
        let state = self.state();
        let ((used, counted), (used_then, counted_then)) = (state.after, state.before);
        let scheduler = counted.zip(counted_then);
        Measured {
            warm_up_calls: state.warm_up_calls,
            spent: used.since(used_then),
            scheduler: scheduler.map(|(now, then)| now.zip(then, u64::saturating_sub)),
            ..Measured::default()
        }
    }

    /// The clock, in nanoseconds.
    fn wall(&self) -> f64 {
        self.begun.elapsed().as_nanos() as f64
    }

    fn counted(&self) -> Option<Scheduler> {
        (self.counted)().map(scheduler)
    }
}

impl Gauge for Instruments<'_> {
    fn begin(&self, warm_up_calls: u64) {
        let mut state = self.state();
        state.warm_up_calls = warm_up_calls;
        let (counted, used) = (self.counted(), used());
        let wall = self.wall();
        state.before = (CellTimes { wall, ..used }, counted);
    }

    fn end(&self) {
        let wall = self.wall();
        let mut state = self.state();
        state.after = (CellTimes { wall, ..used() }, self.counted());
    }
}

/// As it stands in a record.
fn scheduler(stats: Stats) -> Scheduler {
    Scheduler {
        ticks: stats.ticks,
        promotions: stats.promotions,
        steals: stats.steals,
        reclaims: stats.reclaims,
        declines: stats.declines,
        parks: stats.parks,
        wakes: stats.wakes,
        working: Some(stats.working),
        searching: Some(stats.searching),
        parked: Some(stats.parked),
    }
}

/// What this process has used so far, all of its threads together.
fn used() -> CellTimes {
    usage::of(usage::Whose::Own).0
}

#[cfg(target_os = "linux")]
#[cfg(test)]
#[test]
fn a_busy_thread_uses_time() {
    let before = used();
    let start = Instant::now();
    let spent = || used().since(before);
    while spent().user + spent().system == 0.0 {
        assert!(start.elapsed().as_secs() < 60, "the time stands still");
    }
    std::thread::sleep(std::time::Duration::from_millis(1));
    assert!(spent().voluntary > 0);
}

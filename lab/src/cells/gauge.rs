//! What is read when the first sample begins and when the last one ends: the clock, what the
//! process has used, what the scheduler and the processor have counted. Warm-up is not in it, nor
//! the making of the input.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sumac::Stats;

use super::events::Counters;
use super::usage::Usage;
use crate::results::{CellTimes, Events, Scheduler};
use crate::sample::Gauge;

/// The instruments of one visit.
pub(super) struct Instruments<'c> {
    counted: &'c (dyn Fn() -> Option<Stats> + Sync),
    state: Mutex<State>,
}

struct State {
    events: Counters,
    warm_up_calls: u64,
    before: Option<Moment>,
    after: Option<Moment>,
}

/// What was read at once.
struct Moment {
    time: Instant,
    usage: Usage,
    stats: Option<Scheduler>,
}

/// What the instruments say.
pub(super) struct Reading {
    /// Calls of warm-up before the first sample.
    pub(super) warm_up_calls: u64,
    pub(super) spent: CellTimes,
    pub(super) scheduler: Option<Scheduler>,
    pub(super) events: Events,
}

impl<'c> Instruments<'c> {
    /// Instruments for a scheduler that counts so, and the processor's events.
    pub(super) fn new(
        counted: &'c (dyn Fn() -> Option<Stats> + Sync),
        events: Counters,
    ) -> Instruments<'c> {
        Instruments {
            counted,
            state: Mutex::new(State {
                events,
                warm_up_calls: 0,
                before: None,
                after: None,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What they say, once the last sample is taken.
    pub(super) fn read(&self) -> Reading {
        let mut state = self.state();
        let mut reading = Reading {
            warm_up_calls: state.warm_up_calls,
            spent: CellTimes::default(),
            scheduler: None,
            events: state.events.read(),
        };
        if let (Some(before), Some(after)) = (&state.before, &state.after) {
            reading.spent = spent(before, after);
            let stats = before.stats.zip(after.stats);
            reading.scheduler = stats.map(|(before, after)| after.zip(before, u64::saturating_sub));
        }
        reading
    }
}

impl Gauge for Instruments<'_> {
    fn begin(&self, warm_up_calls: u64) {
        let mut state = self.state();
        state.warm_up_calls = warm_up_calls;
        let (stats, usage) = ((self.counted)().map(Scheduler::from), Usage::now());
        state.events.enable();
        let time = Instant::now();
        state.before = Some(Moment { time, usage, stats });
    }

    fn end(&self) {
        let time = Instant::now();
        let mut state = self.state();
        state.events.disable();
        let (usage, stats) = (Usage::now(), (self.counted)().map(Scheduler::from));
        state.after = Some(Moment { time, usage, stats });
    }
}

fn spent(before: &Moment, after: &Moment) -> CellTimes {
    let nanoseconds = |time: Duration| time.as_nanos() as f64;
    let (a, b) = (&after.usage, &before.usage);
    CellTimes {
        wall: nanoseconds(after.time - before.time),
        user: nanoseconds(a.user.saturating_sub(b.user)),
        system: nanoseconds(a.system.saturating_sub(b.system)),
        voluntary: a.voluntary.saturating_sub(b.voluntary),
        involuntary: a.involuntary.saturating_sub(b.involuntary),
    }
}

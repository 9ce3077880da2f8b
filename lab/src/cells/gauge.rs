//! What is read when the first sample begins and when the last one ends: the clock, what the
//! process has used, what the scheduler has counted. Warm-up is not in it, nor
//! the making of the input. The kernel counts a running thread's time at its clock ticks, some
//! milliseconds apart; short visits show it.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use sumac::Stats;

use crate::experiment::Failure;
use crate::results::{CellTimes, Measured};
use crate::sample::Gauge;
use crate::usage::{self, Whose};

/// What was read at once, and how many untimed calls there had been.
struct Moment {
    warm_up_calls: u64,
    used: CellTimes,
    counted: Option<Stats>,
    clock: Instant,
}

/// What a visit spent while its samples were taken, by a scheduler that counts so.
pub(super) fn gauged(
    counted: impl Fn() -> Option<Stats> + Sync,
    visit: impl FnOnce(&Gauge<'_>) -> Result<Vec<f64>, Failure>,
) -> Result<Measured, Failure> {
    let moments = Mutex::new(Vec::new());
    let gauge = |warm_up_calls| {
        let mut moments = moments.lock().unwrap_or_else(PoisonError::into_inner);
        moments.push(Moment {
            warm_up_calls,
            used: usage::of(Whose::Own).0,
            counted: counted(),
            clock: Instant::now(),
        });
    };
    let samples = visit(&gauge)?;
    let moments = moments.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (Some(begun), Some(ended)) = (moments.first(), moments.last()) else {
        return Err(Failure::Other("a visit without samples".into()));
    };
    let scheduler = ended.counted.as_ref().zip(begun.counted.as_ref());
    let counts = |(now, then)| {
        let both = counts(now).into_iter().zip(counts(then));
        let since = both.map(|((name, now), (_, then))| (name.into(), Some(now - then)));
        since.collect()
    };
    Ok(Measured {
        samples,
        warm_up_calls: begun.warm_up_calls,
        spent: CellTimes {
            wall: (ended.clock - begun.clock).as_nanos() as f64,
            ..ended.used.since(begun.used)
        },
        scheduler: scheduler.map(counts),
        ..Measured::default()
    })
}

/// As they stand in a record.
fn counts(stats: &Stats) -> [(&'static str, u64); 10] {
    [
        ("ticks", stats.ticks),
        ("promotions", stats.promotions),
        ("steals", stats.steals),
        ("reclaims", stats.reclaims),
        ("declines", stats.declines),
        ("parks", stats.parks),
        ("wakes", stats.wakes),
        ("working", stats.working),
        ("searching", stats.searching),
        ("parked", stats.parked),
    ]
}

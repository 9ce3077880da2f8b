//! The experiment with counters: increments from a loop and from tasks. The answers of a repetition
//! are 0, 1, 2 .. in some order, which is checked by their sum, and the last value is their number.

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sumac::ThreadPool;
use sumac::batch::{Batched, Counter, FastCounter};

use super::place::{Pools, in_a_loop, in_tasks, share};
use super::rounds::{Outcome, rounds};
use super::{Drive, Place};
use crate::experiment::{Failure, Limits, Record};
use crate::structure::counter::{CasLoop, SharedCounter};

/// The experiment's name.
pub(crate) const NAME: &str = "counters";
/// The most increments of a repetition.
const MOST: usize = 10_000_000;
/// What a repetition lasts, about, if that many are not done sooner.
const LASTS: Duration = Duration::from_millis(50);

/// A repetition: so many increments.
pub(super) type Repeat = fn(&ThreadPool, Drive, usize) -> Result<Outcome, Failure>;

/// Every counter.
const COUNTERS: &[(&str, Repeat)] = &[
    entry::<Mutex<i64>>(),
    entry::<AtomicI64>(),
    entry::<CasLoop>(),
    entry::<Batched<Counter>>(),
    entry::<FastCounter>(),
];

const fn entry<C: SharedCounter>() -> (&'static str, Repeat) {
    (C::NAME, repeat::<C>)
}

/// Measures.
pub(crate) fn measure(quick: bool, limits: Limits) -> Result<Vec<Record>, Failure> {
    let mut pools = Pools::default();
    let (places, repeats): (Vec<Place>, Vec<Repeat>) = places(quick).into_iter().unzip();
    // How many increments a repetition has, known after the warm-up.
    let mut counts: Vec<Option<usize>> = vec![None; places.len()];
    rounds(NAME, &places, limits, |_, number| {
        let Place { drive, threads, .. } = places[number];
        let pool = pools.get(drive, threads)?;
        let repeat = repeats[number];
        let operations = match counts[number] {
            Some(count) => count,
            None => {
                let count = count(quick, drive, |count| Ok(repeat(pool, drive, count)?.0))?;
                *counts[number].insert(count)
            }
        };
        let (lasted, _) = repeat(pool, drive, operations)?;
        Ok((lasted, operations))
    })
}

/// Who, how and on how many threads.
fn places(quick: bool) -> Vec<(Place, Repeat)> {
    let (threads, loops): (&[usize], &[usize]) = match quick {
        true => (&[2], &[1, 2]),
        false => (&[1, 2], &[1, 2, 4, 8]),
    };
    let mut hows: Vec<(Drive, usize)> = loops.iter().map(|&n| (Drive::Loop, n)).collect();
    for tasks in [100, 1_000, 10_000] {
        hows.extend(threads.iter().map(|&n| (Drive::Tasks(tasks), n)));
    }
    let mut places = Vec::new();
    for &(who, repeat) in COUNTERS {
        for &(drive, threads) in &hows {
            let place = Place {
                who,
                drive,
                threads,
            };
            places.push((place, repeat));
        }
    }
    places
}

/// So many increments that they last long enough.
fn count(
    quick: bool,
    drive: Drive,
    mut lasts: impl FnMut(usize) -> Result<Duration, Failure>,
) -> Result<usize, Failure> {
    // Each task has some.
    let least = match drive {
        Drive::Tasks(tasks) => tasks * 5,
        _ => 1_000,
    };
    let mut count = least;
    while !quick && count < MOST {
        let lasted = lasts(count)?.max(Duration::from_micros(1));
        if lasted * 2 >= LASTS {
            break;
        }
        let wanted = count as f64 * LASTS.as_secs_f64() / lasted.as_secs_f64();
        // The first few are slower than the others.
        count = (wanted as usize).clamp(count, count * 10).min(MOST);
    }
    Ok(count)
}

/// So many increments.
pub(super) fn repeat<C: SharedCounter>(
    pool: &ThreadPool,
    drive: Drive,
    count: usize,
) -> Result<Outcome, Failure> {
    let counter = Arc::new(pool.install(C::zero));
    let (lasted, sum) = match drive {
        Drive::Tasks(tasks) => in_tasks(pool, tasks, |task| {
            let counter = Arc::clone(&counter);
            async move {
                let mut sum = 0;
                for _ in share(count, task, tasks) {
                    sum += counter.submit().await;
                }
                sum
            }
        }),
        _ => in_a_loop(pool, count, |_| counter.add()),
    };
    check(counter.value(), sum, count as i64)?;
    Ok((lasted, counter.stats()))
}

/// Whether additions were lost or answered wrongly.
pub(super) fn check(value: i64, sum: i64, count: i64) -> Result<(), Failure> {
    let expected = count * (count - 1) / 2;
    if (value, sum) == (count, expected) {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "{count} increments made {value}, and the sum of their answers is {sum} instead of {expected}"
    )))
}

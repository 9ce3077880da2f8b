//! The experiment with counters: increments from a loop and from tasks. The answers of a repetition
//! are 0, 1, 2 .. in some order, which is checked by their sum, and the last value is their number.

use std::future::Future;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sumac::ThreadPool;
use sumac::batch::{Add, Batched, Counter, FastCounter};

use super::place::{Pools, in_a_loop, in_tasks, share};
use super::rounds::rounds;
use super::{Drive, Place};
use crate::experiment::{Failure, Limits, Record};

/// A repetition: so many increments.
pub(super) type Repeat = fn(&ThreadPool, Drive, usize) -> Result<Duration, Failure>;

/// Every counter.
const COUNTERS: &[(&str, Repeat)] = &[
    ("Mutex<i64>", repeat::<Mutex<i64>>),
    ("fetch_add", repeat::<AtomicI64>),
    ("CAS loop", repeat::<CasLoop>),
    ("batched counter", repeat::<Batched<Counter>>),
    ("batched, fast path", repeat::<FastCounter>),
];

/// A counter that many share. The answer to an addition is the value before it.
pub(super) trait SharedCounter: Send + Sync + Sized + 'static {
    /// Zero. Called inside the pool.
    fn zero() -> Self;

    /// Adds one and waits for the answer.
    fn add(&self) -> i64;

    /// Adds one; tasks await the answer.
    fn submit(&self) -> impl Future<Output = i64> + Send {
        async { self.add() }
    }

    /// The value when all is done.
    fn value(&self) -> i64;
}

/// `SharedCounter`: zero, an addition, the value, and another way in which tasks await.
macro_rules! counter {
    ($counter:ty, $it:ident: $zero:expr, $add:expr, $value:expr $(, $submit:expr)?) => {
        impl SharedCounter for $counter {
            fn zero() -> Self {
                $zero
            }

            fn add(&self) -> i64 {
                let $it = self;
                $add
            }

            $(fn submit(&self) -> impl Future<Output = i64> + Send {
                let $it = self;
                $submit
            })?

            fn value(&self) -> i64 {
                let $it = self;
                $value
            }
        }
    };
}

/// A counter that compares and swaps until no other thread has been faster.
struct CasLoop(AtomicI64);

counter!(Mutex<i64>, it: Mutex::new(0), {
    let mut value = it.lock().expect("no caller panics");
    *value += 1;
    *value - 1
}, *it.lock().expect("no caller panics"));
counter!(AtomicI64, it: AtomicI64::new(0), it.fetch_add(1, Relaxed), it.load(Relaxed));
counter!(CasLoop, it: CasLoop(0.into()),
    it.0.fetch_update(Relaxed, Relaxed, |value| Some(value + 1)).expect("it always changes"),
    it.0.load(Relaxed));
counter!(Batched<Counter>, it: Batched::new(Counter::new(0)), it.apply(Add(1)),
    it.with_mut(|counter| counter.value()), Batched::submit(it, Add(1)));
// With an atomic in front; only its calls that wait are offered.
counter!(FastCounter, it: FastCounter::new(0), FastCounter::add(it, 1), it.get());

/// Measures.
pub(crate) fn measure(quick: bool, limits: Limits) -> Result<Vec<Record>, Failure> {
    let (threads, loops, count): (&[usize], &[usize], _) = match quick {
        true => (&[2], &[1, 2], 50_000),
        false => (&[1, 2], &[1, 2, 4, 8], 1_000_000),
    };
    let mut places = Vec::new();
    for &(who, repeat) in COUNTERS {
        places.extend(Drive::Loop.on_each(who, loops, repeat));
        for tasks in [100, 1_000, 10_000] {
            places.extend(Drive::Tasks(tasks).on_each(who, threads, repeat));
        }
    }
    in_rounds("counters", places, count, limits)
}

/// Measures so many increments at each place.
pub(super) fn in_rounds(
    name: &str,
    places: Vec<(Place, Repeat)>,
    count: usize,
    limits: Limits,
) -> Result<Vec<Record>, Failure> {
    let (places, repeats): (Vec<Place>, Vec<Repeat>) = places.into_iter().unzip();
    let mut pools = Pools::default();
    rounds(name, &places, limits, |_, number| {
        let Place { drive, threads, .. } = places[number];
        let lasted = repeats[number](pools.get(drive, threads)?, drive, count)?;
        Ok((lasted, count))
    })
}

/// So many increments.
pub(super) fn repeat<C: SharedCounter>(
    pool: &ThreadPool,
    drive: Drive,
    count: usize,
) -> Result<Duration, Failure> {
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
    Ok(lasted)
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

//! Many outside threads enter one pool at once, each for one small join at a time. All
//! threads wait at a gate, yielding, before the clock starts; it stops when the last one is
//! through, and none exits before, since starting, waking and ending threads costs more than
//! this.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::thread;
use std::time::Instant;

use crate::contender::{self, Contender, Id, Visit};
use crate::experiment::{Failure, Limits, Record, Records, Seat, pool, rounds};
use crate::progress::Progress;
use crate::sample::WrongAnswer;

/// Outside threads.
pub(crate) const CALLERS: u32 = 128;
/// Entries of each.
pub(crate) const ENTRIES: u32 = 100;

/// The experiment.
pub(crate) fn measure(
    callers: u32,
    entries: u32,
    seats: &[Seat],
    limits: Limits,
    progress: &Progress,
) -> Result<Records, Failure> {
    if let Some(seat) = seats.iter().find(|seat| seat.id == Id::StaticSplit) {
        return Err(Failure::Usage(format!("the {} has no pool", seat.id)));
    }
    progress.begin("outside threads");
    let rushes = seats
        .iter()
        .map(|&seat| {
            let rush = Rush {
                seat,
                callers,
                entries,
            };
            contender::visit(seat.id, rush)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let samples = rounds(seats.len(), limits, 1, progress, |_, place| {
        Ok(vec![rushes[place]()?])
    })?;
    progress.end();
    let name = format!("entries of {callers} outside threads");
    let records = seats
        .iter()
        .zip(samples)
        .map(|(&seat, samples)| Record::new(&name, "together", seat, callers * entries, samples));
    Ok(Records::new(records.collect()))
}

/// A rush on one pool, to be repeated; it returns nanoseconds per entry.
struct Rush {
    seat: Seat,
    callers: u32,
    entries: u32,
}

type Repeat = Box<dyn Fn() -> Result<f64, Failure>>;

impl Visit for Rush {
    type Out = Result<Repeat, Failure>;

    fn visit<C: Contender + 'static>(self) -> Self::Out {
        let pool = pool::<C>(self.seat)?;
        Ok(Box::new(move || self.rush(&pool)))
    }
}

impl Rush {
    fn rush<C: Contender>(&self, pool: &C) -> Result<f64, Failure> {
        let arrived = AtomicU32::new(0);
        let open = AtomicBool::new(false);
        let all_through = Barrier::new(self.callers as usize);
        let expected = u64::from(self.entries) * 3;
        let (start, ends) = thread::scope(|s| {
            let callers: Vec<_> = (0..self.callers)
                .map(|_| {
                    s.spawn(|| {
                        arrived.fetch_add(1, Relaxed);
                        while !open.load(Acquire) {
                            thread::yield_now();
                        }
                        let sum: u64 = (0..self.entries).map(|_| small_join(pool)).sum();
                        let end = Instant::now();
                        all_through.wait();
                        (end, sum)
                    })
                })
                .collect();
            while arrived.load(Relaxed) < self.callers {
                thread::yield_now();
            }
            let start = Instant::now();
            open.store(true, Release);
            let ends: Vec<_> = callers.into_iter().map(|caller| caller.join()).collect();
            (start, ends)
        });
        let mut last = start;
        for end in ends {
            let (end, got) = end.map_err(|_| Failure::Other("a caller panicked".into()))?;
            if got != expected {
                return Err(Failure::Wrong(self.seat, WrongAnswer { got, expected }));
            }
            last = last.max(end);
        }
        Ok((last - start).as_nanos() as f64 / f64::from(self.callers * self.entries))
    }
}

/// One entry with one join of nothing.
fn small_join<C: Contender>(pool: &C) -> u64 {
    pool.enter(|cx| {
        let (a, b) = C::join(cx, |_| black_box(1), |_| black_box(2));
        a + b
    })
}

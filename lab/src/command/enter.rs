//! `lab enter`: many outside threads enter one pool at once, each for one small join at a time. All
//! threads wait at a gate, yielding, before the clock starts; it stops when the last one is
//! through, and nobody exits before, since starting, waking and ending threads costs more than
//! this.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::thread;
use std::time::Instant;

use clap::Args;

use crate::cli::{Common, Field};
use crate::contender::{self, Contender, Id, Visit};
use crate::experiment::{Failure, Limits, Record, Records, SETTLE, Seat, pool};
use crate::machine;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::sample::WrongAnswer;
use crate::view::{DETAIL_NOTE, detail};

/// Those with a pool to enter, after the baseline, which shows what the threads alone cost.
const FIELD: [Id; 4] = Id::RUNTIMES;
/// How many outside threads there are.
pub(crate) const CALLERS: u32 = 128;
/// How often each enters.
pub(crate) const ENTRIES: u32 = 100;
/// How many come in.
#[derive(Args, Clone, Debug)]
pub(crate) struct EnterArgs {
    /// Outside threads
    #[arg(long, default_value_t = CALLERS, value_parser = clap::value_parser!(u32).range(1..=1024))]
    callers: u32,

    /// Entries of each thread, with one join each
    #[arg(long, default_value_t = ENTRIES, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    entries: u32,

    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &EnterArgs) -> Result<Report, Failure> {
    let (callers, entries) = (args.callers, args.entries);
    let threads = args.field.threads(&[machine::cores()]);
    let seats = args.field.seats(&FIELD, &threads);
    let limits = args.common.limits(25, 5.0);
    let progress = Progress::new(1);
    let records = measure(callers, entries, &seats, limits, &progress)?;
    let mut report = Report::default();
    let title = format!("{callers} outside threads, {entries} entries each, time per entry");
    let note = format!("The baseline only calls. {DETAIL_NOTE}");
    report
        .sections
        .push(Section::new(title, detail(&records), note));
    report.keep(records);
    Ok(report)
}

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
            contender::visit(
                seat.id,
                Rush {
                    seat,
                    callers,
                    entries,
                },
            )
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut samples = vec![Vec::new(); seats.len()];
    let start = Instant::now();
    for round in 0..=limits.rounds {
        let spent = start.elapsed().as_secs_f64() / limits.time.as_secs_f64();
        if round > 3 && spent >= 1.0 {
            break;
        }
        progress.reached(spent.max(round as f64 / limits.rounds as f64));
        for place in 0..seats.len() {
            let place = (place + round) % seats.len();
            thread::sleep(SETTLE);
            let sample = rushes[place]()?;
            // The first round is the warm-up.
            if round > 0 {
                samples[place].push(sample);
            }
        }
    }
    progress.end();
    let name = format!("{callers} outside threads, {entries} entries each");
    let records = seats.iter().zip(samples).map(|(&seat, samples)| {
        Record::new(&name, "outside, hot", seat, callers * entries, samples)
    });
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

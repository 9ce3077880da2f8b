//! What a pool costs a program that works in short bursts: a control loop whose ticks have some
//! parallel regions, sequential work after each, and sleep after a tick. rayon's pull request 1318
//! describes two such loops: a service's trace (12 regions of 24 leaves of 2 µs, 200 µs of
//! sequential work, 3 ms of sleep), and what its own program does unless told otherwise (8 regions
//! of 64 leaves of 10 µs, 20 µs of sequential work, a tick every 10 ms). There a leaf lasts until
//! the clock says so, even while its thread does not run; here it is so much work.
//!
//! ```text
//! cargo run --release -p sumac-builds --example bursts [--json] [ROUNDS]
//! ```
//!
//! * `calls`: each region of the trace is a call of the pool from outside.
//! * `one call`: a tick is one call, so the pool is in use in the sequential work, too.
//! * `saturated`: calls without sequential work and sleep, so nothing is idle.
//! * `program's calls`, `program's one call`: the same of the pull request's program.
//!
//! The contenders take turns in one process, a second each; `alone` computes without a pool. CPU
//! time is the process's. A sample is the mean of a turn's ticks.

mod work;

use nix::time::{ClockId, clock_gettime};
use std::{
    error::Error,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};
use sumac_record::{Asked, Cell, Records, Turns};
use work::{compute, on_caller, on_rayon, on_sumac, steps_per_microsecond};

/// Of each pool, on however many processors.
const THREADS: [usize; 3] = [2, 16, 64];
const ROUND: Duration = Duration::from_secs(1);

/// A control loop; times in microseconds.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    regions: usize,
    leaves: usize,
    leaf: f64,
    between: f64,
    /// Whether a tick is one call of the pool, else each region is.
    one_call: bool,
    /// How long it sleeps after a tick that lasted so long.
    rest: fn(Duration) -> Duration,
}

const CALLS: Shape = Shape {
    name: "calls",
    regions: 12,
    leaves: 24,
    leaf: 2.0,
    between: 200.0,
    one_call: false,
    rest: |_| Duration::from_millis(3),
};

const PROGRAM: Shape = Shape {
    name: "program's calls",
    regions: 8,
    leaves: 64,
    leaf: 10.0,
    between: 20.0,
    one_call: false,
    rest: |tick| Duration::from_millis(10).saturating_sub(tick),
};

const SHAPES: [Shape; 5] = [
    CALLS,
    Shape {
        name: "one call",
        one_call: true,
        ..CALLS
    },
    Shape {
        name: "saturated",
        between: 0.0,
        rest: |_| Duration::ZERO,
        ..CALLS
    },
    PROGRAM,
    Shape {
        name: "program's one call",
        one_call: true,
        ..PROGRAM
    },
];

/// A pool: what enters it, and what joins inside.
struct Contender<'c> {
    name: &'static str,
    enter: &'c (dyn Fn(&(dyn Fn() + Sync)) + Sync),
    tree: fn(std::ops::Range<usize>, usize),
}

/// Nanoseconds a tick: of the clock, without the sleep, and of all processors.
#[derive(Clone, Copy)]
struct Tick {
    wall: f64,
    cpu: f64,
}

impl Contender<'_> {
    fn turn(&self, shape: Shape, steps: f64) -> Result<Tick, Box<dyn Error>> {
        let region = || (self.tree)(0..shape.leaves, (shape.leaf * steps) as usize);
        let between = || compute((shape.between * steps) as usize);
        let tick = || {
            if shape.one_call {
                (self.enter)(&|| {
                    (0..shape.regions).for_each(|_| {
                        region();
                        between();
                    });
                });
            } else {
                (0..shape.regions).for_each(|_| {
                    (self.enter)(&region);
                    between();
                });
            }
        };
        let (mut ticks, mut wall) = (0.0, Duration::ZERO);
        let (begin, used) = (Instant::now(), cpu()?);
        while begin.elapsed() < ROUND {
            let begin = Instant::now();
            tick();
            let tick = begin.elapsed();
            wall += tick;
            ticks += 1.0;
            let rest = (shape.rest)(tick);
            if !rest.is_zero() {
                thread::sleep(rest);
            }
        }
        Ok(Tick {
            wall: wall.as_nanos() as f64 / ticks,
            cpu: (cpu()? - used).as_nanos() as f64 / ticks,
        })
    }
}

/// The processor time of this process so far.
fn cpu() -> Result<Duration, Box<dyn Error>> {
    Ok(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into())
}

fn main() -> ExitCode {
    Asked::run("bursts", 9, |asked, records| {
        let mut all = THREADS.into_iter();
        all.try_for_each(|threads| measure(threads, asked.rounds, records))
    })
}

fn measure(threads: usize, rounds: usize, records: &mut Records) -> Result<(), Box<dyn Error>> {
    let steps = steps_per_microsecond();
    let sumac = sumac::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let rayon = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let contenders = [
        Contender {
            name: "sumac",
            enter: &|work| sumac.install(work),
            tree: on_sumac,
        },
        Contender {
            name: "rayon",
            enter: &|work| rayon.install(work),
            tree: on_rayon,
        },
        Contender {
            name: "alone",
            enter: &|work| work(),
            tree: on_caller,
        },
    ];
    for shape in SHAPES {
        let turn =
            |_, who: usize| Ok::<_, Box<dyn Error>>(vec![contenders[who].turn(shape, steps)?]);
        let taken = Turns::of(rounds).take(contenders.len(), turn)?;
        for (contender, ticks) in contenders.iter().zip(taken) {
            let mut add = |parameters: &str, of: fn(&Tick) -> f64| {
                let parameters = parameters.into();
                let cell = Cell::of(shape.name, contender.name, threads);
                records.add(Cell { parameters, ..cell }, ticks.iter().map(of).collect());
            };
            add("time", |tick| tick.wall);
            add("processor time", |tick| tick.cpu);
        }
    }
    Ok(())
}

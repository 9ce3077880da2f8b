//! What a fork costs that another thread takes: by how much a join of two equal halves, side by
//! side, takes longer than one of them.

use std::thread;
use std::time::{Duration, Instant};

use sumac::{ThreadPoolBuilder, join, profile::BURDEN};

const JOINS: usize = 500;
/// How long each half works: long enough for the other one to be taken.
const HALF: Duration = Duration::from_micros(30);

/// The median of some hundred joins, or the usual burden where no worker takes halves.
pub(super) fn measured() -> Duration {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let (Ok(pool), 2..) = (pool, crate::machine::cores()) else {
        return BURDEN;
    };
    let work = || {
        let start = Instant::now();
        while start.elapsed() < HALF {
            std::hint::spin_loop();
        }
        thread::current().id()
    };
    let mut costs = pool.install(|| {
        let timed = || {
            let start = Instant::now();
            let (here, there) = join(work, work);
            (here != there).then(|| start.elapsed().saturating_sub(HALF))
        };
        (0..JOINS).filter_map(|_| timed()).collect::<Vec<_>>()
    });
    costs.sort_unstable();
    // A worker that comes too late for most of them is no measure.
    match costs.len() >= JOINS / 10 {
        true => costs[costs.len() / 2].clamp(BURDEN / 10, BURDEN * 20),
        false => BURDEN,
    }
}

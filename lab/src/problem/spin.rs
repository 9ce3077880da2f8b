//! A leaf of known length: arithmetic that no compiler shortens and that touches no memory.
//! Its iterations per microsecond are measured once, at the start; the clock is never read inside.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// `rounds` dependent steps of a xorshift generator.
#[inline(never)]
pub(crate) fn spin(rounds: u64, seed: u64) -> u64 {
    let mut x = seed | 1;
    for _ in 0..rounds {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

/// The rounds that last `time` on this machine when nothing disturbs them.
pub(crate) fn rounds_for(time: Duration) -> u64 {
    static ROUNDS_PER_NS: OnceLock<f64> = OnceLock::new();
    let per_ns = ROUNDS_PER_NS.get_or_init(calibrate);
    ((time.as_nanos() as f64 * per_ns) as u64).max(1)
}

/// The best of some trials, which come after a warm-up long enough to raise the clock rate.
fn calibrate() -> f64 {
    const ROUNDS: u64 = 200_000;
    (0..40)
        .map(|trial| {
            let start = Instant::now();
            black_box(spin(black_box(ROUNDS), trial));
            ROUNDS as f64 / start.elapsed().as_nanos().max(1) as f64
        })
        .fold(0.0, f64::max)
}

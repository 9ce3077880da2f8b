//! The clock of programs in a browser, where std has none.

pub(crate) use std::hint::spin_loop;
use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Sets the clock of pools in a browser, where std has none: the time since a moment that is the
/// same for all threads, such as `performance.timeOrigin + performance.now()`.
///
/// Call it before the first pool is built; later calls do nothing. Without it, the time advances by
/// 100 ns at each read. So all jobs seem to be short, and idle threads ask for work less often.
pub fn set_clock(now: fn() -> Duration) {
    CLOCK.get_or_init(|| now);
}

/// A point in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(Duration);

impl Instant {
    pub(crate) fn now() -> Self {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        Instant(match CLOCK.get() {
            Some(now) => now(),
            None => Duration::from_nanos(LOOKS.fetch_add(100, Ordering::Relaxed)),
        })
    }

    pub(crate) fn elapsed(self) -> Duration {
        Instant::now().0.saturating_sub(self.0)
    }
}

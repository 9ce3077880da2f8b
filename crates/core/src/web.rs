//! The clock of programs in a browser, for which std has none.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Tells pools the time, which std cannot in a browser: how long it has been since some moment,
/// the same one for all threads. There that is `performance.timeOrigin + performance.now()`.
///
/// To be called before the first pool is built; later calls change nothing. Without a clock each
/// look at it lasts 100 ns. So all jobs seem to be short, and idle threads ask for work less often.
pub fn set_clock(now: fn() -> Duration) {
    CLOCK.get_or_init(|| now);
}

/// A moment.
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

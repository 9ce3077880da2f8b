//! How a rank polls MPI for messages: first without pause, then yielding its processor, then with
//! short sleeps; and for how long.

use std::{
    hint, thread,
    time::{Duration, Instant},
};

/// The number of polls before a rank first yields its processor, if there are enough processors.
const FIRST_ASKED: usize = 200;

/// The number of polls between later yields. MPI may accept only one message per poll, and several
/// may have arrived.
const ASKED: usize = 16;

/// The time for which it only yields. A rank that sleeps is late by more than the duration of a
/// small collective.
const AWAKE: Duration = Duration::from_millis(2);

/// See the module.
pub(crate) struct Patience {
    limit: Option<Duration>,
    crowded: bool,
    since: Instant,
    /// The number of polls until it yields its processor.
    asks: usize,
    naps: u32,
}

impl Patience {
    /// Starts a wait. `crowded`: others need this processor.
    pub(crate) fn new(limit: Option<Duration>, crowded: bool) -> Self {
        Self {
            limit,
            crowded,
            since: Instant::now(),
            asks: if crowded { ASKED } else { FIRST_ASKED },
            naps: 0,
        }
    }

    pub(crate) fn renew(&mut self) {
        *self = Self::new(self.limit, self.crowded);
    }

    /// Yields or sleeps after `asked` polls; returns the time waited if it has reached the limit.
    pub(crate) fn pause(&mut self, asked: usize) -> Option<Duration> {
        self.asks = self.asks.saturating_sub(asked);
        if self.asks > 0 {
            hint::spin_loop();
            return None;
        }
        self.asks = ASKED;
        let waited = self.since.elapsed();
        if waited < AWAKE {
            thread::yield_now();
        } else {
            self.naps = (self.naps + 1).min(10);
            thread::sleep(Duration::from_micros(20) * self.naps);
        }
        self.limit.filter(|limit| waited > *limit)
    }
}

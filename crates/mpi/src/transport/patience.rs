//! How a rank waits for messages, by asking MPI for them again and again: first at once, then
//! giving its processor away between, then in short naps; and for how long.

use std::{
    hint, thread,
    time::{Duration, Instant},
};

/// How often a rank asks before it gives its processor away for the first time, if there are enough
/// of them.
const FIRST_ASKED: usize = 200;

/// How often it does before it gives it away again. MPI may take in one message only whenever it is
/// asked, and several may have come.
const ASKED: usize = 16;

/// For how long it only gives its processor away. Who naps is late, by more than a small collective
/// takes.
const AWAKE: Duration = Duration::from_millis(2);

/// See the module.
pub(crate) struct Patience {
    limit: Option<Duration>,
    crowded: bool,
    since: Instant,
    /// How often it still asks without giving its processor away.
    asks: usize,
    naps: u32,
}

impl Patience {
    /// `crowded`: others need this processor.
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

    /// Lets others run for a while, now that MPI has been asked so often; or says for how long we
    /// have waited, if that is long enough.
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

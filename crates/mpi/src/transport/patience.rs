//! How a rank waits for messages, by looking for them again and again: first fast, then yielding its processor, then in short naps; and for how long.

use std::{
    hint, thread,
    time::{Duration, Instant},
};

/// See the module.
pub(crate) struct Patience {
    limit: Option<Duration>,
    since: Instant,
    polls: u32,
    spins: u32,
}

impl Patience {
    pub(crate) fn new(limit: Option<Duration>, crowded: bool) -> Self {
        Self {
            limit,
            since: Instant::now(),
            polls: 0,
            // Not where others need the processor.
            spins: if crowded { 0 } else { 200 },
        }
    }

    pub(crate) fn renew(&mut self) {
        (self.polls, self.since) = (0, Instant::now());
    }

    /// Lets others run for a while; or says for how long we have waited, if that is long enough.
    pub(crate) fn pause(&mut self) -> Option<Duration> {
        self.polls = self.polls.saturating_add(1);
        match self.polls {
            polls if polls < self.spins => hint::spin_loop(),
            polls if polls < self.spins + 200 => thread::yield_now(),
            polls => {
                let nap = Duration::from_micros(20) * (polls - self.spins - 199).min(10);
                thread::sleep(nap);
            }
        }
        self.limit.filter(|limit| self.since.elapsed() > *limit)
    }
}

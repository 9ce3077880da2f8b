//! The times of a pool's threads: running work of others, searching for it, and sleeping.
//!
//! A member is in one *phase* at a time. Changing it adds the time since the last change to the old
//! phase's sum; callers pass the time, since nearly all of them have just read the clock. Only the
//! seated thread changes it, on the cold path.
//!
//! Other threads may read at any time. `phase` packs the current phase and its start; it is
//! `CHANGING` while a sum is being written:
//!
//! ```text
//!   writer: phase := CHANGING; sum := ..(release); phase := new (release)
//!   reader: phase (acquire); sums (acquire); phase again: the same and not CHANGING, or read again
//! ```
//!
//! **Whole.** A reader that sees a sum written after its first read sees, at its second, the value
//! stored before that sum: at least `CHANGING`. A reader that saw the new phase at its first read
//! sees the sums stored before it. So a span of time is neither missed nor counted twice. (Model:
//! `models/times.rs`.)

use super::primitive::{AtomicU64, Ordering, back_off};

/// The activity of a member's thread for its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "hooks"), allow(unreachable_pub))]
pub enum Phase {
    /// None, or its own work, which is not counted.
    Away,
    /// Running jobs or tasks taken from others.
    Working,
    /// Searching for them, or waiting without sleeping.
    Searching,
    /// Asleep.
    Parked,
}

const PHASES: [Phase; 4] = [Phase::Away, Phase::Working, Phase::Searching, Phase::Parked];

/// The number of bits of the word that a phase's number takes.
const BITS: u32 = 2;
const CHANGING: u64 = u64::MAX;

/// The number of times a reader reads again: the writer may have lost its processor in the middle,
/// or have ended there with the process that this one was forked from.
const PATIENCE: u32 = 2000;

/// A member's times. One writer, the seated thread.
#[derive(Debug, Default)]
pub(crate) struct Times {
    phase: AtomicU64,
    sums: [AtomicU64; PHASES.len()],
}

impl Times {
    /// Changes the phase from `now` on, a time on the pool's clock. Returns the phase before.
    #[inline(never)]
    pub(crate) fn enter(&self, phase: Phase, now: u64) -> Phase {
        let (before, since) = unpack(self.phase.load(Ordering::Relaxed));
        if before == phase {
            return before;
        }
        let sum = &self.sums[before as usize];
        let grown = sum.load(Ordering::Relaxed) + now.saturating_sub(since);
        self.phase.store(CHANGING, Ordering::Relaxed);
        sum.store(grown, Ordering::Release);
        self.phase
            .store(now << BITS | phase as u64, Ordering::Release);
        before
    }

    /// Returns whether the thread runs work that it has taken. A hint.
    pub(crate) fn is_working(&self) -> bool {
        self.is_in(&[Phase::Working])
    }

    /// Returns whether the thread searches for work, or sleeps. A hint.
    pub(crate) fn is_searching(&self) -> bool {
        self.is_in(&[Phase::Searching, Phase::Parked])
    }

    fn is_in(&self, phases: &[Phase]) -> bool {
        let word = self.phase.load(Ordering::Relaxed);
        word != CHANGING && phases.contains(&unpack(word).0)
    }

    /// Returns the phase of the thread.
    #[cfg(feature = "hooks")]
    pub(crate) fn phase(&self) -> Phase {
        loop {
            let word = self.phase.load(Ordering::Acquire);
            if word != CHANGING {
                return unpack(word).0;
            }
            std::thread::yield_now();
        }
    }

    /// Returns for how long the calling thread, whose times these are, has worked.
    pub(crate) fn worked(&self, now: u64) -> u64 {
        let (phase, since) = unpack(self.phase.load(Ordering::Relaxed));
        let since = if phase == Phase::Working { since } else { now };
        self.sums[Phase::Working as usize].load(Ordering::Relaxed) + now.saturating_sub(since)
    }

    /// Returns the time spent so far in each phase, in nanoseconds, including the current one up to
    /// `now`.
    #[inline(never)]
    pub(crate) fn spent(&self, now: u64) -> [u64; PHASES.len()] {
        let mut latest = [0; PHASES.len()];
        for attempt in 0..PATIENCE {
            match self.look(now) {
                Ok(whole) => return whole,
                Err(part) => latest = part,
            }
            back_off(attempt);
        }
        latest
    }

    /// One look at the times; an error if they changed meanwhile.
    pub(crate) fn look(&self, now: u64) -> Result<[u64; PHASES.len()], [u64; PHASES.len()]> {
        let word = self.phase.load(Ordering::Acquire);
        let mut sums = [0; PHASES.len()];
        for (sum, shared) in sums.iter_mut().zip(&self.sums) {
            *sum = shared.load(Ordering::Acquire);
        }
        if word == CHANGING || self.phase.load(Ordering::Relaxed) != word {
            return Err(sums);
        }
        let (phase, since) = unpack(word);
        sums[phase as usize] += now.saturating_sub(since);
        Ok(sums)
    }
}

fn unpack(word: u64) -> (Phase, u64) {
    (PHASES[(word % (1 << BITS)) as usize], word >> BITS)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_moment_counts_once() {
        let times = Times::default();
        assert_eq!(times.enter(Phase::Searching, 10), Phase::Away);
        assert_eq!(times.spent(15), [10, 0, 5, 0]);
        assert_eq!(times.enter(Phase::Working, 30), Phase::Searching);
        assert_eq!(times.enter(Phase::Working, 40), Phase::Working);
        assert_eq!(times.enter(Phase::Parked, 100), Phase::Working);
        assert_eq!(times.enter(Phase::Away, 1000), Phase::Parked);
        assert_eq!(times.spent(5000), [4010, 70, 20, 900]);
    }

    #[test]
    fn a_clock_that_steps_back_does_no_harm() {
        let times = Times::default();
        times.enter(Phase::Working, 100);
        assert_eq!(times.spent(50), [100, 0, 0, 0]);
        times.enter(Phase::Away, 90);
        assert_eq!(times.spent(200), [210, 0, 0, 0]);
    }

    /// The sum over all phases is the time itself, in each look that is whole. A writer that never
    /// pauses leaves few of those.
    #[test]
    fn looks_are_whole_or_fail() {
        let times = Times::default();
        let clock = AtomicU64::new(1);
        let steps = if cfg!(miri) { 200 } else { 3_000_000 };
        times.enter(Phase::Working, 1);
        let look = || {
            let spent = times.look(u64::MAX >> BITS).ok()?;
            assert_eq!(spent.iter().sum::<u64>(), u64::MAX >> BITS);
            Some(())
        };
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for now in 2..=steps {
                    times.enter(PHASES[1 + (now % 3) as usize], now);
                    clock.store(now, Ordering::Release);
                }
            });
            while clock.load(Ordering::Acquire) < steps {
                look();
            }
            look().expect("no thread writes any more");
        });
    }
}

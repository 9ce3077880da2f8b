//! The policy: when to ask, whom, for how much, and when to sleep. Pure functions of numbers, so that a
//! simulator can use the very same ones.
//!
//! All times are in nanoseconds.

/// How long askers leave a member alone after asking it.
pub const INTERVAL_MIN: u64 = 8_000;
/// The longest such time, for members whose computations are tiny.
pub const INTERVAL_MAX: u64 = 200_000;
/// A job shorter than this was not worth its promotion.
pub const TINY: u64 = 2_000;
/// What a promotion costs the thread that makes it, with all that follows.
pub const PROMOTION_COST: u64 = 300;
/// A job at least this long was.
pub const LONG: u64 = 4_000;
/// How long an idle worker looks for work before it sleeps, after a job worth its while: about as long as a nap
/// and its end cost, so that it never loses more than twice what it had to.
pub const SPIN: u64 = 100_000;
/// The same after a tiny job in a program of tiny computations.
pub const SPIN_TINY: u64 = 3_000;
/// How long it looks after each nap.
pub const SPIN_AFTER_NAP: u64 = 3_000;
/// How long the leader of the idle workers sleeps at a time.
pub const NAP: u64 = 50_000;
/// How long its deputy does.
pub const DEPUTY_NAP: u64 = 1_000_000;
/// For how long the leader must have been busy before its deputy takes over.
pub const LEADER_LOST: u64 = 100_000;
/// After this long without an answer from any member the pool goes dormant.
pub const DORMANT_AFTER: u64 = 10_000_000;
/// How long a waiting thread only waits, before it looks for work to help with, if its own jobs have been tiny.
pub const WAIT_PATIENCE: u64 = 1_000;
/// How long a waiting thread looks for work and for its result without giving way to others.
pub const WAIT_SPIN: u64 = 20_000;
/// How long it looks in all before it sleeps.
pub const WAIT_YIELD: u64 = 200_000;
/// The shortest and the longest sleep of a waiting thread between two looks for work to help with.
pub const WAIT_NAP_MIN: u64 = 50_000;
/// See [`WAIT_NAP_MIN`].
pub const WAIT_NAP_MAX: u64 = 1_000_000;
/// Tasks that took less than this together were not worth waking anybody for.
pub const SHORT_TASK: u64 = 20_000;
/// The longest time that a worker leaves tiny tasks to those who wait for them.
pub const TASK_REST_MAX: u64 = 100_000;
/// The most jobs to ask one member for at once.
pub const WANT_MAX: u32 = 16;
/// How many offers that nobody took a thread renews after it has begun a stolen job.
pub const CREDIT: u32 = 16;

/// What a thief has learnt from the jobs it took lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thief {
    /// How many jobs to ask for next.
    pub want: u32,
    /// Whether the last job was tiny, and the epoch of its victim when it was taken.
    pub last_tiny: Option<u32>,
    /// Whether the last job was long: then a job's own first joins go on offering until somebody takes.
    pub last_long: bool,
}

/// What to do after a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The victim's new interval.
    pub interval: u64,
    /// Whether to ask the victim again at once.
    pub ask_now: bool,
    /// Whether to leave it alone for its interval, whatever it offers.
    pub rest: bool,
}

impl Thief {
    /// A thief that has learnt nothing.
    pub const fn new() -> Self {
        Thief {
            want: 1,
            last_tiny: None,
            last_long: false,
        }
    }

    /// How long to look for work before sleeping.
    pub fn spin(&self) -> u64 {
        if self.last_tiny.is_some() {
            SPIN_TINY
        } else {
            SPIN
        }
    }

    /// Learns from a job that lasted `duration`, with so many promotions in it, whose victim's epoch was `before` when
    /// it was taken and is `after` now, and whose interval is `interval`.
    ///
    /// * A job that lasted: all is well; the next ask may come soon (sooner only after two, and step by step: a tiny job
    ///   whose thread was preempted looks long).
    /// * A tiny one while the victim is still inside the same computation: a decoy on top of real work. Ask again
    ///   at once, for as many as there may be.
    /// * A tiny one and the computation has ended, or the one before it had: the program is made of tiny
    ///   computations. Leave it alone for four times as long.
    pub fn learn(
        &mut self,
        duration: u64,
        promotions: u64,
        (before, after): (u32, u32),
        interval: u64,
    ) -> Advice {
        let duration = duration.saturating_sub(promotions * PROMOTION_COST);
        if duration >= TINY {
            let long = duration >= LONG;
            let twice = long && self.last_long;
            *self = Thief {
                want: 1,
                last_tiny: None,
                last_long: long,
            };
            let interval = if twice { shorter(interval) } else { interval };
            return Advice {
                interval,
                ask_now: false,
                rest: false,
            };
        }
        self.last_long = false;
        let ended = before != after || self.last_tiny.is_some_and(|epoch| epoch != before);
        self.last_tiny = Some(before);
        if ended {
            self.want = 1;
            Advice {
                interval: (interval * 4).min(INTERVAL_MAX),
                ask_now: false,
                rest: true,
            }
        } else {
            self.want = WANT_MAX;
            Advice {
                interval,
                ask_now: true,
                rest: false,
            }
        }
    }
}

impl Default for Thief {
    fn default() -> Self {
        Thief::new()
    }
}

/// Whether a member may be asked now.
pub fn may_ask(now: u64, asked_at: u64, interval: u64) -> bool {
    now.saturating_sub(asked_at) >= interval
}

/// The interval of a member of which there is reason to think better.
pub fn shorter(interval: u64) -> u64 {
    (interval / 4).max(INTERVAL_MIN)
}

/// How long a member waits for a job of its own before it looks for work to help with.
pub fn patience(interval: u64) -> u64 {
    if refill(interval) { 0 } else { WAIT_PATIENCE }
}

/// Whether a member's jobs have been worth taking, so that it is asked for more as soon as one is taken.
pub fn refill(interval: u64) -> bool {
    interval <= INTERVAL_MIN
}

/// How many jobs to ask a member for, with so many workers idle.
pub fn demand(want: u32, idle: usize, interval: u64) -> u32 {
    if refill(interval) {
        let idle = u32::try_from(idle).unwrap_or(WANT_MAX);
        want.max(idle).clamp(1, WANT_MAX)
    } else {
        want
    }
}

/// How long the deputy sleeps at a time.
pub fn deputy_nap(leader_is_busy: bool) -> u64 {
    if leader_is_busy {
        LEADER_LOST
    } else {
        DEPUTY_NAP
    }
}

/// Whether the deputy should take over from a leader that has been running a job since then.
pub fn leader_lost(now: u64, since: u64) -> bool {
    now.saturating_sub(since) >= LEADER_LOST
}

/// How long a worker leaves tasks alone, after it has left them alone for `rest` and found some that took so long together:
/// tiny ones are cheaper for whoever waits for them, and come in numbers otherwise.
pub fn task_rest(rest: u64, took: u64) -> u64 {
    if took >= TINY {
        0
    } else {
        (rest * 2).clamp(INTERVAL_MIN, TASK_REST_MAX)
    }
}

/// How long a waiting thread looks for work after a nap: a sixteenth of that, so that it hardly uses the processor if there is none.
pub fn look(nap: u64) -> u64 {
    nap / 16
}

/// The next sleep of a waiting thread.
pub fn longer_nap(nap: u64) -> u64 {
    (nap * 2).min(WAIT_NAP_MAX)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn tiny_computations_are_left_alone_longer_and_longer() {
        let (mut thief, mut interval) = (Thief::new(), INTERVAL_MIN);
        for epoch in 0..10 {
            let advice = thief.learn(700, 0, (epoch, epoch + 1), interval);
            assert!(advice.rest && !advice.ask_now);
            assert!(advice.interval > interval || interval == INTERVAL_MAX);
            interval = advice.interval;
        }
        assert_eq!(interval, INTERVAL_MAX);
        assert_eq!(thief.spin(), SPIN_TINY);
    }

    #[test]
    fn decoys_make_a_thief_ask_for_many_at_once() {
        let mut thief = Thief::new();
        let advice = thief.learn(100, 0, (7, 7), INTERVAL_MIN);
        assert!(advice.ask_now && !advice.rest);
        assert_eq!(thief.want, WANT_MAX);
        // Another tiny one of another computation: those were no decoys.
        assert!(thief.learn(100, 0, (8, 8), INTERVAL_MIN).rest);
        assert_eq!(thief.want, 1);
    }

    #[test]
    fn trust_comes_back_after_two_long_jobs_in_a_row() {
        let mut thief = Thief::new();
        let once = thief.learn(LONG, 0, (1, 1), INTERVAL_MAX);
        assert_eq!(once.interval, INTERVAL_MAX, "it may have been preempted");
        let twice = thief.learn(LONG, 0, (1, 1), once.interval);
        assert_eq!(twice.interval, shorter(INTERVAL_MAX));
    }

    #[test]
    fn time_spent_on_promotions_does_not_make_a_job_long() {
        let mut thief = Thief::new();
        let advice = thief.learn(LONG, 16, (1, 2), INTERVAL_MIN);
        assert!(advice.rest);
    }

    #[test]
    fn tiny_tasks_are_left_alone_for_longer_and_longer() {
        let once = task_rest(0, 100);
        let twice = task_rest(once, 100);
        assert!(once > 0 && twice > once);
        assert_eq!(task_rest(TASK_REST_MAX, 100), TASK_REST_MAX);
        assert_eq!(task_rest(TASK_REST_MAX, TINY), 0);
    }

    #[test]
    fn only_members_worth_it_are_asked_for_as_many_as_are_idle() {
        assert_eq!(demand(1, 5, INTERVAL_MIN), 5);
        assert_eq!(demand(1, 500, INTERVAL_MIN), WANT_MAX);
        assert_eq!(demand(1, 0, INTERVAL_MIN), 1);
        assert_eq!(demand(1, 5, INTERVAL_MAX), 1);
    }
}

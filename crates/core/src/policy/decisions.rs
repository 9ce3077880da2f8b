//! The policy: when to ask, whom, for how much, and when to sleep. Pure functions of numbers. Each
//! pool has its own [`Policy`], created when it is built (pool/tuning.rs).
//!
//! All times are in nanoseconds.

/// The cost of a promotion for its thread, with all that follows.
pub(crate) const PROMOTION_COST: u64 = 300;
/// The greatest number of jobs that a member can offer at once, under any policy.
pub(crate) const SLOTS: u32 = 16;
/// The distance between the members with which a worker starts successive looks: a prime, so that
/// it starts with all of them in turn.
pub(crate) const STRIDE: usize = 7_919;
/// The longest time for which a waiting thread looks after a nap.
const LOOK_MAX: u64 = 30_000;
/// The longest sleep or rest, under any policy, after which a thread looks again for work that only
/// it may be able to do.
pub(crate) const REST_MAX: u64 = 1_000_000_000;

/// The greatest number of offers in a row that a thread renews after it has taken them back itself.
const CREDIT_MAX: u32 = 256;

/// The choices, in nanoseconds unless stated otherwise; all other times follow from these. Every
/// value is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// The shortest interval between demands on a member.
    pub(crate) interval: u64,
    /// The greatest number of jobs that a member offers, and is asked for, at once: 1 to [`SLOTS`].
    pub(crate) slots: u64,
    /// A job shorter than this was not worth its promotion.
    pub(crate) tiny: u64,
    /// Tasks that took less than this together were not worth waking a worker for, and neither is
    /// an offer that waited less. A thread polls for so long before it yields.
    pub(crate) short: u64,
    /// How long an idle worker looks for work after a tiny job in a program of tiny computations,
    /// and the leader of the idle workers after each sleep.
    pub(crate) spin_tiny: u64,
    /// How long an idle worker looks for work before it sleeps, after a long job: about as long as
    /// a nap and its end cost, so that it never loses more than twice the minimum. The leader is
    /// missed after so long, and tiny tasks are left to their waiters for so long.
    pub(crate) spin: u64,
    /// The shortest sleep: of the leader after a job that was tiny, or gone when it came; of a
    /// waiting thread between two looks for work to help with.
    pub(crate) nap: u64,
    /// The longest nap of the leader, while jobs of that kind follow one another.
    pub(crate) nap_max: u64,
    /// Whether a thread takes the newest of its own tasks first.
    pub(crate) newest_first: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy::DEFAULT
    }
}

/// A thief's experience with the jobs that it took lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thief {
    /// How many jobs to ask for next.
    pub(crate) want: u32,
    /// Whether the last job was tiny, and the epoch of its victim when it was taken.
    pub(crate) last_tiny: Option<u32>,
    /// Whether the last job was long.
    pub(crate) last_long: bool,
    /// For how long it has looked for jobs lately, and worked in them.
    looked: u64,
    worked: u64,
}

/// The actions after a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    /// The victim's new interval.
    pub(crate) interval: u64,
    /// Whether to ask the victim again at once.
    pub(crate) ask_now: bool,
    /// The number of untaken offers that the victim, and the thief in its next job, may renew. A
    /// program that forks only at the start of its loops, as rayon's do, then gets help from the
    /// start of its next long loop, even with tiny ones in between. It pays for that at most an
    /// eighth of the job's time.
    pub(crate) credit: u32,
}

impl Thief {
    /// Creates a thief without experience.
    pub(crate) const fn new() -> Self {
        Thief {
            want: 1,
            last_tiny: None,
            last_long: false,
            looked: 0,
            worked: 0,
        }
    }

    /// Forgets the jobs, but not whether the looks for them paid.
    pub(crate) fn forget(&mut self) {
        *self = Thief {
            looked: self.looked,
            worked: self.worked,
            ..Thief::new()
        };
    }

    /// Notes that a job has been found, after `idle_for` without work. A pause, in which the worker
    /// slept, does not count.
    pub(crate) fn found(&mut self, policy: &Policy, idle_for: u64) {
        if !policy.is_pause(idle_for) {
            self.looked = (self.looked - self.looked / 4).saturating_add(idle_for);
            self.worked -= self.worked / 4;
        }
    }

    /// Returns whether its jobs have not been worth long looks: the last one was tiny, or it works
    /// less than a fifth of the time.
    pub(crate) fn gains_little(&self) -> bool {
        self.last_tiny.is_some() || self.looked / 4 > self.worked
    }

    /// Learns from a job that lasted `duration`, with so many promotions in it, whose victim's
    /// epoch was `before` when it was taken and is `after` now, and whose interval is `interval`.
    ///
    /// * A long job: the next demand may come soon (sooner only after two, and step by step: a tiny
    ///   job whose thread was preempted looks long).
    /// * A tiny job while the victim is still inside the same computation: a decoy on top of real
    ///   work. Ask again at once, for as many as possible.
    /// * A tiny job and the computation has ended, or the one before it had: the program consists
    ///   of tiny computations. Make the interval four times as long.
    pub(crate) fn learn(
        &mut self,
        policy: &Policy,
        duration: u64,
        promotions: u64,
        (before, after): (u32, u32),
        interval: u64,
    ) -> Advice {
        let duration = duration.saturating_sub(promotions.saturating_mul(PROMOTION_COST));
        self.worked = self.worked.saturating_add(duration);
        let mut advice = Advice {
            interval,
            ask_now: false,
            credit: 0,
        };
        if duration >= policy.tiny {
            let last_long = duration / 2 >= policy.tiny;
            if last_long && self.last_long {
                advice.interval = policy.shorter(interval);
            }
            advice.credit = Policy::credit_for(duration);
            self.forget();
            self.last_long = last_long;
            return advice;
        }
        self.last_long = false;
        let ended = before != after || self.last_tiny.is_some_and(|epoch| epoch != before);
        self.last_tiny = Some(before);
        if ended {
            self.want = 1;
            advice.interval = interval.saturating_mul(4).min(policy.interval_max());
        } else {
            self.want = policy.want_max();
            advice.ask_now = true;
        }
        advice
    }
}

/// Returns whether a member may be asked now.
pub(crate) fn may_ask(now: u64, asked_at: u64, interval: u64) -> bool {
    now.saturating_sub(asked_at) >= interval
}

/// Returns how long a waiting thread looks for work after a nap: at most a sixteenth of the nap, so
/// that it hardly uses the processor if there is none.
pub(crate) fn look(nap: u64) -> u64 {
    (nap / 16).min(LOOK_MAX)
}

impl Policy {
    /// The default policy of pools.
    pub(crate) const DEFAULT: Policy = Policy {
        interval: 8_000,
        slots: SLOTS as u64,
        tiny: 2_000,
        short: 20_000,
        spin_tiny: 3_000,
        spin: 100_000,
        nap: 50_000,
        nap_max: 2_000_000,
        newest_first: false,
    };

    /// Returns the longest interval between demands on a member, one of tiny computations.
    pub(crate) fn interval_max(&self) -> u64 {
        self.interval.saturating_mul(25)
    }

    /// Returns after how long without an answer from any member a napping leader goes dormant.
    pub(crate) fn dormant_after(&self) -> u64 {
        self.nap_max.saturating_mul(5)
    }

    /// Returns how long a waiting thread polls in all before it sleeps.
    pub(crate) fn wait_spin(&self) -> u64 {
        self.spin.saturating_mul(2)
    }

    /// Returns the longest sleep of a waiting thread between two looks for work to help with. Then
    /// waiting threads take turns (watch.rs).
    pub(crate) fn wait_nap_max(&self) -> u64 {
        (self.dormant_after() / 2).min(REST_MAX)
    }

    /// Returns the greatest number of jobs to ask one member for at once, and that it offers.
    pub(crate) fn want_max(&self) -> u32 {
        u32::try_from(self.slots).map_or(SLOTS, |slots| slots.clamp(1, SLOTS))
    }

    /// Returns how long an idle worker looks for work before it sleeps.
    pub(crate) fn spin_of(&self, thief: &Thief) -> u64 {
        if thief.gains_little() {
            self.spin_tiny
        } else {
            self.spin
        }
    }

    /// Returns how long at most an idle worker that looked for `spin` looks next time, after a time
    /// without work of `idle_for`, wake-up included. Looking is useless for a program with pauses
    /// longer than the look, and useful if pauses are short.
    pub(crate) fn spin_after(&self, spin: u64, idle_for: u64) -> u64 {
        if self.is_pause(idle_for) {
            (spin / 2).max(self.spin_tiny).min(self.spin)
        } else {
            spin.max(idle_for.saturating_mul(2)).min(self.spin)
        }
    }

    /// Returns whether so long a time without work is one in which a worker should sleep.
    pub(crate) fn is_pause(&self, idle_for: u64) -> bool {
        idle_for > self.spin.saturating_add(self.spin / 2)
    }

    /// Returns how long the leader naps next, after a nap of `nap` (0: none). Computations that end
    /// before a thread can be woken are not worth a wake-up, which their own thread would pay for:
    /// instead the leader naps, longer and longer.
    pub(crate) fn leader_nap(&self, nap: u64) -> u64 {
        nap.saturating_mul(2).min(self.nap_max).max(self.nap)
    }

    /// Returns how long an offer must wait to cut the leader's next nap short (nap.rs), after a nap
    /// of `nap` for which it was `wait`.
    pub(crate) fn cut_after(&self, wait: u64, nap: u64, cut: bool) -> u64 {
        let next = match cut {
            true => wait.saturating_mul(2).min(self.nap_max),
            false if nap >= self.nap_max => wait / 2,
            false => wait,
        };
        next.max(self.short)
    }

    /// Returns how many offers may be renewed for a job of this duration.
    fn credit_for(duration: u64) -> u32 {
        u32::try_from(duration / 8 / PROMOTION_COST).map_or(CREDIT_MAX, |n| n.min(CREDIT_MAX))
    }

    /// Returns the shortened interval of a member after a good experience.
    pub(crate) fn shorter(&self, interval: u64) -> u64 {
        (interval / 4).max(self.interval)
    }

    /// Returns how long a member waits for a job of its own before it looks for work to help with.
    pub(crate) fn patience(&self, interval: u64) -> u64 {
        if self.refill(interval) {
            0
        } else {
            self.tiny / 2
        }
    }

    /// Returns whether a member's jobs have been worth taking, so that it is asked for more as soon
    /// as one is taken.
    pub(crate) fn refill(&self, interval: u64) -> bool {
        interval <= self.interval
    }

    /// Returns how many jobs to ask a member for, with this many workers idle and threads busy: its
    /// share of the idle workers' demand. Asked for more, each busy thread would offer its large
    /// and its tiny parts, and the tiny ones would be taken too.
    pub(crate) fn demand(&self, want: u32, (idle, busy): (usize, usize), interval: u64) -> u32 {
        if self.refill(interval) {
            let share = u32::try_from(idle.div_ceil(busy.max(1))).unwrap_or(u32::MAX);
            want.max(share).clamp(1, self.want_max())
        } else {
            want
        }
    }

    /// Returns how long the deputy sleeps at a time.
    pub(crate) fn deputy_nap_of(&self, leader_is_busy: bool) -> u64 {
        if leader_is_busy {
            self.spin
        } else {
            self.nap_max / 2
        }
    }

    /// Returns how long a worker leaves tasks alone, after it has left them alone for `rest` and
    /// then run some that took `took` together: tiny tasks are cheaper for the thread that waits
    /// for them, and others come in numbers.
    pub(crate) fn task_rest(&self, rest: u64, took: u64) -> u64 {
        if took >= self.tiny {
            0
        } else {
            rest.saturating_mul(2).max(self.interval).min(self.spin)
        }
    }

    /// Returns the next sleep of a waiting thread.
    pub(crate) fn longer_nap(&self, nap: u64) -> u64 {
        nap.saturating_mul(2).min(self.wait_nap_max())
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

//! A thread's looks at its pools, of which one may be *stuck* (wait/stuck.rs): work waits there,
//! and nothing has happened for some time.

use super::member::Member;
use crate::pool::{reserve::STUCK, shared::Shared};
use std::{cell::RefCell, ptr};

/// For how long nothing happens in a pool that is stuck, in nanoseconds; at least so long after
/// the thread itself has run something.
const PATIENCE: u64 = 10 * STUCK;
const LEAST: u64 = PATIENCE / 1000;

/// A thread's last looks at its pools.
#[derive(Default)]
pub(super) struct Looks(Vec<Seen>);

/// What a look has seen of a pool.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pool: *const Shared,
    at: u64,
    /// Whether a task waits.
    pub(super) task: bool,
    /// How often its threads have done what shows that it is not stuck.
    started: u64,
    /// For how long that has not changed, and for how long it must not.
    quiet: u64,
    patience: u64,
}

thread_local! {
    /// Those of the calling thread while it yields.
    static LOOKS: RefCell<Looks> = const { RefCell::new(Looks(Vec::new())) };
}

/// Returns whether a pool is stuck in which the calling thread yields. Often called, it seldom
/// looks, and never once the thread's looks have been dropped, at its end.
pub(super) fn is_stuck(pool: &Shared, now: u64) -> bool {
    let is_stuck = |looks: &RefCell<Looks>| {
        let looks = &mut *looks.borrow_mut();
        // Others may be of pools that have ended.
        looks
            .0
            .retain(|seen| now.saturating_sub(seen.at) < PATIENCE);
        let is_due = |seen: &Seen| now.saturating_sub(seen.at) >= LEAST / 4;
        let seen = looks.0.iter().find(|seen| ptr::eq(seen.pool, pool));
        !pool.is_forked() && seen.is_none_or(is_due) && looks.look(pool, now).is_over()
    };
    LOOKS.try_with(is_stuck).unwrap_or(false)
}

impl Looks {
    /// Looks at a pool.
    pub(super) fn look(&mut self, pool: &Shared, now: u64) -> Seen {
        let now = Seen::now(pool, now);
        match self.0.iter_mut().find(|seen| ptr::eq(seen.pool, pool)) {
            Some(seen) => {
                *seen = seen.after(now);
                *seen
            }
            None => {
                self.0.push(now);
                now
            }
        }
    }
}

impl Seen {
    /// What a first look sees.
    fn now(pool: &Shared, at: u64) -> Self {
        let task = pool.members.iter().any(|m| m.queues.tasks.any_waits());
        let jobs = |m: &Member| match task && pool.spares.max() > 0 {
            true => 0,
            false => m.counters.steals.get() + m.counters.promotions.get(),
        };
        let started = |m: &Member| m.site.tasks_started().wrapping_add(jobs(m));
        Seen {
            pool,
            at,
            task,
            started: pool.members.iter().map(started).fold(0, u64::wrapping_add),
            quiet: 0,
            patience: PATIENCE,
        }
    }

    /// What this look sees, after that of `self`.
    fn after(self, now: Self) -> Self {
        let is_same = (self.task, self.started) == (now.task, now.started);
        let (quiet, patience) = match (is_same, self.is_over()) {
            (true, _) => {
                let since = now.at.saturating_sub(self.at);
                (self.quiet + since.min(self.patience / 4), self.patience)
            }
            // The thread has run something itself.
            (false, true) => (0, LEAST.max(self.patience / 2)),
            (false, false) => (0, PATIENCE),
        };
        Seen {
            quiet,
            patience,
            ..now
        }
    }

    pub(super) fn is_over(self) -> bool {
        self.quiet >= self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::builder::ThreadPoolBuilder;

    #[test]
    fn the_next_task_waits_for_half_as_long_unless_others_go_on() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("a pool");
        let pool = pool.shared();
        let now = |at, started| Seen {
            started,
            ..Seen::now(pool, at)
        };
        let mut seen = now(0, 0);
        let mut started = 0;
        let mut next = |seen: &mut Seen| {
            let mut looks = 0;
            while !seen.is_over() {
                *seen = seen.after(now(seen.at + PATIENCE, started));
                looks += 1;
            }
            started += 1;
            *seen = seen.after(now(seen.at + PATIENCE, started));
            (looks, seen.patience)
        };
        assert_eq!(next(&mut seen), (4, PATIENCE / 2));
        assert_eq!(next(&mut seen), (4, PATIENCE / 4));
        (0..40).for_each(|_| _ = next(&mut seen));
        assert_eq!(next(&mut seen), (4, LEAST));
        let others = seen.after(now(seen.at + PATIENCE, u64::MAX));
        assert_eq!((others.quiet, others.patience), (0, PATIENCE));
    }
}

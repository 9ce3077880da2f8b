//! A thread that waits while its pool is stuck.
//!
//! A part of what the thread waits for may block, on another thread, until a queued task has run:
//! on a channel, say. If all other threads of the pool are blocked or wait, too, the task does not
//! start. In rayon the thread would run it, as it runs whatever is queued. Here it runs only
//! descendants of the awaited work, since it may hold a lock that the task needs.
//!
//! So it does something else only if its pool is *stuck*: a task has waited for `PATIENCE`, and no
//! thread of the pool has started one meanwhile. Then, until its wait ends or finds something, the
//! thread counts as blocked, as in `blocking`: a spare works in its place, if the pool may have one
//! more.
//!
//! A pool that may have no spares promises its users' code the indices of its threads. There the
//! thread, if it is one of the pool's own, runs a queued task itself, if no thread has taken a job
//! meanwhile either. This task may want what is held below it, and then does not end, as in rayon;
//! and then all other threads have done nothing new for as long as that. A thread that has run one
//! waits half as long for the next, until another thread starts a task or takes a job.
//!
//! Only the thread on watch looks for this (protocol/watch.rs), at least four times. So a process
//! that was stopped is not stuck.

use super::super::{member::Member, thread::Thread};
use crate::pool::{find, queue::Queued, reserve::STUCK, shared::Shared, spares::Blocked};
use std::{mem, ptr, sync::Arc};

/// For how long nothing happens in a pool that is stuck, in nanoseconds; at least so long after
/// some tasks.
const PATIENCE: u64 = 10 * STUCK;
const LEAST: u64 = PATIENCE / 1000;

#[derive(Default)]
pub(super) struct Stuck {
    /// Those in which tasks waited at the last look.
    pools: Vec<Seen>,
    looked_at: u64,
    blocked: Blocked,
}

/// What a look has seen of a pool.
#[derive(Clone, Copy)]
struct Seen {
    pool: *const Shared,
    /// How often its threads have started what shows that it is not stuck.
    started: u64,
    /// For how long that has not changed, and for how long it must not.
    quiet: u64,
    patience: u64,
}

impl Stuck {
    /// Looks whether tasks wait in pools of `thread`, which waits at `me`, that are stuck. Then
    /// calls spares, or returns a task that the thread must run, and its member of that pool.
    pub(super) fn look<'t>(
        &mut self,
        thread: &'t Thread,
        me: &Member,
        now: u64,
    ) -> Option<(&'t Member, Arc<dyn Queued>)> {
        let since = now.saturating_sub(self.looked_at);
        self.looked_at = now;
        let before = mem::take(&mut self.pools);
        let mut own = (0..).map_while(|nth| thread.own(nth));
        let mut task = None;
        for seat in thread.seats_that_take_part(Some(me)) {
            let pool = seat.member().shared();
            let Some(started) = started(pool) else {
                continue;
            };
            let seen = before.iter().find(|seen| ptr::eq(seen.pool, pool));
            let seen = Seen::after(seen, pool, started, since);
            self.pools.push(seen);
            if seen.quiet < seen.patience {
                continue;
            }
            if pool.spares.max() > 0 {
                self.blocked.add(&seat);
            } else if task.is_none() && thread.has_room() {
                let own = own.find(|own| ptr::eq(own.shared(), pool));
                task = own.and_then(|own| Some((own, find::first_left(own, || find::next(own))?)));
            }
        }
        task
    }

    /// The wait has found something.
    pub(super) fn end(&mut self) {
        self.blocked = Blocked::default();
    }
}

impl Seen {
    /// What a look sees, some time after the one before.
    fn after(before: Option<&Seen>, pool: &Shared, started: u64, since: u64) -> Self {
        let new = Seen {
            pool,
            started,
            quiet: 0,
            patience: PATIENCE,
        };
        match before {
            Some(seen) if seen.started == started => Seen {
                quiet: seen.quiet + since.min(seen.patience / 4),
                ..*seen
            },
            // The thread has run a task itself.
            Some(seen) if seen.quiet >= seen.patience => Seen {
                patience: LEAST.max(seen.patience / 2),
                ..new
            },
            _ => new,
        }
    }
}

/// If a task waits in `pool`: returns how many tasks its threads have started, and, where a thread
/// would run that task on top of its wait, jobs.
fn started(pool: &Shared) -> Option<u64> {
    // A child of fork must not lock what a thread of its parent may have locked.
    let mut members = (!pool.is_forked()).then(|| pool.members.iter())?;
    let jobs = |m: &Member| match pool.spares.max() {
        0 => m.counters.steals.get(),
        _ => 0,
    };
    let waits = members.any(|m| m.queues.tasks.any_waits());
    let started = pool
        .members
        .iter()
        .map(|m| m.site.tasks_started().wrapping_add(jobs(m)));
    waits.then(|| started.fold(0, u64::wrapping_add))
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
        let mut seen = Seen::after(None, pool, 0, 0);
        let mut started = 0;
        let mut next = |seen: &mut Seen| {
            let mut looks = 0;
            while seen.quiet < seen.patience {
                *seen = Seen::after(Some(seen), pool, started, PATIENCE);
                looks += 1;
            }
            started += 1;
            *seen = Seen::after(Some(seen), pool, started, PATIENCE);
            (looks, seen.patience)
        };
        assert_eq!(next(&mut seen), (4, PATIENCE / 2));
        assert_eq!(next(&mut seen), (4, PATIENCE / 4));
        (0..40).for_each(|_| _ = next(&mut seen));
        assert_eq!(next(&mut seen), (4, LEAST));
        let others = Seen::after(Some(&seen), pool, u64::MAX, PATIENCE);
        assert_eq!((others.quiet, others.patience), (0, PATIENCE));
    }
}

//! A thread that waits while its pool is stuck.
//!
//! A part of what the thread waits for may block, on another thread, until something else has run:
//! on a channel, say, until a queued task or the half of a join has sent. If all other threads of
//! the pool are blocked or wait, too, that does not start. In rayon the thread would run it, as it
//! runs whatever is queued. Here it runs only descendants of the awaited work, since it may hold a
//! lock that the other work needs.
//!
//! So it does something else only if its pool is *stuck*: a task or job has waited for `PATIENCE`,
//! and meanwhile no thread of the pool has started or offered one. Then, until its wait ends or
//! finds something, the thread counts as blocked, as in `blocking`: a spare works in its place, if
//! the pool may have one more. For that, threads may go on with jobs, if it is a task that waits.
//!
//! A pool that may have no spares promises its users' code the indices of its threads. There the
//! thread runs an offered job itself, or if it is one of the pool's own, a queued task. This may
//! want what is held below it, and then does not end, as in rayon; and then all other threads have
//! done nothing new for as long as that. A thread that has run one waits half as long for the next,
//! until another thread starts something.
//!
//! Jobs wait unseen on threads that are blocked. So the thread asks the others of its pool, and
//! promotes in place of those that do not answer (remote.rs). Its own frames, outside of what it
//! waits for, it offers as well.
//!
//! Only the thread on watch looks for this (protocol/watch.rs), at least four times. So a process
//! that was stopped is not stuck.

use super::{
    super::{member::Member, run::Outside, steal, thread::Thread},
    Part,
};
use crate::pool::{find, reserve::STUCK, shared::Shared, spares::Blocked};
use std::{mem, ptr};

/// For how long nothing happens in a pool that is stuck, in nanoseconds; at least so long after
/// the thread itself has run something.
const PATIENCE: u64 = 10 * STUCK;
const LEAST: u64 = PATIENCE / 1000;

#[derive(Default)]
pub(super) struct Stuck {
    /// Those of the last look.
    pools: Vec<Seen>,
    looked_at: u64,
    blocked: Blocked,
}

/// What a look has seen of a pool.
#[derive(Clone, Copy)]
struct Seen {
    pool: *const Shared,
    /// Whether a task waits.
    task: bool,
    /// How often its threads have done what shows that it is not stuck.
    started: u64,
    /// For how long that has not changed, and for how long it must not.
    quiet: u64,
    patience: u64,
}

impl Stuck {
    /// Looks whether pools of `thread`, which waits at `me`, are stuck. Then calls spares, or
    /// returns what the thread must run.
    pub(super) fn look<'t>(
        &mut self,
        thread: &'t Thread,
        me: &'t Member,
        now: u64,
    ) -> Option<Part<'t>> {
        let since = now.saturating_sub(self.looked_at);
        self.looked_at = now;
        let before = mem::take(&mut self.pools);
        let mut part = None;
        for seat in thread.seats_that_take_part(Some(me)) {
            let pool = seat.member().shared();
            // A child of fork must not lock what a thread of its parent may have locked.
            if pool.is_forked() {
                continue;
            }
            let seen = before.iter().find(|seen| ptr::eq(seen.pool, pool));
            let seen = Seen::after(seen, Seen::now(pool), since);
            self.pools.push(seen);
            if seen.quiet < seen.patience
                || !(seen.task || steal::offer_any(seat.member(), false, now))
            {
                continue;
            }
            if pool.spares.max() > 0 {
                self.blocked.add(&seat);
            } else if part.is_none() && thread.has_room() {
                let mut own = (0..).map_while(|nth| thread.own(nth));
                let own = own.find(|own| ptr::eq(own.shared(), pool));
                let here = ptr::eq(me.shared(), pool).then_some(me);
                part = own.and_then(task).or_else(|| job(own.or(here)?));
            }
        }
        part
    }

    /// The wait has found something.
    pub(super) fn end(&mut self) {
        self.blocked = Blocked::default();
    }
}

impl Seen {
    /// What a first look sees.
    fn now(pool: &Shared) -> Self {
        let task = pool.members.iter().any(|m| m.queues.tasks.any_waits());
        let jobs = |m: &Member| match task && pool.spares.max() > 0 {
            true => 0,
            false => m.counters.steals.get() + m.counters.promotions.get(),
        };
        let started = |m: &Member| m.site.tasks_started().wrapping_add(jobs(m));
        Seen {
            pool,
            task,
            started: pool.members.iter().map(started).fold(0, u64::wrapping_add),
            quiet: 0,
            patience: PATIENCE,
        }
    }

    /// What this look sees, some time after the one before.
    fn after(before: Option<&Seen>, now: Self, since: u64) -> Self {
        match before {
            Some(seen) if (seen.task, seen.started) == (now.task, now.started) => Seen {
                quiet: seen.quiet + since.min(seen.patience / 4),
                ..*seen
            },
            // The thread has run something itself.
            Some(seen) if seen.quiet >= seen.patience => Seen {
                patience: LEAST.max(seen.patience / 2),
                ..now
            },
            _ => now,
        }
    }
}

/// Takes a queued task.
fn task(own: &Member) -> Option<Part<'_>> {
    Some(Part::Task(own, find::first_left(own, || find::next(own))?))
}

/// Takes a job that is offered.
fn job(own: &Member) -> Option<Part<'_>> {
    let (victim, job) = steal::take_any(own, false)?;
    Some(Part::Job(own, victim, job, Outside::MayGive))
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
        let now = |started| Seen {
            started,
            ..Seen::now(pool)
        };
        let mut seen = Seen::after(None, now(0), 0);
        let mut started = 0;
        let mut next = |seen: &mut Seen| {
            let mut looks = 0;
            while seen.quiet < seen.patience {
                *seen = Seen::after(Some(seen), now(started), PATIENCE);
                looks += 1;
            }
            started += 1;
            *seen = Seen::after(Some(seen), now(started), PATIENCE);
            (looks, seen.patience)
        };
        assert_eq!(next(&mut seen), (4, PATIENCE / 2));
        assert_eq!(next(&mut seen), (4, PATIENCE / 4));
        (0..40).for_each(|_| _ = next(&mut seen));
        assert_eq!(next(&mut seen), (4, LEAST));
        let others = Seen::after(Some(&seen), now(u64::MAX), PATIENCE);
        assert_eq!((others.quiet, others.patience), (0, PATIENCE));
    }
}

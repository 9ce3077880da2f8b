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
//! A thread that yields runs queued tasks at once, and jobs in a stuck pool (steal.rs). It calls no
//! spare: it asks for what may run on top of it.
//!
//! Of threads that wait, only the one on watch looks for this (protocol/watch.rs), at least four
//! times. So a process that was stopped is not stuck.

use super::{
    super::{member::Member, run::Outside, steal, thread::Thread},
    Part,
};
use crate::pool::{find, reserve::STUCK, shared::Shared, spares::Blocked};
use std::ptr;

/// For how long nothing happens in a pool that is stuck, in nanoseconds; at least so long after
/// the thread itself has run something.
const PATIENCE: u64 = 10 * STUCK;
const LEAST: u64 = PATIENCE / 1000;

/// A thread's last looks at its pools.
#[derive(Default)]
pub(crate) struct Looks(Vec<Seen>);

#[derive(Default)]
pub(super) struct Stuck {
    looks: Looks,
    blocked: Blocked,
}

/// What a look has seen of a pool.
#[derive(Clone, Copy)]
struct Seen {
    pool: *const Shared,
    at: u64,
    /// Whether a task waits.
    task: bool,
    /// How often its threads have done what shows that it is not stuck.
    started: u64,
    /// For how long that has not changed, and for how long it must not.
    quiet: u64,
    patience: u64,
}

impl Looks {
    pub(crate) const NONE: Looks = Looks(Vec::new());

    /// Looks at a pool.
    fn look(&mut self, pool: &Shared, now: u64) -> Seen {
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

    /// Returns whether a pool is stuck in which a thread yields. Often called, it seldom looks.
    pub(crate) fn is_stuck(&mut self, pool: &Shared, now: u64) -> bool {
        // Others may be of pools that have ended.
        self.0.retain(|seen| now.saturating_sub(seen.at) < PATIENCE);
        let is_due = |seen: &Seen| now.saturating_sub(seen.at) >= LEAST / 4;
        let seen = self.0.iter().find(|seen| ptr::eq(seen.pool, pool));
        !pool.is_forked() && seen.is_none_or(is_due) && self.look(pool, now).is_over()
    }
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
        let mut part = None;
        for seat in thread.seats_that_take_part(Some(me)) {
            let pool = seat.member().shared();
            // A child of fork must not lock what a thread of its parent may have locked.
            if pool.is_forked() {
                continue;
            }
            let seen = self.looks.look(pool, now);
            if !seen.is_over() || !(seen.task || steal::offer_any(seat.member(), false, now)) {
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

    fn is_over(self) -> bool {
        self.quiet >= self.patience
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

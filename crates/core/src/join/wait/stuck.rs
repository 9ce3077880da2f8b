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
//! times (looks.rs). So a process that was stopped is not stuck.

use super::{
    super::{looks::Looks, member::Member, run::Outside, steal, thread::Thread},
    Part,
};
use crate::pool::{find, spares::Blocked};
use std::ptr;

#[derive(Default)]
pub(super) struct Stuck {
    looks: Looks,
    blocked: Blocked,
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

/// Takes a queued task.
fn task(own: &Member) -> Option<Part<'_>> {
    Some(Part::Task(own, find::first_left(own, || find::next(own))?))
}

/// Takes a job that is offered.
fn job(own: &Member) -> Option<Part<'_>> {
    let (victim, job) = steal::take_any(own, false)?;
    Some(Part::Job(own, victim, job, Outside::MayGive))
}

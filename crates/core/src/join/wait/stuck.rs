//! A thread that waits while its pool is stuck.
//!
//! A part of what the thread waits for may block, on another thread, until a queued task has run:
//! on a channel, say. If all other threads of the pool are blocked or wait, too, the task does not
//! start. In rayon the thread would run it, as it runs whatever is queued. Here it runs only
//! descendants of the awaited work, since it may hold a lock that the task needs.
//!
//! So it does something else only if its pool is *stuck*: a task has waited for `PATIENCE`, and no
//! thread of the pool has looked for work meanwhile (`Counters::looks`), be it for tasks, for jobs,
//! or for parts of what it waits for. Then, until its wait ends or finds something, the thread
//! counts as blocked, as in `blocking`: a spare works in its place. There are no more of these than
//! threads that wait, so no more threads than the pool has run users' code.
//!
//! A pool without spares promises its users' code the indices of its threads. There the thread runs
//! a queued task itself. This task may want what is held below it, and then does not end, as in
//! rayon; and then another thread has done nothing else for as long as that. A thread that has run
//! one waits half as long for the next.
//!
//! Only the thread on watch looks for this (protocol/watch.rs), at least four times. So a process
//! that was stopped is not stuck.

use super::super::{member::Member, thread::Thread};
use crate::pool::{find, queue::Queued, reserve::STUCK, spares::Blocked};
use std::sync::Arc;

/// How long no thread has looked for work when a pool is stuck, in nanoseconds.
const PATIENCE: u64 = 10 * STUCK;

pub(super) struct Stuck {
    /// How often threads had looked for work at the last look, if tasks waited.
    looks: Option<u64>,
    looked_at: u64,
    /// For how long that has not changed, and for how long it must not.
    quiet: u64,
    patience: u64,
    blocked: Option<Blocked>,
}

impl Stuck {
    pub(super) fn new() -> Self {
        Stuck {
            looks: None,
            looked_at: 0,
            quiet: 0,
            patience: PATIENCE,
            blocked: None,
        }
    }

    /// Looks whether tasks wait in pools of `thread` that are stuck. Then calls spares, or returns a
    /// task that the thread must run, and its member of that pool.
    pub(super) fn look<'t>(
        &mut self,
        thread: &'t Thread,
        now: u64,
    ) -> Option<(&'t Member, Arc<dyn Queued>)> {
        let (mut seats, mut looks) = (thread.seats_that_take_part(), None);
        seats.retain(|seat| {
            let of_pool = seat.member().shared().looks_beside_tasks();
            looks = looks.into_iter().chain(of_pool).reduce(u64::wrapping_add);
            of_pool.is_some()
        });
        let since = now.saturating_sub(self.looked_at).min(self.patience / 4);
        let is_quiet = looks.is_some() && looks == self.looks;
        self.quiet = if is_quiet { self.quiet + since } else { 0 };
        (self.looks, self.looked_at) = (looks, now);
        if self.quiet < self.patience || self.blocked.is_some() {
            return None;
        }
        seats.retain(|seat| seat.member().shared().spares.max() > 0);
        if !seats.is_empty() {
            self.blocked = Some(Blocked::in_a_wait(&seats));
            return None;
        }
        (self.quiet, self.patience) = (0, self.patience / 2);
        let mut own = (0..).map_while(|nth| thread.own(nth));
        own.find_map(|own| Some((own, find::next(own)?)))
    }

    /// The wait has found something.
    pub(super) fn end(&mut self) {
        self.blocked = None;
    }
}

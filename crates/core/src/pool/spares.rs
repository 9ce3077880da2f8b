//! `blocking`: what a thread of a pool may block in, while a spare works in its place.
//!
//! Which spare is called, and when, is decided in protocol/spares.rs; what it does is in
//! worker/cycle.rs: it is a worker like the others, but that it rests when it is not needed, and
//! that broadcasts do not call it.
//!
//! **A thread that is about to block** is not going to meet a demand for its jobs. So it offers as
//! many as it can first, as in a tick.
//!
//! **What waits for what.** A spare waits for nothing but calls, and what it waits for in jobs and
//! tasks is what any worker does. A blocked thread waits for what its closure waits for, which may
//! be any task of the pool: it has counted itself before the closure starts, so if no worker is
//! idle then, or later, a spare is called, unless as many are on as the builder allows or the
//! system starts. In the wait-for graph (wait_for.rs) a blocked thread runs, and so does a
//! spare that is on and does not wait.

use super::{ending::PoolGuard, seats::Seat, shared::Shared};
use crate::{
    join::{member::Member, promote, thread::Thread, word::Local},
    protocol::primitive::lock,
};
use std::{ptr, rc::Rc};

/// Calls `f`, which may block: wait for a lock, a channel, a file, the network, another process.
///
/// Meanwhile another thread, a *spare*, works in place of the calling thread, in each pool whose
/// work the calling thread takes part in: `f` takes no thread of the pool away. Spares start when
/// there is no idle worker, and end when they have not been needed for ten seconds. A pool has at
/// most as many as its builder says ([`spares`](crate::ThreadPoolBuilder::spares)).
///
/// Use it around anything that waits for what the pool does not know: for a lock that another task
/// holds, for a message from one. Waiting for the pool's own work (joins, promises, scopes) needs
/// no `blocking`. Outside of all pools' work it only calls `f`.
///
/// While `f` runs, more threads may work in the pool than it has, if `f` uses the processor or the
/// pool itself. The index of a spare is none of the pool's threads': it is
/// [`current_num_threads`](crate::current_num_threads) or greater, and smaller than that plus the
/// number of spares. (Where a pool has fewer threads than it can have, that is so of its
/// [`max_threads`](crate::ThreadPoolBuilder::max_threads).)
/// [`broadcast`](crate::broadcast) does not call spares.
///
/// # Examples
///
/// ```
/// use std::{sync::mpsc, thread, time::Duration};
///
/// // Two threads: one worker, and the caller. The first task takes the worker.
/// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let (send, receive) = mpsc::channel();
/// let first = pool.spawn(move || sumac::blocking(|| receive.recv()));
/// let second = pool.spawn(move || send.send(7));
/// thread::sleep(Duration::from_millis(1)); // something else than taking part
/// assert!(second.join().is_ok());
/// assert_eq!(first.join(), Ok(7));
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
///
/// # Cost
/// About a hundred nanoseconds, and some hundreds for each job that it offers. Without an idle
/// worker, the wake-up of a spare that rests, or the start of its thread;
/// if the system refuses that, each call tries again.
///
/// # Panics
/// If `f` panics.
pub fn blocking<R>(f: impl FnOnce() -> R) -> R {
    let _blocked = Blocked::here();
    f()
}

/// The seats at which the calling thread is blocked and was not before, until it is dropped.
#[derive(Default)]
pub(crate) struct Blocked(Vec<Rc<Seat>>);

impl Blocked {
    fn here() -> Self {
        let mut blocked = Blocked::default();
        let Some(thread) = Thread::current() else {
            return blocked;
        };
        // Users' code runs in ticks, and nothing is borrowed.
        for seat in thread.seats_that_take_part(None) {
            let (member, pool) = (seat.member(), seat.member().shared());
            // No thread asks for less: one job at least is asked for afterwards.
            let asked = member.demand.asked().max(1);
            member.demand.leave(pool.policy.want_max());
            member.site.set_blocked(true);
            blocked.add(&seat);
            pool.call_watch();
            promote::tick_inside();
            member.demand.leave_at_most(asked);
        }
        blocked
    }

    /// Adds a seat, if the thread is not blocked there. Calls a spare if one is missing.
    pub(crate) fn add(&mut self, seat: &Rc<Seat>) {
        let (member, pool) = (seat.member(), seat.member().shared());
        if !seat.is_blocked.replace(true) {
            self.0.push(Rc::clone(seat));
            pool.spares.block(pool.threads.is_spare(member.index));
        }
        // It has lent a permit.
        pool.end_starving();
        pool.call_spare();
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        for seat in &self.0 {
            seat.is_blocked.set(false);
            let (member, pool) = (seat.member(), seat.member().shared());
            pool.spares.unblock(pool.threads.is_spare(member.index));
            pool.end_lending();
            member.site.set_blocked(false);
        }
    }
}

impl Thread {
    /// Returns the seats of this thread, which is the calling one, at which it takes part in the
    /// work of a pool: also where it `waits`.
    pub(crate) fn seats_that_take_part(&self, waits: Option<&Member>) -> Vec<Rc<Seat>> {
        let here = self.with_member(ptr::from_ref);
        // At its base a thread is inside of a join or loop, or of nothing. Not even a worker takes
        // part in its exit handler: else, in a pool that ends, each spare's would call one more
        // spare.
        let in_a_join = !Local::current().tail().is_null();
        let takes_part = |seat: &Rc<Seat>| {
            let member = seat.member();
            let waits_here = waits.is_some_and(|at| ptr::eq(at, member));
            let is_current = in_a_join && here == Some(ptr::from_ref(member));
            waits_here || is_current || member.site.is_inside() || self.runs_for(member.shared())
        };
        let mut seats = self.seats.borrow().clone();
        seats.retain(takes_part);
        seats
    }
}

impl Shared {
    /// After a fence: calls a spare, if one is missing and no worker is idle. Returns whether it
    /// has.
    pub(crate) fn call_spare(&self) -> bool {
        self.spares.is_one_missing() && !self.has_idle() && self.wake_spare()
    }

    #[cold]
    #[inline(never)]
    fn wake_spare(&self) -> bool {
        // With `testing`, all is run in turns.
        if crate::testing::active::is_active() || self.is_forked() {
            return false;
        }
        // Before it is locked.
        self.settle_in_process();
        let term = |spare| &self.own_threads.terms[self.threads.workers + spare];
        match self.spares.call(term) {
            None => false,
            Some((spare, true)) => {
                let member = self.members.worker(self.threads.workers + spare);
                member.parker.unpark();
                true
            }
            Some((spare, false)) => self.start_spare(spare),
        }
    }

    /// Starts the thread of a spare, also while the pool ends: there may be steps that it alone
    /// can run. Returns false if the tasks have ended, or if the system refuses it.
    fn start_spare(&self, spare: usize) -> bool {
        let index = self.threads.workers + spare;
        // An observer is users' code.
        self.members.add_seat(self, index);
        // Under the lock, so that `wait_until_stopped` finds the handle or no guard is left. What
        // is dropped there, if the system refuses the thread, is not the last guard: that drops
        // users' code.
        let mut running = lock(&self.own_threads.running);
        let guard = self.this.upgrade().and_then(PoolGuard::before_the_end);
        let _ = self.call_worker(&mut running, guard.as_ref(), index);
        let is_started = self.own_threads.terms[index].lasts();
        if !is_started {
            self.spares.refused(spare);
        }
        drop(running);
        is_started
    }
}

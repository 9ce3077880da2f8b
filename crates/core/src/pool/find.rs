//! Tasks in their pool: queued by any thread, found by idle workers, cancelled when the pool ends.

use super::{enclosing, inbox::answer, queue::Queued, queues::Queues, seat, shared::Shared};
use crate::{
    hooks,
    join::{member::Member, run::Outside, thread::Thread},
    protocol::{primitive::Ordering, times::Phase},
    unwind::Finally,
};
use std::{
    cell::Cell,
    iter, ptr,
    sync::{Arc, Weak},
};

/// Takes the next task for the thread that sits on `me`: one of its own, or else the oldest of
/// another member; the other way round if it is their turn.
pub(crate) fn next(me: &Member) -> Option<Arc<dyn Queued>> {
    me.counters.looks.add_one();
    in_turn(me, false)
        .or_else(|| me.queues.tasks.pop_next())
        .or_else(|| others(me))
}

/// Takes tasks by `take` until one is not spent: what is does not stand for a task that waits.
pub(crate) fn first_left(
    me: &Member,
    take: impl FnMut() -> Option<Arc<dyn Queued>>,
) -> Option<Arc<dyn Queued>> {
    let is_left = |task: &Arc<dyn Queued>| !task.is_spent() || task.forget(me.queues.pool());
    iter::from_fn(take).find(is_left)
}

/// If it is their turn, takes a task of another member, unless `local`, or, in a pool that runs the
/// newest first, the oldest of `me`'s own.
fn in_turn(me: &Member, local: bool) -> Option<Arc<dyn Queued>> {
    let turns = &me.queues.turns;
    turns.count();
    if !turns.is_due() {
        return None;
    }
    let of_others = || (!local).then(|| others(me)).flatten();
    let own_oldest = || {
        let tasks = &me.queues.tasks;
        let are_passed_over = turns.own_are_passed_over(tasks.passed_over());
        are_passed_over.then(|| tasks.pop()).flatten()
    };
    if turns.begin() {
        own_oldest().or_else(of_others)
    } else {
        of_others().or_else(own_oldest)
    }
}

/// Takes the oldest task of another member, which is mostly the largest.
fn others(me: &Member) -> Option<Arc<dyn Queued>> {
    let members = &me.shared().members;
    let has_tasks = |member: &Member| !ptr::eq(member, me) && !member.queues.tasks.is_empty();
    while let Some(guest) = members.next_guest(has_tasks) {
        if let Some(task) = guest.queues.tasks.pop() {
            guest.end_turn();
            return Some(task);
        }
    }
    let mut members = members.iter().filter(|member| has_tasks(member));
    members.find_map(|member| member.queues.tasks.pop())
}

/// Takes a queued task of `me`'s pool that is `wanted`, one of so many of the newest of a queue.
pub(crate) fn take(
    me: &Member,
    newest: usize,
    wanted: &dyn Fn(&dyn Queued) -> bool,
) -> Option<Arc<dyn Queued>> {
    let mut members = me.shared().members.iter();
    members.find_map(|member| member.queues.tasks.take(newest, wanted))
}

/// Returns the number of entries in the queues of `me`'s pool. A hint.
pub(crate) fn queued(me: &Member) -> u64 {
    let members = me.shared().members.iter();
    members.map(|member| member.queues.tasks.len() as u64).sum()
}

/// Takes a queued task of `me`'s pool that a worker without a permit may run: one for which a
/// thread outside of the pool waits (pool/permits.rs).
pub(crate) fn next_awaited(me: &Member) -> Option<(usize, Arc<dyn Queued>)> {
    let pool = me.shared();
    pool.overdraw_permits(me.index, |entries| {
        let entry = first_queued(pool, entries)?;
        let is_it = |task: &dyn Queued| ptr::from_ref(task).addr() == entry;
        Some((entry, take(me, usize::MAX, &is_it)?))
    })
}

/// Returns whether there is such a task.
pub(crate) fn is_any_awaited(me: &Member) -> bool {
    let pool = me.shared();
    pool.is_any_awaited(|entries| first_queued(pool, entries).is_some())
}

/// Returns the first of the entries of these addresses that is queued and waits for a thread.
fn first_queued(pool: &Shared, entries: &[usize]) -> Option<usize> {
    let first = Cell::new(entries.len());
    for member in pool.members.iter().filter(|_| first.get() > 0) {
        member.queues.tasks.any(&mut |task| {
            let entry = ptr::from_ref(task).addr();
            let mut earlier = entries.iter().take(first.get());
            let at = earlier.position(|&other| other == entry && !task.is_spent());
            first.set(at.unwrap_or(first.get()));
            first.get() == 0
        });
    }
    entries.get(first.get()).copied()
}

/// Runs a task or a call for `me`, if there is one, on the calling thread, which sits on `me` and
/// is inside other work. `local`: only a task of its own. Returns false if there is none.
pub(crate) fn run_one(thread: &Thread, me: &Member, local: bool) -> bool {
    // Tasks of other threads belong to no profile.
    let _paused = hooks::pause();
    if !local {
        me.counters.looks.add_one();
    }
    let before = me.enter(Phase::Working, me.shared().now());
    let run = |task: Arc<dyn Queued>| task.run(thread, me, Outside::MayGive);
    let Queues { inbox, tasks, .. } = &me.queues;
    let ran = in_turn(me, local).map(run).is_some()
        || inbox.next_task(tasks).map(run).is_some()
        || answer(thread, me)
        || enclosing::run_one(thread, me)
        || (!local && others(me).map(run).is_some());
    me.enter(before, me.shared().now());
    ran
}

/// Runs a task or a call of one of the calling thread's pools that are `wanted`, if there is one.
/// Returns false if there is none.
#[cfg(any(
    feature = "testing",
    all(
        target_family = "wasm",
        target_os = "unknown",
        not(target_feature = "atomics")
    )
))]
pub(crate) fn run_any(wanted: impl Fn(&Shared) -> bool) -> bool {
    Thread::current().is_some_and(|thread| {
        // Held meanwhile: the task may enter pools, where threads give up seats.
        let seats = thread.seats.borrow().clone();
        seats.iter().any(|seat| {
            let me = seat.member();
            wanted(me.shared()) && thread.inside(me, || run_one(&thread, me, false))
        })
    })
}

impl Shared {
    /// Queues a task with `by`, where the calling thread sits.
    pub(crate) fn queue(&self, by: &Member, task: Arc<dyn Queued>) {
        by.queues.tasks.push(task);
        self.settle_queued(by);
    }

    /// Queues a task that `by` starts after those that it has queued in this way before.
    pub(crate) fn queue_in_order(&self, by: &Member, task: Arc<dyn Queued>) {
        by.queues.tasks.push_in_order(task);
        self.settle_queued(by);
    }

    /// Wakes a thread for the task that `by` has queued, or drops it.
    fn settle_queued(&self, by: &Member) {
        if !self.threads.has_workers() {
            self.follow_processors();
        }
        self.announce(by);
        // After the fence in `wake_dormant`: either we see this, or `release_guard` sees the task.
        if self.ending.tasks_ended() {
            self.cancel_tasks();
        }
    }

    /// Puts a step of an activity into the queue of `by`, as its last: in their order, so that two
    /// that wake each other do not occupy a thread that takes its newest task first.
    pub(crate) fn push_step(&self, by: &Member, step: Arc<dyn Queued>) {
        by.queues.tasks.push_last(step);
    }

    /// Puts a step before the tasks that `by` has queued, but behind them where a call waits, which
    /// has counted the tasks before it.
    pub(crate) fn push_step_first(&self, by: &Member, step: Arc<dyn Queued>) {
        if by.queues.inbox.is_empty() {
            by.queues.tasks.push_next(step);
        } else {
            by.queues.tasks.push(step);
        }
    }

    /// Puts a step behind others: with `by`, or, if nothing else is queued there, in the longest
    /// queue of the pool.
    pub(crate) fn push_step_last(&self, by: &Member, step: Arc<dyn Queued>) {
        let longest = || {
            let members = self.members.iter();
            let others = members.filter(|member| !member.queues.tasks.is_empty());
            others.max_by_key(|member| member.queues.tasks.len())
        };
        let tasks = &by.queues.tasks;
        let none_here = tasks.is_empty() && !tasks.is_newest_first();
        let elsewhere = none_here.then(longest).flatten();
        elsewhere.unwrap_or(by).queues.tasks.push_last(step);
    }

    /// Wakes a thread for what `by` has queued.
    pub(crate) fn announce(&self, by: &Member) {
        self.wake_dormant(by);
        if self.is_caller(by) {
            by.cpu.note();
            // It waits for a worker, which does not wait for a better offer.
            self.end_nap();
        } else if let Some(leader) = self.idle.nap.cut(self.policy.short) {
            // This thread may block until the task has run. So the task counts as an offer that has
            // waited for long, unless earlier naps ended for tiny ones.
            self.unpark_worker(by, leader);
        }
        // After the fence in `wake_dormant`, which is the reserve's T3.
        self.call_more();
    }

    /// Calls `f` with the calling thread's member, or, if the thread's record has ended, with a
    /// free seat.
    pub(crate) fn at_any_seat<R>(&self, f: impl FnOnce(&Shared, &Member) -> R) -> R {
        seat::at(&self.this, f, |f, _, me, _| f(self, me)).unwrap_or_else(|f| self.at_free_seat(f))
    }

    /// Calls `f` with the calling thread's member if it sits in the pool, or else with a free seat.
    /// The thread gives up no other seat for it, so no user code runs but `f`.
    pub(crate) fn at_free_seat<R>(&self, f: impl FnOnce(&Shared, &Member) -> R) -> R {
        let own = Thread::current().and_then(|thread| thread.seat_of(self));
        if let Some(own) = own {
            return f(self, own.member());
        }
        let me = self.guest_seat();
        let _given_back = Finally(|| {
            me.cpu.forget();
            self.members.return_guest_seat(me);
        });
        f(self, me)
    }

    /// Returns whether the system refuses the pool all of its threads.
    fn is_refused(&self) -> bool {
        // All is run in turns.
        if crate::testing::active::is_active() {
            return false;
        }
        !self.threads.has_workers() && self.threads.may_lack() && !self.reserve.is_started(self)
    }

    /// If the system refuses the pool all of its threads, runs the queued tasks that no other
    /// thread will run, with `by`, which the calling thread sits on.
    pub(crate) fn run_if_refused(&self, by: &Member) {
        if !self.is_refused() {
            return;
        }
        let Some(thread) = Thread::current() else {
            return;
        };
        // What these tasks spawn in this pool is run here, too, and not inside of them.
        if by.queues.serving.swap(true, Ordering::Relaxed) {
            return;
        }
        while let Some(task) = take(by, usize::MAX, &|task| !task.has_owner()) {
            thread.inside(by, || task.run(&thread, by, Outside::MayGive));
        }
        by.queues.serving.store(false, Ordering::Relaxed);
    }

    /// Cancels all queued tasks and calls, since no thread is left to run them.
    pub(crate) fn cancel_tasks(&self) {
        for member in self.members.iter() {
            while let Some(task) = member.queues.tasks.pop() {
                task.cancel();
            }
        }
        for inbox in self.inboxes() {
            while let Some(task) = inbox.calls.pop() {
                task.cancel();
            }
        }
    }
}

/// Where no thread will join a task of this pool: does as [`Shared::run_if_refused`], if the pool
/// has not ended.
pub(crate) fn run_if_refused(pool: Option<&Weak<Shared>>) {
    let Some(pool) = pool else {
        return;
    };
    // Inside the pool its references need not be counted.
    let is_refused = seat::in_current(pool, (), |(), me| me.shared().is_refused())
        .unwrap_or_else(|()| pool.upgrade().is_some_and(|pool| pool.is_refused()));
    // Only then is a seat taken.
    if is_refused {
        let _ = seat::at(pool, (), |(), _, me, _| me.shared().run_if_refused(me));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::builder::ThreadPoolBuilder;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    /// What a task carries is picked up where its thread sits, and that may panic.
    #[test]
    fn a_panic_gives_a_free_seat_back() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("a pool");
        let seat = || {
            let mut seat = ptr::null();
            let panics = || {
                pool.shared().at_free_seat(|_, me| {
                    seat = ptr::from_ref(me);
                    resume_unwind(Box::new(()))
                })
            };
            let panicked: Result<(), _> = catch_unwind(AssertUnwindSafe(panics));
            assert!(panicked.is_err());
            seat
        };
        assert_eq!(seat(), seat(), "the first seat is still taken");
    }
}

//! Tasks in their pool: queued by any thread, found by idle workers, cancelled when the pool ends.

use super::{inbox::answer, scope_tasks::run_inside};
use crate::{
    hooks,
    join::{member::Member, run::Outside, thread::Thread},
    pool::{
        queue::{Place, Queued},
        queues::Queues,
        seat,
        shared::Shared,
    },
    protocol::{primitive::Ordering, times::Phase},
};
use std::{
    cell::Cell,
    ptr,
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

/// Takes a queued task of `me`'s pool that is `wanted`.
pub(crate) fn take(me: &Member, wanted: impl Fn(&dyn Queued) -> bool) -> Option<Arc<dyn Queued>> {
    let mut members = me.shared().members.iter();
    members.find_map(|member| member.queues.tasks.take(&wanted))
}

/// Takes a queued task of `me`'s pool that a worker without a permit may run: one for which a
/// thread outside of the pool waits (pool/permits.rs).
pub(crate) fn next_awaited(me: &Member) -> Option<(usize, Arc<dyn Queued>)> {
    let pool = me.shared();
    pool.overdraw_permits(me.index, |entries| {
        let entry = first_queued(pool, entries)?;
        let is_it = |task: &dyn Queued| ptr::from_ref(task).addr() == entry;
        Some((entry, take(me, is_it)?))
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
        member.queues.tasks.any(|task| {
            let entry = ptr::from_ref(task).addr();
            let mut earlier = entries.iter().take(first.get());
            let at = earlier.position(|&other| other == entry && task.any_waits());
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
        || run_inside(thread, me)
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
    /// Queues a task with `by`, where the calling thread sits, and wakes a thread for it, or drops
    /// it.
    pub(crate) fn queue(&self, by: &Member, task: Arc<dyn Queued>, place: Place) {
        by.queues.tasks.push(task, place);
        if !self.threads.has_workers() {
            self.follow_processors();
        }
        self.announce(by);
        // After the fence in `wake_dormant`: either we see this, or `release_guard` sees the task.
        if self.ending.tasks_ended() {
            self.cancel_tasks();
        }
    }

    /// Returns the member with the longest queue of the pool, if there are tasks, unless a task that
    /// is the last with `by` comes behind others.
    pub(super) fn longest_queue<'p>(&'p self, by: &'p Member) -> &'p Member {
        if self.policy.newest_first || !by.queues.tasks.is_empty() {
            return by;
        }
        let members = self.members.iter();
        let others = members.filter(|member| !member.queues.tasks.is_empty());
        let longest = others.max_by_key(|member| member.queues.tasks.len());
        longest.unwrap_or(by)
    }

    /// Wakes a thread for what `by` has queued.
    pub(super) fn announce(&self, by: &Member) {
        self.wake_dormant(by);
        if self.is_caller(by) {
            by.cpu.note();
            // It waits for a worker, which does not wait for a better offer.
            self.end_nap();
        }
        // After the fence in `wake_dormant`, which is the reserve's T3.
        self.call_more();
    }

    /// Calls `f` with the calling thread's member, or, if the thread's record has ended, with a
    /// free seat.
    pub(crate) fn at_any_seat(&self, f: impl FnOnce(&Shared, &Member)) {
        if let Err(f) = seat::at(&self.this, f, |f, _, me, _| f(self, me)) {
            self.at_free_seat(f);
        }
    }

    /// Calls `f` with the calling thread's member if it sits in the pool, or else with a free seat.
    /// The thread gives up no other seat for it, so no user code runs but `f`.
    pub(super) fn at_free_seat(&self, f: impl FnOnce(&Shared, &Member)) {
        let own = Thread::current().and_then(|thread| thread.seat_of(self));
        if let Some(own) = own {
            return f(self, own.member());
        }
        let me = self.guest_seat();
        f(self, me);
        me.cpu.forget();
        self.members.return_guest_seat(me);
    }

    /// Returns whether the system refuses the pool all of its threads.
    fn is_refused(&self) -> bool {
        // All is run in turns.
        if crate::testing::is_active() {
            return false;
        }
        !self.threads.has_workers() && self.threads.may_lack() && !self.reserve.thread.is_started()
    }

    /// Drops all queued tasks, and the calls that no scope waits for, since no thread is left to
    /// run them.
    pub(crate) fn cancel_tasks(&self) {
        for member in self.members.iter() {
            while let Some(task) = member.queues.tasks.pop() {
                task.cancel();
            }
        }
        let inboxes = self.members.iter().map(|member| &member.queues.inbox);
        for inbox in inboxes.chain([&self.reserve.inbox]) {
            while let Some(task) = inbox.pop() {
                task.cancel();
            }
        }
    }
}

/// If the system refuses this pool all of its threads, runs the queued tasks that no other thread
/// will run.
pub(super) fn run_if_refused(pool: &Weak<Shared>) {
    let Some(thread) = Thread::current() else {
        return;
    };
    // Inside the pool its references need not be counted.
    let is_refused = match seat::current_in(&thread, pool) {
        Some(me) => me.shared().is_refused(),
        None => pool.upgrade().is_some_and(|pool| pool.is_refused()),
    };
    let run = |(), thread: &Thread, me: &Member, _| {
        // What these tasks spawn in this pool is run here, too, and not inside of them.
        if me.queues.serving.swap(true, Ordering::Relaxed) {
            return;
        }
        while let Some(task) = take(me, |task| !task.has_owner()) {
            thread.inside(me, || task.run(thread, me, Outside::MayGive));
        }
        me.queues.serving.store(false, Ordering::Relaxed);
    };
    // Only then is a seat taken.
    if is_refused {
        let _ = seat::at(pool, (), run);
    }
}

/// Leaves to a thread of the global pool, which does not end, what the calling thread must not do:
/// it may be inside a waker, which a channel calls under its lock.
#[cfg(not(explore))]
pub(super) fn leave(work: impl FnOnce() + Send + 'static) {
    use super::work::{Header, Owned, Task};
    use crate::{
        pool::{global, queues::WeakPool},
        unwind::swallow,
    };

    let pool = global::pool().shared();
    let head = Header::new(Some(WeakPool::new(Arc::downgrade(pool))), None);
    let task = Task::new(head, Owned::new(Some(|| swallow(work))));
    task.head.completion.stage.detach();
    pool.at_free_seat(|pool, me| {
        me.queues.tasks.push(task, Place::Newest);
        pool.announce(me);
    });
}
#[cfg(explore)]
pub(super) use crate::explore::current::leave;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Permits, ThreadPoolBuilder, join::member::site::Line};
    use std::sync::atomic::AtomicBool;

    struct NoPermits;

    impl Permits for NoPermits {
        fn try_take(&self) -> bool {
            false
        }

        fn give_back(&self) {}
    }

    /// A scope without tasks, which its queue has not dropped: it must not be queued twice.
    #[derive(Default)]
    struct Empty(AtomicBool);

    impl Queued for Empty {
        fn run(self: Arc<Self>, _: &Thread, _: &Member, _: Outside) {}

        fn cancel(&self) {}

        fn is_spent(&self) -> bool {
            self.0.swap(true, Ordering::Relaxed)
        }

        fn waits(&self, _: &mut dyn FnMut(Option<Line>, bool)) {}
    }

    #[test]
    fn to_look_for_awaited_tasks_drops_none() {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let pool = builder.permits(NoPermits).build().expect("a pool");
        let (task, shared) = (Arc::new(Empty::default()), pool.shared());
        let _lent = shared.lend_permit(Arc::as_ptr(&task).addr());
        shared.at_free_seat(|_, me| {
            me.queues
                .tasks
                .push(Arc::<Empty>::clone(&task), Place::Newest);
            assert!(!is_any_awaited(me));
            assert!(next_awaited(me).is_none());
        });
        assert!(!task.0.load(Ordering::Relaxed), "it is no longer queued");
    }
}

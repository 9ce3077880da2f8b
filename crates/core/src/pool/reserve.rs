//! The reserve: one more thread for tasks, while no caller takes part in the work of its pool.
//!
//! A pool of *n* threads has *n - 1* workers, since the caller takes part. A caller that spawns
//! tasks and then waits for something else, on a channel for instance, does not. So when tasks are
//! queued and all workers are busy, the reserve runs tasks, one at a time, as a guest of the pool.
//! It takes no jobs of joins. Its thread is one on call (pool/on_call.rs).
//!
//! **Who takes part.** A guest does while it is inside an `install`, a scope that ends, or the like
//! (`Site::is_inside`). In joins and loops at the base of a thread it does so without announcing
//! it, but answers when it is asked for a job. So the reserve asks all guests, and runs tasks if
//! none has answered after a nap, and as long as none has answered since.
//!
//! If workers lack permits (pool/permits.rs), or there are none, there may be no other thread that
//! can run a task for which a guest inside is blocked: then it asks those, too, and waits for
//! longer. Without workers those inside count as silent only while they run no task, and nothing
//! else of the pool's (*looks*), and guests outside do not count: they run no tasks.
//!
//! **In the end all tasks are run.** Workers may be blocked, and callers may go on for ever that
//! never run a certain task: in joins at a base, or from one `install` to the next. So if tasks
//! have waited for `PATIENCE` while none was inside all along, the reserve runs tasks for the time
//! of `SLICE`, whatever guests do. One inside all along runs tasks, long ones perhaps, or blocks a
//! thread of the pool as it would a worker; but it may also run joins for ever, as all workers may
//! do, or a task that waits for another. So beside such a one the reserve runs tasks if no thread
//! has started any for `STUCK`. Without permits it does not ask who is inside. Without workers it
//! leaves to the owners of scopes what these run sooner or later, for as long. Then it is one
//! thread too many.
//!
//! **It stands for the threads from outside** in detached broadcasts: its inbox has calls that no
//! other thread answers, even if callers take part.
//!
//! **Between tasks** it sleeps until it is called if the last ones took long enough together to be
//! worth a wake-up. Otherwise, and after looks in vain, it naps first, longer and longer, and no
//! thread pays for a wake-up meanwhile. It is woken on another processor than that of the thread
//! that calls it, since a worker goes on computing, and leaves that of a worker before it runs a
//! task (cpu_placement.rs).
//!
//! **Called** by a thread that has queued a task and by a worker that becomes busy, with a task, a
//! job or a call, if tasks are queued and no worker is idle. It sleeps as a leader does
//! (dormancy.rs), with another check as L5:
//!
//! ```text
//!   reserve                              a thread that queues a task, or becomes busy
//!   L1  dormant := true                  T2  queue the task, or be busy
//!   L2  fence                            T3  fence
//!   L5  a task queued, no worker idle?   T3' a task queued, no worker idle?
//!   L6  no: sleep until unparked         T4  then if dormant: dormant := false, unpark the reserve
//! ```
//!
//! If L5 misses T2, then L2 comes before T3, so T4 sees L1. If T3' misses that there is a task, or
//! that the last worker has become busy, then the thread that has queued it, or that worker, does
//! T3' later, and sees both.

use super::{
    cpu_placement, ending::PoolGuard, find, inbox, on_call::Reserve, own_threads::with_stack,
    permits::NAP_MAX, queue::Queued, shared::Shared, threads::GUEST,
};
use crate::{
    hooks,
    join::{
        member::{Member, counters::Counters, sleeping::is_asleep},
        run::Outside,
        thread::Thread,
    },
    protocol::{
        primitive::{Ordering, spawn},
        times::Phase,
    },
};
use std::{ptr, sync::Arc, time::Duration};

impl Reserve {
    /// T3' and T4, after a fence: starts or wakes the thread if tasks wait for one.
    pub(crate) fn call(&self, pool: &Shared) {
        if !pool.tasks_wait() {
            return;
        }
        self.come(pool);
    }

    /// Starts or wakes the thread, after a fence.
    pub(super) fn come(&self, pool: &Shared) {
        // All is run in turns.
        if crate::testing::active::is_active() {
            return;
        }
        if !self.thread.has_started() {
            self.thread.start(pool, &|pool| {
                let guard = PoolGuard::new(pool);
                let builder = with_stack(pool.own_threads.stack_size).name("sumac-reserve".into());
                spawn(builder, move || live(guard.pool()))
            });
        }
        self.wake();
    }
}

impl Shared {
    /// Returns whether tasks are queued and no worker is idle, or there is none.
    fn tasks_wait(&self) -> bool {
        let none_comes = !self.has_idle() || !self.threads.has_workers();
        none_comes && self.members.have_tasks()
    }
}

fn live(pool: &Arc<Shared>) {
    crate::os::precise_timers();
    let Some(thread) = Thread::current() else {
        return;
    };
    let seat = thread.sit_as_reserve(pool);
    let me = seat.member();
    me.cpu.settle();
    // To sit counts as active, and it is so in tasks only.
    me.cpu.forget();
    let place = &pool.reserve.member;
    place.store(ptr::from_ref(me).cast_mut(), Ordering::Release);
    let mut reserve_thread = ReserveThread::new(pool, me);
    thread.inside(me, || reserve_thread.work(&thread));
    me.cpu.leave();
    // Not that of another one, which has come since.
    let mine = ptr::from_ref(me).cast_mut();
    let _ = place.compare_exchange(mine, ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed);
}

/// How long tasks wait at most, in nanoseconds, and for how long it runs them then. (An explorer's
/// clock is slow.)
const PATIENCE: u64 = if cfg!(explore) { 50_000 } else { 100_000_000 };
const SLICE: u64 = 10_000_000;

/// How long no thread has started a task, if one is inside all along; ten times that, if it runs
/// one.
pub(crate) const STUCK: u64 = 10 * PATIENCE;

/// Since when tasks have waited, and what has been so since then.
struct Waiting {
    since: u64,
    /// Which guests were inside, and which of their entries that was, if any were.
    inside: Option<u64>,
    /// How many tasks have been started, and since when that has not changed.
    started: u64,
    stuck_since: u64,
}

/// The reserve, which waits until it may run tasks.
struct ReserveThread<'p> {
    pool: &'p Shared,
    me: &'p Member,
    /// When the guests were asked for a job, and how often they had answered by then.
    asked: Option<(u64, u64)>,
    waiting: Option<Waiting>,
    /// Until when it runs tasks since they have waited for long.
    slice_until: u64,
    /// Whether it runs only tasks then that no owner inside runs.
    slice_is_of_left: bool,
    /// Since when it has looked in vain.
    quiet_since: Option<u64>,
    /// When it last read the clock.
    now: u64,
    /// How long to nap next; 0 after tasks that were worth a wake-up: then it goes dormant at once.
    nap: u64,
}

impl<'p> ReserveThread<'p> {
    fn new(pool: &'p Shared, me: &'p Member) -> Self {
        ReserveThread {
            pool,
            me,
            asked: None,
            waiting: None,
            slice_until: 0,
            slice_is_of_left: false,
            quiet_since: None,
            now: pool.now(),
            nap: pool.policy.nap,
        }
    }

    fn work(&mut self, thread: &Thread) {
        let (pool, me) = (self.pool, self.me);
        let mut start = self.now;
        loop {
            if pool.ending.is_terminating() {
                break;
            }
            // Calls come first, unless tasks are due.
            let mut task = None;
            if me.queues.turns.is_due() {
                task = self.find();
            }
            if task.is_none() {
                if me.is_called() {
                    me.queues.turns.count();
                    me.enter(Phase::Working, self.now);
                    inbox::answer(thread, me);
                    me.cpu.forget();
                    me.counters.looks.add_one();
                    self.now = pool.now();
                    continue;
                }
                task = self.find();
            }
            if let Some(task) = task {
                if self.quiet_since.take().is_some() {
                    // It has slept, and may be on the processor of a worker.
                    cpu_placement::step_aside(me);
                    self.now = pool.now();
                    start = self.now;
                }
                me.enter(Phase::Working, self.now);
                me.note(hooks::Event::Task);
                me.cpu.note();
                // One task of a scope: then check again who takes part.
                task.run(thread, me, Outside::MayGive);
                me.cpu.forget();
                me.counters.looks.add_one();
                self.now = pool.now();
                let were_short = self.now.saturating_sub(start) < pool.policy.short;
                self.nap = if were_short { pool.policy.nap } else { 0 };
            } else if self.wait() {
                break;
            }
        }
        me.enter(Phase::Away, pool.now());
    }

    /// Takes a task, if it may run one.
    fn find(&mut self) -> Option<Arc<dyn Queued>> {
        if !self.is_wanted() {
            return None;
        }
        let is_left = |task: &dyn Queued| !task.owner_runs_it();
        let of_left = self.now < self.slice_until && self.slice_is_of_left;
        find::first_left(self.me, || match of_left {
            true => find::take(self.me, usize::MAX, &is_left),
            false => find::next(self.me),
        })
    }

    /// Returns whether tasks wait, and no caller takes part, as far as is known, or they have waited
    /// for long.
    fn is_wanted(&mut self) -> bool {
        let (pool, me, now) = (self.pool, self.me, self.now);
        if !pool.tasks_wait() {
            self.waiting = None;
            return false;
        }
        if now < self.slice_until {
            return true;
        }
        let (has_workers, starves) = (pool.threads.has_workers(), pool.permits.starves());
        let guests = || {
            let guests = pool.members.iter().filter(|m| m.index == GUEST);
            guests.filter(|m| !ptr::eq(*m, me))
        };
        let attached = || guests().filter(|m| m.demand.flag.is_attached());
        // One that sleeps runs nothing.
        let inside = || attached().filter(|m| m.site.is_inside() && !is_asleep(m));
        let runs_task = inside().any(|m| m.site.runs_task());
        // Another sum if one has come or gone.
        let entry = |m: &Member| {
            let seat = ptr::from_ref(m).addr() as u64;
            seat.wrapping_mul(m.site.entries())
        };
        let inside = inside().map(entry).reduce(u64::wrapping_add);
        if self.begins_slice(inside, runs_task, has_workers, starves) {
            return true;
        }
        let patience = match (has_workers, inside.is_some()) {
            (true, _) if starves => NAP_MAX,
            (true, true) => {
                self.asked = None;
                return false;
            }
            (true, false) => pool.policy.nap,
            (false, true) => PATIENCE,
            (false, false) => return true,
        };
        // Of all seats, since a guest that leaves has not answered.
        let answers = guests().fold(0, |sum: u64, m| {
            let Counters { ticks, looks, .. } = &m.counters;
            // Guests of a pool with workers may look for ever for what they wait for.
            let looks = if has_workers { 0 } else { looks.get() };
            sum.wrapping_add(ticks.get()).wrapping_add(looks)
        });
        let is_silent = |&(_, before): &(u64, u64)| before == answers && !runs_task;
        let silent = self.asked.filter(is_silent);
        for guest in attached().filter(|m| m.demand.asked() == 0) {
            guest.ask(1, now);
        }
        let since = silent.map_or(now, |(since, _)| since);
        self.asked = Some((since, answers));
        now.saturating_sub(since) >= patience
    }

    /// Begins to run tasks for a while if they have waited for long. `inside` says which guests are
    /// inside, if any are, and `runs_task` whether one of them runs a task.
    fn begins_slice(
        &mut self,
        inside: Option<u64>,
        runs_task: bool,
        has_workers: bool,
        starves: bool,
    ) -> bool {
        let (members, now) = (&self.pool.members, self.now);
        let others = members.iter().filter(|m| !ptr::eq(*m, self.me));
        let started = others.map(|m| m.site.tasks_started());
        let started = started.fold(0, u64::wrapping_add);
        let waiting = self.waiting.get_or_insert(Waiting {
            since: now,
            inside,
            started,
            stuck_since: now,
        });
        if started != waiting.started {
            (waiting.started, waiting.stuck_since) = (started, now);
        }
        let waited = now.saturating_sub(waiting.since);
        let stuck = now.saturating_sub(waiting.stuck_since);
        let all_along = inside.is_some() && inside == waiting.inside && !starves;
        let mut is_left = |task: &dyn Queued| !task.is_spent() && !task.owner_runs_it();
        let mut any_is_left = || members.iter().any(|m| m.queues.tasks.any(&mut is_left));
        let of_left = !has_workers && waited >= PATIENCE && any_is_left();
        let is_due = match (all_along, has_workers) {
            (false, true) => waited >= PATIENCE,
            (false, false) => waited >= STUCK,
            (true, _) if runs_task => stuck >= 10 * STUCK,
            (true, _) => stuck >= STUCK,
        };
        if of_left || is_due {
            self.waiting = None;
            self.slice_until = now.saturating_add(SLICE);
            self.slice_is_of_left = of_left;
        }
        of_left || is_due
    }

    /// Naps for a while, then sleeps without a clock until it is called. Returns true if it must
    /// end instead, since a shutdown waits.
    fn wait(&mut self) -> bool {
        let pool = self.pool;
        self.now = pool.now();
        self.me.enter(Phase::Searching, self.now);
        let since = *self.quiet_since.get_or_insert(self.now);
        let quiet = self.now.saturating_sub(since);
        let naps = self.nap > 0 && quiet < pool.policy.dormant_after();
        if naps || pool.tasks_wait() {
            let nap = self.nap.max(pool.policy.nap);
            self.now = self.park(Some(nap));
            self.nap = pool.policy.longer_nap(nap);
            return false;
        }
        let thread = &pool.reserve.thread;
        let comes = || pool.tasks_wait() || !pool.reserve.inbox.is_empty();
        if thread.ends(pool, comes) {
            return true;
        }
        let is_over = || pool.ending.is_terminating() || pool.is_stopping();
        let park = || {
            self.park(None);
        };
        thread.sleeper.sleep(|| (), comes, is_over, park);
        self.waiting = None;
        self.now = pool.now();
        if !pool.is_stopping() {
            (self.quiet_since, self.nap) = (Some(self.now), pool.policy.nap);
        }
        false
    }

    /// Returns when it has ended.
    fn park(&self, nap: Option<u64>) -> u64 {
        let (pool, me) = (self.pool, self.me);
        me.counters.parks.add_one();
        me.enter(Phase::Parked, pool.now());
        me.park(nap.map(Duration::from_nanos));
        let now = pool.now();
        me.enter(Phase::Searching, now);
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::builder::ThreadPoolBuilder;
    use std::sync::atomic::AtomicUsize;

    /// The last of the tasks is not spent.
    struct Task(Arc<AtomicUsize>);

    impl Queued for Task {
        fn run(self: Arc<Self>, _: &Thread, _: &Member, _: Outside) {}

        fn cancel(&self) {}

        fn is_spent(&self) -> bool {
            self.0.fetch_sub(1, Ordering::Relaxed) > 1
        }
    }

    #[test]
    fn a_look_finds_no_spent_task() {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let pool = builder.build().expect("a pool");
        let left = Arc::new(AtomicUsize::new(3));
        pool.shared().at_free_seat(|pool, me| {
            for _ in 0..3 {
                me.queues.tasks.push(Arc::new(Task(Arc::clone(&left))));
            }
            let found = ReserveThread::new(pool, me).find();
            assert!(found.is_some(), "it finds the task");
        });
        assert_eq!(
            left.load(Ordering::Relaxed),
            0,
            "tasks that it has not looked at"
        );
    }
}
